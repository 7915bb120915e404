// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hone/core/nearest.h"
#include "hone/domains/sysctl/workload/preset_texts.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::sysctl {

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const PresetText& preset : PresetTexts()) names.emplace_back(preset.name);
  return names;
}

Result<WorkloadSpec> FindPreset(const std::string& name) {
  for (const PresetText& preset : PresetTexts()) {
    if (preset.name != name) continue;
    const std::string what = fmt::format("the preset {}", name);
    const auto json = ParseJson(preset.text, what);
    if (!json) return json.error();
    return ReadWorkloadSpec(*json, what);
  }
  const std::vector<std::string> names = PresetNames();
  const auto nearest = Nearest(name, names);
  return Error{Errc::kNotFound,
               fmt::format("{}: no such preset{} There are: {}", name,
                           nearest ? fmt::format("; did you mean {}?", *nearest) : ".",
                           names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")))};
}

}  // namespace hone::sysctl
