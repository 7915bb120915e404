// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone::kconfig {

// The lines of a help text without the indentation of its first line, tabs turned into spaces as
// the C tool does, without blank lines at its end.
std::string DedentHelp(std::string_view raw);

// The same with the blank lines around it.
std::string DedentWholeHelp(std::string_view raw);

// How many bytes of `text` belong to a help text that begins there (the line after `help`), how
// many of them are its own (the end of its last line belongs to a statement that follows at the
// left margin), and how many lines end in it.
struct HelpExtent {
  std::size_t size = 0;
  std::size_t text = 0;
  std::uint32_t lines = 0;
};
HelpExtent MeasureHelp(std::string_view text);

}  // namespace hone::kconfig
