// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/target_help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "hone/cli/text/help.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::cli {
namespace {

std::string PresetHelp(const sysctl::WorkloadSpec& preset) {
  constexpr std::size_t kWidth = 78;
  std::vector<std::string> names;
  for (const auto& parameter : preset.parameters) names.push_back(parameter.name);
  std::string text = fmt::format("\nThe preset {}:\n  {}\n", preset.name,
                                 fmt::join(Wrap(preset.description, kWidth), "\n  "));
  text += fmt::format("\n  It tunes:\n    {}\n", fmt::join(names, "\n    "));
  if (!preset.packages.empty()) {
    text += fmt::format("\n  It needs the packages {}; nothing is installed for you.\n",
                        fmt::join(preset.packages, ", "));
  }
  return text;
}

}  // namespace

std::string TargetHelp(const std::string& target, const DomainTable& domains) {
  TwoColumnRows rows;
  if (const auto found = domains.find(target); found != domains.end()) {
    for (const OptionFacts& option : found->second.options) {
      rows.emplace_back(fmt::format("-o {}={}", option.name, option.default_value),
                        option.description);
    }
    return fmt::format("\nOptions of {}, with their defaults:\n{}", target, TwoColumns(rows));
  }
  if (const auto preset = sysctl::FindPreset(target)) return PresetHelp(*preset);
  for (const std::string& name : sysctl::PresetNames()) {
    const auto preset = sysctl::FindPreset(name);
    if (preset) rows.emplace_back(name, FirstSentence(preset->description));
  }
  std::string text = "\nPresets (hone tune PRESET --help tells more):\n" + TwoColumns(rows);
  rows.clear();
  for (const auto& [name, entry] : domains) rows.emplace_back(name, entry.summary);
  return text + "\nDomains:\n" + TwoColumns(rows);
}

}  // namespace hone::cli
