// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/settings_lines.h"

#include <fmt/format.h>

#include <sstream>

#include "hone/domains/sysctl/kernel/parameter_path.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == text.npos) return "";
  return std::string(text.substr(start, text.find_last_not_of(kBlanks) - start + 1));
}

std::vector<Line> LinesOf(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream stream(text);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    line = Trimmed(line);
    if (!line.empty()) lines.push_back({number, line});
  }
  return lines;
}

std::string FaultIn(const std::string& path, const std::string& text) {
  if (!path.starts_with('/')) {
    return fmt::format("{}: a parameter is a plain path below /proc/sys or /sys", path);
  }
  if (const auto one = ParameterPath::Of(path); !one) return one.error().message;
  return text.empty() ? fmt::format("{}: no value", NameOfPath(path)) : "";
}

}  // namespace hone::sysctl
