// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/kconfig/language/scanner.h"

namespace hone::kconfig {

// A token of a file, or one of three that stand for more: kEndOfLine begins where the next line
// does, its size is how many lines have ended; kHelpText is followed by such an end; kUnlisted are
// lines that only a Lexer can read. No token of a line without an end, or of one with a macro, an
// escape, an assignment or a fault is listed.
struct ListedToken {
  std::uint32_t begin;  // In the text.
  std::uint32_t size : 24;
  Token token : 8;
};

// Cuts a file into tokens before it is known what its macros mean, so that another thread can do
// it. A Lexer that is given the list comes to the same as without it.
class TokenLister {
 public:
  explicit TokenLister(const Dialect& dialect) : scanner_(dialect) {}

  // Both live until the next call. Nothing of a text of 16 MiB or more is listed.
  struct Listed {
    std::span<const ListedToken> tokens;
    std::span<const std::string_view> sources;  // The files that `source` names, in their order.
  };
  Listed List(std::string_view text);

 private:
  const char* ListLine(const char* line);
  const char* ListTokens(const char* line);
  const char* ListHelp(const char* at);
  void NoteSource(const ListedToken& name);
  const char* LeaveOut(const char* line);
  void EndLine(const char* next);
  bool MayFollow(Token token, std::size_t first) const;
  void Add(const char* begin, const char* end, Token token);

  Scanner scanner_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  std::vector<ListedToken> tokens_;
  std::vector<std::string_view> sources_;
};

}  // namespace hone::kconfig
