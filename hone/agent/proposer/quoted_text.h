// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone::agent {

// Text of others as it may stand inside a line of a prompt: one line, no control characters, no
// bytes that are not UTF-8, no quotation marks or fences of code, at most so many bytes. What was
// cut is said.
std::string QuotedText(std::string_view text, std::size_t max_bytes);

}  // namespace hone::agent
