// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/sections_lines.h"

#include <algorithm>
#include <cctype>

namespace hone::agent {
namespace {

constexpr std::size_t kMaxName = 200;

bool IsSpaceByte(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool IsNameByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_-./*").find(c) != std::string_view::npos;
}

bool IsName(std::string_view text) {
  return text.size() > 2 && text.size() <= kMaxName &&
         std::all_of(text.begin(), text.end(), IsNameByte) &&
         std::isalpha(static_cast<unsigned char>(text.front())) != 0;
}

// "/sys/block/<disk>/size" as a pattern.
std::string PatternOf(std::string_view path) {
  std::string pattern;
  bool is_inside = false;
  for (const char c : path) {
    if (c == '<') {
      is_inside = true;
      pattern += '*';
    } else if (c == '>' && is_inside) {
      is_inside = false;
    } else if (!is_inside) {
      pattern += c;
    }
  }
  return pattern;
}

}  // namespace

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    while (!line.empty() && IsSpaceByte(line.back())) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string_view TrimLine(std::string_view line) {
  while (!line.empty() && IsSpaceByte(line.front())) line.remove_prefix(1);
  while (!line.empty() && IsSpaceByte(line.back())) line.remove_suffix(1);
  return line;
}

std::size_t IndentOf(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c == '\t') {
      columns = (columns / 8 + 1) * 8;
    } else if (c == ' ') {
      ++columns;
    } else {
      break;
    }
  }
  return columns;
}

bool IsUnderline(std::string_view line) {
  constexpr std::string_view kMarks = "=-~^\"'`*+#:.<>_";
  if (line.size() < 3 || kMarks.find(line.front()) == std::string_view::npos) return false;
  return std::all_of(line.begin(), line.end(), [&](char c) { return c == line.front(); });
}

std::size_t NumberSignLevel(std::string_view line) {
  const std::size_t level = line.find_first_not_of('#');
  if (level == 0 || level == std::string_view::npos || level > 6 || line[level] != ' ') return 0;
  return level;
}

std::vector<std::string> EntryNames(std::string_view line, std::string_view next) {
  if (TrimLine(line).empty() || TrimLine(next).empty()) return {};
  const std::size_t indent = IndentOf(line);
  if (indent > 4 || IndentOf(next) <= indent) return {};
  std::string_view head = TrimLine(line);
  const std::size_t dash = head.find(" - ");
  // Without a type behind it only a name with a part before a dot is one: prose has none alone.
  if (dash == std::string_view::npos) {
    const bool is_alone = IsName(head) && head.find('.') != std::string_view::npos &&
                          !head.ends_with(".") && head.find('/') == std::string_view::npos;
    return is_alone && indent > 0 ? std::vector{std::string(head)} : std::vector<std::string>{};
  }
  if (indent != 0) return {};
  head = head.substr(0, dash);
  std::vector<std::string> names;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find_first_of(", "), head.size());
    const std::string_view name = head.substr(0, end);
    if (!name.empty() && !IsName(name)) return {};
    if (!name.empty()) names.emplace_back(name);
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  const bool is_known_form = names.size() == 1 || line.find(',') != std::string_view::npos;
  return is_known_form ? names : std::vector<std::string>{};
}

std::vector<std::string> InterfaceNames(std::string_view line) {
  if (!line.starts_with("What:")) return {};
  const std::string_view path = TrimLine(line.substr(5));
  if (path.empty() || path.size() > kMaxName) return {};
  return {PatternOf(path)};
}

std::vector<std::string> BootParameterNames(std::string_view line) {
  if (line.size() < 3 || line[0] != '\t' || IsSpaceByte(line[1])) return {};
  std::string_view name = line.substr(1);
  name = name.substr(0, std::min(name.find_first_of("= \t["), name.size()));
  if (!IsName(name)) return {};
  return {std::string(name)};
}

}  // namespace hone::agent
