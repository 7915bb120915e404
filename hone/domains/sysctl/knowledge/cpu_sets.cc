// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/cpu_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace hone::sysctl {
namespace {

constexpr char kCpuFolder[] = "/sys/devices/system/cpu/";
constexpr int kBitsOfGroup = 32;
constexpr int kMaxCpus = 8192;          // More than any kernel is built for.
constexpr std::size_t kMaxSingles = 8;  // Beyond that a CPU by itself is never the answer.
constexpr std::size_t kMinForHalves = 4;

std::size_t TakeNumber(std::string_view text, int& number) {
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc{} ? static_cast<std::size_t>(stop - text.data()) : 0;
}

// "0-3,8" as numbers; what does not read so ends the list.
std::vector<int> CpusIn(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    int first = 0;
    std::size_t used = TakeNumber(text, first);
    if (used == 0) break;
    text.remove_prefix(used);
    int last = first;
    if (text.starts_with('-')) {
      used = TakeNumber(text.substr(1), last);
      if (used == 0) break;
      text.remove_prefix(1 + used);
    }
    for (int cpu = first; cpu <= std::min(last, kMaxCpus - 1); ++cpu) cpus.push_back(cpu);
    if (!text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  return cpus;
}

std::vector<int> ReadList(KernelFiles& files, const std::string& path) {
  const auto text = files.Read(path);
  return text ? CpusIn(*text) : std::vector<int>{};
}

}  // namespace

CpuLayout ReadCpus(KernelFiles& files) {
  CpuLayout layout;
  layout.online = ReadList(files, std::string(kCpuFolder) + "online");
  const auto possible = ReadList(files, std::string(kCpuFolder) + "possible");
  for (const auto& list : {layout.online, possible}) {
    if (!list.empty()) layout.possible = std::max(layout.possible, list.back() + 1);
  }
  const auto nodes = files.Match("/sys/devices/system/node/node*/cpulist");
  if (!nodes) return layout;
  for (const std::string& node : *nodes) {
    auto cpus = ReadList(files, node);
    if (!cpus.empty()) layout.nodes.push_back(std::move(cpus));
  }
  return layout;
}

std::string MaskOf(const std::vector<int>& cpus, int possible) {
  const int groups = (possible + kBitsOfGroup - 1) / kBitsOfGroup;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(groups));
  for (const int cpu : cpus) {
    const auto word = static_cast<std::size_t>(cpu / kBitsOfGroup);
    if (word < words.size()) words[word] |= std::uint32_t{1} << (cpu % kBitsOfGroup);
  }
  const int rest = possible % kBitsOfGroup;
  std::string text;
  for (std::size_t i = words.size(); i-- > 0;) {
    const bool is_first = text.empty();
    const int digits = is_first && rest != 0 ? (rest + 3) / 4 : kBitsOfGroup / 4;
    text += fmt::format("{}{:0{}x}", is_first ? "" : ",", words[i], digits);
  }
  return text;
}

std::vector<std::string> MasksToTry(const CpuLayout& layout, bool has_none) {
  const std::vector<int> all = layout.online.empty() ? std::vector<int>{0} : layout.online;
  std::vector<std::string> masks;
  const auto add = [&](const std::vector<int>& cpus) {
    std::string mask = MaskOf(cpus, layout.possible);
    if (std::find(masks.begin(), masks.end(), mask) == masks.end()) {
      masks.push_back(std::move(mask));
    }
  };
  if (has_none) add({});
  add(all);
  for (const auto& node : layout.nodes) add(node);
  if (all.size() >= kMinForHalves) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    add({all.begin(), middle});
    add({middle, all.end()});
  }
  if (all.size() <= kMaxSingles) {
    for (const int cpu : all) add({cpu});
  }
  return masks;
}

}  // namespace hone::sysctl
