// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/help_text.h"

#include <algorithm>
#include <cstring>

namespace hone::kconfig {
namespace {

// The indentation of a line: its bytes, and its columns with tabs at every eighth.
struct Indentation {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};

Indentation MeasureIndentation(std::string_view line) {
  Indentation found;
  for (const char c : line) {
    if (c == '\t') {
      found.columns = (found.columns & ~std::size_t{7}) + 8;
    } else if (c == ' ') {
      ++found.columns;
    } else {
      break;
    }
    ++found.bytes;
  }
  return found;
}

std::string_view LineAt(std::string_view text, std::size_t at) {
  const void* end = std::memchr(text.data() + at, '\n', text.size() - at);
  const auto size =
      end == nullptr ? text.size() - at
                     : static_cast<std::size_t>(static_cast<const char*>(end) - text.data()) - at;
  return text.substr(at, size);
}

}  // namespace

HelpExtent MeasureHelp(std::string_view text) {
  HelpExtent extent;
  std::size_t level = 0;
  bool has_text = false;
  while (extent.size < text.size()) {
    const std::string_view line = LineAt(text, extent.size);
    const Indentation indentation = MeasureIndentation(line);
    const bool is_blank = indentation.bytes == line.size();
    if (!is_blank) {
      // A text at the left margin ends at the next line at the left margin.
      if (indentation.columns < level) break;
      if (indentation.columns == 0 && (has_text || extent.lines > 0)) break;
      has_text = true;
      if (level == 0) level = indentation.columns;
    }
    extent.size += line.size();
    if (extent.size == text.size()) break;
    ++extent.size;
    ++extent.lines;
  }
  const bool is_followed = extent.size > 0 && extent.size < text.size() &&
                           text[extent.size] != ' ' && text[extent.size] != '\t';
  extent.text = extent.size - (is_followed ? 1 : 0);
  return extent;
}

std::string DedentWholeHelp(std::string_view raw) {
  std::string help;
  std::size_t level = 0;
  for (std::size_t at = 0; at < raw.size();) {
    std::string_view line = LineAt(raw, at);
    at += line.size();
    const Indentation indentation = MeasureIndentation(line);
    if (indentation.bytes != line.size()) {
      if (level == 0) level = indentation.columns;
      help.append(indentation.columns - std::min(level, indentation.columns), ' ');
      line.remove_prefix(indentation.bytes);
      help += line.substr(0, line.find_last_not_of(" \t\r") + 1);
    }
    if (at < raw.size()) help += '\n';
    ++at;
  }
  return help;
}

std::string DedentHelp(std::string_view raw) {
  const std::string whole = DedentWholeHelp(raw);
  const std::size_t begin = whole.find_first_not_of('\n');
  if (begin == std::string::npos) return {};
  return whole.substr(begin, whole.find_last_not_of('\n') - begin + 1);
}

}  // namespace hone::kconfig
