// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone::report {

// The text as it may stand between tags and in quoted attributes of HTML and SVG, whoever wrote
// it. Control characters and bytes that are not UTF-8 become U+FFFD.
std::string Escape(std::string_view text);

// At most `max` characters of the text, with "…" where something was cut off. Not escaped.
std::string Shorten(std::string_view text, std::size_t max);

}  // namespace hone::report
