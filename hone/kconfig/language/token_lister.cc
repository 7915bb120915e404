// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/token_lister.h"

#include <cstring>

#include "hone/kconfig/language/help_text.h"

namespace hone::kconfig {
namespace {

constexpr std::uint32_t kLargestListed = (1 << 24) - 1;  // What ListedToken::size holds.

// Behind the end of the line, or null if it has none.
const char* NextLine(const char* at, const char* end) {
  const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
  return found == nullptr ? nullptr : static_cast<const char*>(found) + 1;
}

}  // namespace

TokenLister::Listed TokenLister::List(std::string_view text) {
  tokens_.clear();
  sources_.clear();
  begin_ = text.data();
  end_ = begin_ + text.size();
  if (text.size() > kLargestListed) return {};
  for (const char* line = begin_; line < end_;) line = ListLine(line);
  return {tokens_, sources_};
}

// Returns where the next line begins.
const char* TokenLister::ListLine(const char* line) {
  const std::size_t first = tokens_.size();
  const char* next = ListTokens(line);
  if (next == nullptr) {
    tokens_.resize(first);
    return LeaveOut(line);
  }
  const std::size_t count = tokens_.size() - first;
  EndLine(next);
  if (count == 1 && tokens_[first].token == Token::kHelp) return ListHelp(next);
  if (count == 2 && tokens_[first].token == Token::kSource) NoteSource(tokens_[first + 1]);
  return next;
}

void TokenLister::NoteSource(const ListedToken& name) {
  if (name.token != Token::kQuoted) return;
  sources_.push_back({begin_ + name.begin, std::size_t{name.size}});
}

// Returns where the next line begins, or null if not all of this one can be listed.
const char* TokenLister::ListTokens(const char* line) {
  const std::size_t first = tokens_.size();
  for (const char* at = SkipBlanks(line, end_); at < end_; at = SkipBlanks(at, end_)) {
    const char c = *at;
    if (scanner_.IsWordByte(c)) {
      const char* end = scanner_.EndOfWord(at + 1, end_);
      if (end < end_ && *end == '$') return nullptr;
      const std::string_view word(at, static_cast<std::size_t>(end - at));
      Add(at, end, scanner_.KindOf(word));
      at = end;
    } else if (c == '\n') {
      return at + 1;
    } else if (c == '#') {
      return NextLine(at, end_);
    } else if (c == '"' || c == '\'') {
      const char* quote = scanner_.EndOfQuoted(at + 1, end_, c);
      if (quote == nullptr) return nullptr;
      Add(at + 1, quote, Token::kQuoted);
      at = quote + 1;
    } else {
      const auto [token, size] = Scanner::OperatorAt(at, end_);
      if (!MayFollow(token, first)) return nullptr;
      Add(at, at + size, token);
      at += size;
    }
  }
  return nullptr;
}

// What follows the name of a variable is no token.
bool TokenLister::MayFollow(Token token, std::size_t first) const {
  if (token == Token::kEqual) return tokens_.size() != first + 1;
  return token != Token::kEndOfLine && token != Token::kColonEqual && token != Token::kPlusEqual;
}

const char* TokenLister::ListHelp(const char* at) {
  const HelpExtent extent = MeasureHelp({at, static_cast<std::size_t>(end_ - at)});
  const char* const end = at + extent.size;
  Add(at, at + extent.text, Token::kHelpText);
  Add(end, end, Token::kEndOfLine);
  tokens_.back().size = extent.lines & kLargestListed;
  return end;
}

// With the lines that \ joins to it.
const char* TokenLister::LeaveOut(const char* line) {
  const char* next = line;
  do {
    next = NextLine(next, end_);
  } while (next != nullptr && next - line >= 2 && next[-2] == '\\');
  if (next == nullptr) next = end_;
  Add(line, next, Token::kUnlisted);
  return next;
}

// Blank lines are one token, but the end of a line is one of its own: a help text may follow.
void TokenLister::EndLine(const char* next) {
  const std::size_t count = tokens_.size();
  const bool is_blank = count >= 2 && tokens_[count - 1].token == Token::kEndOfLine &&
                        tokens_[count - 2].token == Token::kEndOfLine;
  if (!is_blank) {
    Add(next, next + 1, Token::kEndOfLine);
    return;
  }
  tokens_.back().begin = static_cast<std::uint32_t>(next - begin_);
  ++tokens_.back().size;
}

void TokenLister::Add(const char* begin, const char* end, Token token) {
  tokens_.push_back({static_cast<std::uint32_t>(begin - begin_),
                     static_cast<std::uint32_t>(end - begin) & kLargestListed, token});
}

}  // namespace hone::kconfig
