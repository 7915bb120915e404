// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::llm {

// What a template consists of: text, and the words between {{ }} and {% %}.
struct TemplateToken {
  enum class Kind {
    kText,
    kOutputBegin,
    kOutputEnd,
    kBlockBegin,
    kBlockEnd,
    kName,
    kString,
    kInteger,
    kReal,
    kSign,
    kEnd
  };

  Kind kind = Kind::kEnd;
  std::string text;  // Of a string what it stands for; of a number its digits.
  int line = 1;
};

// Splits a template as Jinja2 does with trim_blocks and lstrip_blocks: a block takes the white
// space before it in its line and the line break after it; - takes all white space, + none.
// Comments are gone.
Result<std::vector<TemplateToken>> SplitTemplate(std::string_view source);

}  // namespace hone::llm
