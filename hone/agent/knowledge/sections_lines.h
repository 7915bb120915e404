// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// What single lines of the kernel's documentation are.
namespace hone::agent {

std::vector<std::string_view> LinesOf(std::string_view text);  // Without their ends.
std::string_view TrimLine(std::string_view line);
std::size_t IndentOf(std::string_view line);  // Columns; a tab goes to the next eighth.

// "=====": at least three of one mark, and nothing else.
bool IsUnderline(std::string_view line);

// How many # a Markdown heading begins with; 0 if it is none.
std::size_t NumberSignLevel(std::string_view line);

// The names that an entry of a list begins with; empty if the line begins none:
// "tcp_rmem - vector of 3 INTEGERs" and "  memory.high", each above a line that is indented more.
std::vector<std::string> EntryNames(std::string_view line, std::string_view next);

// "What:  /sys/block/<disk>/size" gives /sys/block/*/size.
std::vector<std::string> InterfaceNames(std::string_view line);

// "\tquiet\t\t[KNL] …" and "\tloglevel=\t…".
std::vector<std::string> BootParameterNames(std::string_view line);

}  // namespace hone::agent
