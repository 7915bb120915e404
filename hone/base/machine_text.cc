// SPDX-License-Identifier: Apache-2.0
#include "hone/base/machine_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <vector>

namespace hone {
namespace {

constexpr std::string_view kBlank = " \t\n\r";

std::string_view Strip(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Cuts off what precedes the separator, and the separator; all if there is none.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = Strip(text); !text.empty(); text = Strip(text)) {
    const std::size_t end = std::min(text.find_first_of(kBlank), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

template <typename Number>
std::optional<Number> ToNumber(std::string_view word) {
  Number number{};
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (fault != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// As many numbers as there are words; nothing if one of them is none.
std::optional<std::vector<std::int64_t>> ToNumbers(const std::vector<std::string_view>& words) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view word : words) {
    const auto number = ToNumber<std::int64_t>(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::chrono::microseconds> FindTotal(std::string_view line) {
  for (const std::string_view word : Words(line)) {
    if (!word.starts_with("total=")) continue;
    const auto total = ToNumber<std::int64_t>(word.substr(6));
    if (total) return std::chrono::microseconds(*total);
  }
  return std::nullopt;
}

}  // namespace

std::optional<CpuTimes> ParseCpuTimes(std::string_view proc_stat) {
  std::string_view line = TakeUntil(proc_stat, '\n');
  if (!line.starts_with("cpu ")) return std::nullopt;
  line.remove_prefix(4);
  const auto ticks = ToNumbers(Words(line));
  if (!ticks || ticks->size() < 8) return std::nullopt;
  const std::vector<std::int64_t>& t = *ticks;  // user nice system idle iowait irq softirq steal
  return CpuTimes{CpuTicks(t[0] + t[1] + t[2] + t[5] + t[6]), CpuTicks(t[3] + t[4]),
                  CpuTicks(t[7])};
}

std::optional<PressureTotals> ParsePressure(std::string_view text) {
  std::optional<PressureTotals> totals;
  while (!text.empty()) {
    const std::string_view line = TakeUntil(text, '\n');
    const auto total = FindTotal(line);
    if (!total) continue;
    if (line.starts_with("some ")) totals = PressureTotals{*total, {}};
    if (line.starts_with("full ") && totals) totals->full = *total;
  }
  return totals;
}

std::optional<ProcessTicks> ParseProcessStat(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const auto pid = ToNumber<int>(Strip(text.substr(0, open)));
  std::vector<std::string_view> words = Words(text.substr(close + 1));
  if (!pid || words.size() < 20) return std::nullopt;
  words.erase(words.begin());  // The state, a letter. Then ppid is 0, utime 10, starttime 18.
  words.resize(19);
  const auto numbers = ToNumbers(words);
  if (!numbers) return std::nullopt;
  const std::vector<std::int64_t>& n = *numbers;
  return ProcessTicks{.pid = *pid,
                      .parent = static_cast<int>(n[0]),
                      .name = std::string(text.substr(open + 1, close - open - 1)),
                      .used = CpuTicks(n[10] + n[11]),
                      .used_by_children = CpuTicks(n[12] + n[13]),
                      .started = n[18]};
}

std::optional<double> ParseFirstNumber(std::string_view text) {
  const std::vector<std::string_view> words = Words(text);
  return words.empty() ? std::nullopt : ToNumber<double>(words[0]);
}

std::optional<std::string> FindField(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = TakeUntil(text, '\n');
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    if (line.empty() || (kBlank.find(line[0]) == std::string_view::npos && line[0] != ':')) {
      continue;
    }
    line = Strip(line);
    if (line.starts_with(':')) line = Strip(line.substr(1));
    return std::string(line);
  }
  return std::nullopt;
}

std::optional<std::string> FindSetting(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view value = TakeUntil(text, '\n');
    if (TakeUntil(value, '=') != key) continue;
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    return std::string(value);
  }
  return std::nullopt;
}

std::optional<int> CountCpuList(std::string_view text) {
  text = Strip(text);
  int count = 0;
  while (!text.empty()) {
    std::string_view range = TakeUntil(text, ',');
    const auto first = ToNumber<int>(TakeUntil(range, '-'));
    const auto last = range.empty() ? first : ToNumber<int>(range);
    if (!first || !last || *last < *first) return std::nullopt;
    count += *last - *first + 1;
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

std::optional<std::string> FindCgroup(std::string_view proc_self_cgroup,
                                      std::string_view controller) {
  while (!proc_self_cgroup.empty()) {
    std::string_view path = TakeUntil(proc_self_cgroup, '\n');
    const std::string_view hierarchy = TakeUntil(path, ':');
    std::string_view controllers = TakeUntil(path, ':');
    if (controllers.empty()) {
      if (controller.empty() && hierarchy == "0") return std::string(path);
      continue;
    }
    while (!controllers.empty()) {
      if (TakeUntil(controllers, ',') == controller) return std::string(path);
    }
  }
  return std::nullopt;
}

std::optional<double> ParseCpuMax(std::string_view text) {
  const std::vector<std::string_view> words = Words(text);
  if (words.size() != 2) return std::nullopt;
  const auto quota = ToNumber<double>(words[0]);
  const auto period = ToNumber<double>(words[1]);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

std::optional<std::chrono::microseconds> ParseThrottled(std::string_view cpu_stat) {
  if (const auto text = FindField(cpu_stat, "throttled_usec")) {
    if (const auto value = ToNumber<std::int64_t>(*text)) return std::chrono::microseconds(*value);
  }
  if (const auto text = FindField(cpu_stat, "throttled_time")) {
    if (const auto value = ToNumber<std::int64_t>(*text)) {
      return std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::nanoseconds(*value));
    }
  }
  return std::nullopt;
}

}  // namespace hone
