// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// What the readers of settings files share: their lines, and what may be a setting.
namespace hone::sysctl {

// Without blanks at its ends.
std::string Trimmed(std::string_view text);

struct Line {
  int number = 0;
  std::string text;  // Trimmed.

  bool IsComment() const { return text.front() == '#' || text.front() == ';'; }
};

// The lines with something on them.
std::vector<Line> LinesOf(const std::string& text);

// Why this cannot be a setting; empty if it can.
std::string FaultIn(const std::string& path, const std::string& text);

}  // namespace hone::sysctl
