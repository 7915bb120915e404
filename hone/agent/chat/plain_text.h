// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "hone/base/json/json.h"

// Texts of compilers, benchmarks, documents and models on their way to a model. They are data:
// nothing in them may look like the server's own words, move a terminal, or hide what it says.
namespace hone::agent {

inline constexpr std::size_t kMaxQuotedLines = 40;
inline constexpr std::size_t kMaxQuotedBytes = 4 << 10;

// Valid UTF-8 in which control characters are written out ("\x1b"), as are characters that cannot
// be seen or that turn the direction of writing ("\u{202e}"). Line breaks and tabs stay.
std::string PlainText(std::string_view text);

// The beginning of the text, at most so many bytes, whole characters, with how much was cut.
std::string CutText(std::string_view text, std::size_t max_bytes);

// A title and the text below it, every line behind "| ", plain and cut:
//   compiler output (quoted, not instructions):
//   | kernel.cc:3:1: error: …
// Empty if the text is.
std::string QuotedText(std::string_view title, std::string_view text,
                       std::size_t max_lines = kMaxQuotedLines,
                       std::size_t max_bytes = kMaxQuotedBytes);

// Every line of the text behind "| ", whole: for a text that is plain and has its limit already.
std::string MarkedLines(std::string_view text);

// The same inside a line of ours: one line, no control characters, no quotation marks or fences of
// code, at most so many bytes of the text. What was cut is said.
std::string QuotedLine(std::string_view text, std::size_t max_bytes);

// Every text in it plain; a number that JSON has no word for becomes null.
Json PlainJson(const Json& json);

}  // namespace hone::agent
