// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hone/kconfig/language/help_text.h"

namespace hone::kconfig {
namespace {

constexpr std::uint32_t kMaxIgnored = 1000;

}  // namespace

Lexer::Lexer(const Dialect& dialect, MacroExpander& macros, TextArena& arena, Host host)
    : macros_(macros),
      arena_(arena),
      host_(std::move(host)),
      keywords_(dialect),
      has_dollar_(dialect.has_macros),
      has_joined_lines_(dialect.has_joined_lines) {
  for (int c = 0; c < 256; ++c) {
    is_word_byte_[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '_' || c == '-' || (dialect.has_path_words && (c == '.' || c == '/'));
  }
  for (const char c : {'"', '\'', '\\', '\n'}) {
    ends_plain_text_[static_cast<unsigned char>(c)] = true;
  }
  ends_plain_text_[static_cast<unsigned char>('$')] = has_dollar_;
}

void Lexer::Enter(FileId file, std::string_view text) {
  if (!open_.empty()) {
    open_.back().at = at_;
    open_.back().line = line_;
  }
  at_ = text.data();
  end_ = text.data() + text.size();
  line_ = 1;
  line_begin_ = nullptr;
  joined_ = {};
  ignored_ = 0;
  open_.push_back({file, at_, end_, 1});
}

Token Lexer::EndFile() {
  open_.pop_back();
  has_left_file_ = true;
  if (open_.empty()) return Token::kEndOfText;
  at_ = open_.back().at;
  end_ = open_.back().end;
  line_ = open_.back().line;
  line_begin_ = nullptr;
  joined_ = {};
  return Token::kEndOfLine;
}

Token Lexer::Next() {
  while (true) {
    if (has_failed_) return Token::kEndOfText;
    Token token = Scan();
    if (token == Token::kEndOfText && last_ != Token::kEndOfLine && !has_failed_) {
      last_ = Token::kEndOfLine;  // The last line of the last file lacks its end.
      return last_;
    }
    if (last_ == Token::kEndOfLine) {
      if (token == Token::kEndOfLine) continue;
      statement_ = here();
    }
    last_ = token;
    return token;
  }
}

// A long line with many macros is searched once.
const char* Lexer::EndOfLine(const char* from) {
  if (line_begin_ != nullptr && from >= line_begin_ && from <= line_end_) return line_end_;
  const void* found = std::memchr(from, '\n', static_cast<std::size_t>(end_ - from));
  line_begin_ = from;
  line_end_ = found == nullptr ? end_ : static_cast<const char*>(found);
  return line_end_;
}

// What is left of the line, with those that \ joins to it. They are joined once, however many
// macros are in them.
std::string_view Lexer::RestOfLine(const char* from) {
  if (IsInJoined(from)) return joined_.text.substr(PlaceInJoined(from).offset);
  const char* end = EndOfLine(from);
  const auto goes_on = [&] { return end < end_ && end > from && end[-1] == '\\'; };
  if (!has_joined_lines_ || !goes_on()) return {from, static_cast<std::size_t>(end - from)};
  joined_ = {from, from, {}, {}};
  std::string text;
  while (goes_on()) {
    text.append(from, end - 1);
    joined_.joints.push_back(text.size());
    from = end + 1;
    end = EndOfLine(from);
  }
  text.append(from, end);
  joined_.text = arena_.Copy(text);
  joined_.end = end;
  return joined_.text;
}

bool Lexer::IsInJoined(const char* at) const {
  return joined_.begin != nullptr && at >= joined_.begin && at <= joined_.end;
}

// Every joint is a \ and the end of a line in the file, and nothing in the text.
Lexer::JoinedPlace Lexer::PlaceInJoined(const char* at) const {
  const auto distance = static_cast<std::size_t>(at - joined_.begin);
  std::size_t passed = 0;
  std::size_t left = joined_.joints.size();
  while (left > 0) {
    const std::size_t half = left / 2;
    const bool is_behind = joined_.joints[passed + half] + 2 * (passed + half) < distance;
    passed += is_behind ? half + 1 : 0;
    left = is_behind ? left - half - 1 : half;
  }
  return {distance - 2 * passed, passed};
}

// Goes on by so many bytes of RestOfLine.
void Lexer::Pass(std::size_t bytes) {
  if (!IsInJoined(at_)) {
    at_ += bytes;
    return;
  }
  const JoinedPlace place = PlaceInJoined(at_);
  const std::size_t offset = place.offset + bytes;
  const auto passed = static_cast<std::size_t>(std::ranges::lower_bound(joined_.joints, offset) -
                                               joined_.joints.begin());
  at_ = joined_.begin + offset + 2 * passed;
  line_ += static_cast<std::uint32_t>(passed - place.passed);
}

void Lexer::IgnoreByte(char c) {
  ++at_;
  if (c == '\r') return;
  if (++ignored_ > kMaxIgnored) {
    return Fail(fmt::format("more than {} bytes that no Kconfig file holds; is it a text file?",
                            kMaxIgnored));
  }
  host_.tell(Severity::kWarning, fmt::format("ignoring unsupported character '{}'", c));
}

Token Lexer::Scan() {
  has_left_file_ = false;
  while (true) {
    SkipBlanks();
    if (at_ == end_) {
      if (open_.empty()) return Token::kEndOfText;
      if (last_ != Token::kEndOfLine) {
        host_.tell(Severity::kWarning, "no new line at end of file");
        if (open_.size() == 1) return Token::kEndOfText;
      }
      return EndFile();
    }
    const char c = *at_;
    if (IsWordByte(c)) return ScanWord(at_);
    switch (c) {
      case '\n':
        ++at_;
        ++line_;
        if (last_ == Token::kEndOfLine) continue;
        return Token::kEndOfLine;
      case '#':
        at_ = EndOfLine(at_);
        continue;
      case '"':
      case '\'':
        ++at_;
        return ScanQuoted(c);
      case '\\':
        if (at_ + 1 < end_ && at_[1] == '\n') {
          at_ += 2;
          ++line_;
          continue;
        }
        break;
      default:
        break;
    }
    if (c == '$' && has_dollar_) {
      const Token token = ScanMacroWord(at_);
      if (token == Token::kEndOfLine && !has_failed_) continue;  // It vanished.
      return token;
    }
    const Token token = ScanOperator(c);
    if (token != Token::kEndOfLine) return token;
    IgnoreByte(c);
    if (has_failed_) return Token::kEndOfText;
  }
}

const char* Lexer::EndOfWord(const char* at) const {
  const char* const end = end_;
  // Words are half of all bytes: one look at the end of the text is enough for four of them.
  for (; end - at >= 4; at += 4) {
    if (!IsWordByte(at[0])) return at;
    if (!IsWordByte(at[1])) return at + 1;
    if (!IsWordByte(at[2])) return at + 2;
    if (!IsWordByte(at[3])) return at + 3;
  }
  while (at < end && IsWordByte(*at)) ++at;
  return at;
}

Token Lexer::ScanWord(const char* begin) {
  const char* at = EndOfWord(begin + 1);
  if (at < end_ && *at == '$' && has_dollar_) {
    return ScanMacroWord(begin);
  }
  at_ = at;
  text_ = {begin, static_cast<std::size_t>(at - begin)};
  return keywords_.Find(text_);
}

// kEndOfLine means that nothing came out.
Token Lexer::ScanMacroWord(const char* begin) {
  auto word = macros_.ExpandWord(RestOfLine(begin), IsWordByte('/'));
  if (!word) {
    Fail(word.error().message);
    return Token::kEndOfText;
  }
  at_ = begin;
  Pass(word->consumed);
  if (word->text.empty()) return Token::kEndOfLine;
  text_ = arena_.Copy(word->text);
  return Token::kWord;
}

Token Lexer::ScanQuoted(char quote) {
  const char* const begin = at_;
  const char* const end = end_;
  const char* at = begin;
  while (at < end && (!EndsPlainText(*at) || (*at != quote && (*at == '"' || *at == '\'')))) ++at;
  if (at == end || *at != quote) return ScanEscapedQuoted(quote, begin);
  text_ = {begin, static_cast<std::size_t>(at - begin)};
  at_ = at + 1;
  return Token::kQuoted;
}

Token Lexer::ScanEscapedQuoted(char quote, const char* begin) {
  std::string text;
  for (at_ = begin; at_ < end_;) {
    const char c = *at_;
    if (c == quote) {
      ++at_;
      break;
    }
    if (c == '\n') {
      host_.tell(Severity::kWarning, "multi-line strings not supported");
      break;
    }
    if (c == '\\') {
      ++at_;
      if (at_ < end_ && *at_ != '\n') {
        text += *at_++;
      } else if (at_ < end_ && has_joined_lines_) {
        ++at_;
        ++line_;
      }
      continue;
    }
    if (c == '$' && has_dollar_) {
      auto expanded = macros_.ExpandDollar(RestOfLine(++at_));
      if (!expanded) {
        Fail(expanded.error().message);
        return Token::kEndOfText;
      }
      text += expanded->text;
      Pass(expanded->consumed);
      continue;
    }
    text += c;
    ++at_;
  }
  text_ = arena_.Copy(text);
  return Token::kQuoted;
}

// kEndOfLine means that it is none.
Token Lexer::ScanOperator(char c) {
  const char next = at_ + 1 < end_ ? at_[1] : '\0';
  const auto take = [this](int size, Token token) {
    at_ += size;
    return token;
  };
  switch (c) {
    case '|':
      return next == '|' ? take(2, Token::kOr) : Token::kEndOfLine;
    case '&':
      return next == '&' ? take(2, Token::kAnd) : Token::kEndOfLine;
    case '=':
      return take(1, Token::kEqual);
    case '!':
      return next == '=' ? take(2, Token::kUnequal) : take(1, Token::kNot);
    case '<':
      return next == '=' ? take(2, Token::kLessEqual) : take(1, Token::kLess);
    case '>':
      return next == '=' ? take(2, Token::kGreaterEqual) : take(1, Token::kGreater);
    case '(':
      return take(1, Token::kOpen);
    case ')':
      return take(1, Token::kClose);
    case ':':
      return next == '=' ? take(2, Token::kColonEqual) : Token::kEndOfLine;
    case '+':
      return next == '=' ? take(2, Token::kPlusEqual) : Token::kEndOfLine;
    default:
      return Token::kEndOfLine;
  }
}

void Lexer::SkipBlanks() {
  const char* at = at_;
  while (at < end_ && (*at == ' ' || *at == '\t')) ++at;
  at_ = at;
}

std::string_view Lexer::TakeAssignedText() {
  SkipBlanks();
  const std::string_view text = RestOfLine(at_);
  Pass(text.size());
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

std::string_view Lexer::TakeHelp() {
  if (has_left_file_) return {};
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  const HelpExtent extent = MeasureHelp(rest);
  at_ += extent.size;
  line_ += extent.lines;
  // The end of its last line belongs to a statement that follows at the left margin.
  const bool is_followed = extent.size < rest.size() && rest[extent.size] != ' ' &&
                           rest[extent.size] != '\t' && extent.size > 0;
  return rest.substr(0, extent.size - (is_followed ? 1 : 0));
}

void Lexer::SkipLine() { at_ = EndOfLine(at_); }

void Lexer::Fail(std::string message) {
  host_.tell(Severity::kError, std::move(message));
  has_failed_ = true;
}

}  // namespace hone::kconfig
