// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::llm {

// The regular expression by which a tokenizer.json splits text, in Oniguruma's words: \s is
// Unicode's White_Space, classes and letter case are Unicode's. Safe for concurrent use.
class TextPattern {
 public:
  static Result<TextPattern> Compile(std::string_view expression);

  TextPattern(TextPattern&&) noexcept;
  TextPattern& operator=(TextPattern&&) noexcept;
  ~TextPattern();

  // The matches and what lies between them, in order: every byte of the text is in one piece. The
  // text must be valid UTF-8. An expression that needs too many steps at some place ends the
  // splitting there; what remains is one piece.
  void Split(std::string_view text, std::vector<std::string_view>& pieces) const;

 private:
  struct Code;
  explicit TextPattern(std::unique_ptr<const Code> code);

  std::unique_ptr<const Code> code_;
};

}  // namespace hone::llm
