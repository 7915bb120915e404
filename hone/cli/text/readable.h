// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/candidate.h"
#include "hone/core/evaluation.h"

// Values and tables as people read them.
namespace hone::cli {

// Real numbers with six digits, which is what a table has room for; --json has all of them.
std::string ReadableValue(const Value& value);

// "batch=9 spin=0.742334": what the candidate changes.
std::string ReadableChange(const Candidate& baseline, const Candidate& candidate);

// The same text without what a terminal would obey: control characters but line ends and tabs
// become
// "\x1b". For whatever a kernel, a compiler or a server wrote.
std::string Printable(std::string_view text);

// Columns as a terminal counts them: code points, not bytes.
std::size_t WidthOf(std::string_view text);

// At most this many columns; a longer text ends in "…".
std::string FitInto(std::string_view text, std::size_t width);

using TableRows = std::vector<std::vector<std::string>>;

// Rows of cells in columns two spaces apart, no trailing spaces, each line behind `indent`.
std::string TableText(const TableRows& rows, std::string_view indent = "  ");

// What programs printed, each part under its name, without words to the terminal.
std::string EvidenceText(const std::vector<Evidence>& evidence);

}  // namespace hone::cli
