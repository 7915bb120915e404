// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {
namespace {

// The first line is a heading, so a swap area is a second one.
bool HasNoSwap(const std::string& swaps) { return swaps.find('\n') == std::string::npos; }

// "0-1", "0,2": nodes by number.
bool IsOneNode(const std::string& nodes) { return nodes.find_first_of(",-") == std::string::npos; }

struct MachineNeed {
  std::string_view word;
  std::string_view text;
  std::string_view why;
  const char* path;
  bool (*is_unmet)(const std::string& text);
};

constexpr std::array kMachineNeeds{
    MachineNeed{"swap", "swap", "this machine has no swap", "/proc/swaps", HasNoSwap},
    MachineNeed{"numa", "several NUMA nodes", "this machine has one NUMA node",
                "/sys/devices/system/node/online", IsOneNode}};

const MachineNeed* FindMachineNeed(const std::string& need) {
  const auto* const found = std::find_if(kMachineNeeds.begin(), kMachineNeeds.end(),
                                         [&](const MachineNeed& one) { return one.word == need; });
  return found == kMachineNeeds.end() ? nullptr : found;
}

bool IsOff(const std::string& text) {
  constexpr std::array kOff{"0", "N", "n", "off", "never", "no", "false"};
  return std::find(kOff.begin(), kOff.end(), text) != kOff.end();
}

// What is in force of a parameter that is off; of a pattern, if it is off on every device.
std::optional<std::string> OffText(KernelFiles& files, const std::string& parameter) {
  const auto paths = files.Match(PathOfName(parameter));
  if (!paths) return std::nullopt;
  std::optional<std::string> off;
  for (const std::string& path : *paths) {
    const auto text = files.Read(path);
    if (!text || !IsOff(*text)) return std::nullopt;
    off = *text;
  }
  return off;
}

}  // namespace

bool IsMachineNeed(const std::string& need) { return FindMachineNeed(need) != nullptr; }

std::string TextOfNeed(const std::string& need) {
  const MachineNeed* const known = FindMachineNeed(need);
  return known == nullptr ? need + " not off" : std::string(known->text);
}

std::vector<UnmetNeed> FindUnmetNeeds(KernelFiles& files, const ParameterFacts& facts) {
  std::vector<UnmetNeed> unmet;
  for (const std::string& need : facts.needs) {
    if (const MachineNeed* const known = FindMachineNeed(need)) {
      const auto text = files.ReadRaw(known->path);
      if (text && known->is_unmet(*text)) unmet.push_back({need, std::string(known->why)});
    } else if (const auto off = OffText(files, need)) {
      unmet.push_back({need, fmt::format("{} is {}", need, *off)});
    }
  }
  return unmet;
}

}  // namespace hone::sysctl
