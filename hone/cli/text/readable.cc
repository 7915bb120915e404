// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/readable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>
#include <variant>

namespace hone::cli {
namespace {

// What others printed may hold anything, words to the terminal too.
std::string WithoutControls(std::string line) {
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0 && c != '\t'; }, '?');
  return line;
}

}  // namespace

std::string ReadableValue(const Value& value) {
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? fmt::format("{:.6g}", *real) : ToText(value);
}

std::string ReadableChange(const Candidate& baseline, const Candidate& candidate) {
  std::string text;
  for (const auto& [name, value] : candidate.assignment) {
    const auto before = baseline.assignment.find(name);
    if (before != baseline.assignment.end() && before->second == value) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, ReadableValue(value));
  }
  if (candidate.source != baseline.source) text += text.empty() ? "source changed" : ", and source";
  return text.empty() ? "no change" : text;
}

std::string Printable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    // U+0080 to U+009F are control characters, too.
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_second_kind = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if (is_control) {
      printable += fmt::format("\\x{:02x}", byte);
    } else if (is_second_kind) {
      printable += fmt::format("\\x{:02x}", next);
      ++i;
    } else {
      printable += text[i];
    }
  }
  return printable;
}

std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

std::string FitInto(std::string_view text, std::size_t width) {
  if (WidthOf(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    const bool is_start = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (is_start && ++columns == width) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string TableText(const TableRows& rows, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - WidthOf(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string EvidenceText(const std::vector<Evidence>& evidence) {
  std::string text;
  for (const Evidence& one : evidence) {
    text += fmt::format("\n{}\n", one.what);
    std::istringstream lines(one.text);
    for (std::string line; std::getline(lines, line);) {
      text += fmt::format("  {}\n", WithoutControls(line));
    }
  }
  return text;
}

}  // namespace hone::cli
