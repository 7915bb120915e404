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
      scanner_(dialect),
      has_joined_lines_(dialect.has_joined_lines) {}

void Lexer::Enter(FileId file, std::string_view text, std::vector<ListedToken> tokens) {
  if (!open_.empty()) {
    open_.back().at = at_;
    open_.back().line = line_;
    open_.back().list = list_;
  }
  at_ = text.data();
  end_ = text.data() + text.size();
  line_ = 1;
  line_begin_ = nullptr;
  joined_ = {};
  ignored_ = 0;
  list_ = {.text = at_, .next = tokens.data(), .end = tokens.data() + tokens.size()};
  open_.push_back({file, at_, end_, 1, std::move(tokens), list_});
}

Token Lexer::EndFile() {
  open_.pop_back();
  has_left_file_ = true;
  if (open_.empty()) return Token::kEndOfText;
  at_ = open_.back().at;
  end_ = open_.back().end;
  line_ = open_.back().line;
  list_ = open_.back().list;
  line_begin_ = nullptr;
  joined_ = {};
  return Token::kEndOfLine;
}

Token Lexer::Next() {
  while (true) {
    if (has_failed_) return Token::kEndOfText;
    const Token token = Take();
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

Token Lexer::Take() {
  if (list_.next != list_.end) return TakeListed();
  const Token token = Scan();
  if (token == Token::kEndOfLine && list_.resume != nullptr) Resume();
  return token;
}

Token Lexer::TakeListed() {
  has_left_file_ = false;
  const ListedToken listed = *list_.next++;
  const char* const begin = list_.text + listed.begin;
  if (listed.token == Token::kEndOfLine) {
    at_ = begin;
    line_ += listed.size;
    return listed.token;
  }
  if (listed.token >= Token::kHelpText) return LeaveList(listed);
  at_ = begin + listed.size + (listed.token == Token::kQuoted ? 1 : 0);
  if (!IsOperator(listed.token)) text_ = {begin, listed.size};
  return listed.token;
}

// A help text that nobody takes is read as statements, like all that follows.
Token Lexer::LeaveList(const ListedToken& listed) {
  at_ = list_.text + listed.begin;
  if (listed.token == Token::kUnlisted) {
    list_.behind = list_.next;
    list_.resume = at_ + listed.size;
    list_.next = list_.end;
  } else {
    DropList();
  }
  return Take();
}

// At the end of a line. One that ends elsewhere than was thought has other lines behind it.
void Lexer::Resume() {
  if (at_ < list_.resume) return;
  if (at_ == list_.resume) list_.next = list_.behind;
  list_.resume = nullptr;
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
    at_ = SkipBlanks(at_, end_);
    if (at_ == end_) {
      if (open_.empty()) return Token::kEndOfText;
      if (last_ != Token::kEndOfLine) {
        host_.tell(Severity::kWarning, "no new line at end of file");
        if (open_.size() == 1) return Token::kEndOfText;
      }
      return EndFile();
    }
    const char c = *at_;
    if (scanner_.IsWordByte(c)) return ScanWord(at_);
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
    if (c == '$' && scanner_.has_dollar()) {
      const Token token = ScanMacroWord(at_);
      if (token == Token::kEndOfLine && !has_failed_) continue;  // It vanished.
      return token;
    }
    const auto [token, size] = Scanner::OperatorAt(at_, end_);
    at_ += size;
    if (token != Token::kEndOfLine) return token;
    IgnoreByte(c);
    if (has_failed_) return Token::kEndOfText;
  }
}

Token Lexer::ScanWord(const char* begin) {
  const char* const at = scanner_.EndOfWord(begin + 1, end_);
  if (at < end_ && *at == '$' && scanner_.has_dollar()) {
    return ScanMacroWord(begin);
  }
  at_ = at;
  text_ = {begin, static_cast<std::size_t>(at - begin)};
  return scanner_.KindOf(text_);
}

// kEndOfLine means that nothing came out.
Token Lexer::ScanMacroWord(const char* begin) {
  auto word = macros_.ExpandWord(RestOfLine(begin), scanner_.IsWordByte('/'));
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
  const char* const at = scanner_.EndOfQuoted(begin, end_, quote);
  if (at == nullptr) return ScanEscapedQuoted(quote, begin);
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
    if (c == '$' && scanner_.has_dollar()) {
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

std::string_view Lexer::TakeAssignedText() {
  DropList();
  at_ = SkipBlanks(at_, end_);
  const std::string_view text = RestOfLine(at_);
  Pass(text.size());
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

std::string_view Lexer::TakeHelp() {
  if (has_left_file_) return {};
  if (list_.next != list_.end && list_.next->token == Token::kHelpText) {
    const ListedToken help = *list_.next++;
    TakeListed();  // Its end.
    return {list_.text + help.begin, help.size};
  }
  DropList();
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  const HelpExtent extent = MeasureHelp(rest);
  at_ += extent.size;
  line_ += extent.lines;
  return rest.substr(0, extent.text);
}

void Lexer::SkipLine() {
  DropList();
  at_ = EndOfLine(at_);
}

void Lexer::Fail(std::string message) {
  host_.tell(Severity::kError, std::move(message));
  has_failed_ = true;
}

}  // namespace hone::kconfig
