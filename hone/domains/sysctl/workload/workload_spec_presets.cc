// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "hone/core/nearest.h"
#include "hone/domains/sysctl/workload/preset_texts.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::sysctl {
namespace {

// The file's, without ".json".
std::string NameOfPreset(const EmbeddedFile& file) {
  return std::filesystem::path(file.name).stem();
}

}  // namespace

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const EmbeddedFile& preset : PresetTexts()) names.push_back(NameOfPreset(preset));
  return names;
}

Result<WorkloadSpec> FindPreset(const std::string& name) {
  for (const EmbeddedFile& preset : PresetTexts()) {
    if (NameOfPreset(preset) != name) continue;
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
