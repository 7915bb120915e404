// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/kconfig/language/macro.h"
#include "hone/kconfig/language/scanner.h"
#include "hone/kconfig/language/text_arena.h"
#include "hone/kconfig/language/token_lister.h"

namespace hone::kconfig {

// Cuts the text of files into tokens, expanding macros on the way. One pass, no copy: a token is a
// view into its file unless a macro or an escape made it. Tokens that a TokenLister has found are
// taken from its list.
class Lexer {
 public:
  struct Host {
    std::function<void(Severity severity, std::string message)> tell;  // At the current place.
  };

  Lexer(const Dialect& dialect, MacroExpander& macros, TextArena& arena, Host host);

  // Goes on at the beginning of `text`, which must outlive the tokens, and returns to the file
  // before when it ends. The tokens are those of the text, or none.
  void Enter(FileId file, std::string_view text, std::vector<ListedToken> tokens);

  // kEndOfText when all files are read, and after a fault that ends the reading. The end of a line
  // is a token; blank lines and comments are not.
  Token Next();
  std::string_view text() const { return text_; }  // Of kWord and kQuoted, and of keywords.

  // The line that the statement began at, and where reading is now.
  Location statement() const { return statement_; }
  Location here() const { return {open_.empty() ? statement_.file : open_.back().file, line_}; }

  // The rest of the line as the value of a variable. What follows is the end of the line.
  std::string_view TakeAssignedText();

  // The help text that begins on the next line; call it after kEndOfLine.
  std::string_view TakeHelp();

  void SkipLine();  // What follows is the end of the line.

  bool has_failed() const { return has_failed_; }
  std::size_t open_files() const { return open_.size(); }
  void Fail(std::string message);  // Tells an error here, then stops.
  void Stop() { has_failed_ = true; }

 private:
  // Tokens that were found before. While lines are read that are not listed, next is end.
  struct List {
    const char* text = nullptr;
    const ListedToken* next = nullptr;
    const ListedToken* end = nullptr;
    const ListedToken* behind = nullptr;  // Where it goes on after them,
    const char* resume = nullptr;         // and the place in the text; null if it does not.
  };

  struct OpenFile {
    FileId file;
    const char* at;
    const char* end;
    std::uint32_t line;
    std::vector<ListedToken> tokens;
    List list;
  };

  // Lines that were joined last.
  struct JoinedLines {
    const char* begin = nullptr;
    const char* end = nullptr;
    std::string_view text;
    std::vector<std::size_t> joints;  // Where in the text the lines meet.
  };
  struct JoinedPlace {
    std::size_t offset = 0;  // In the text.
    std::size_t passed = 0;  // Joints before it.
  };

  Token Take();
  Token TakeListed();
  Token LeaveList(const ListedToken& listed);
  void Resume();
  void DropList() { list_.next = list_.end; }
  Token Scan();
  Token ScanWord(const char* begin);
  Token ScanMacroWord(const char* begin);
  Token ScanQuoted(char quote);
  Token ScanEscapedQuoted(char quote, const char* begin);
  Token EndFile();
  const char* EndOfLine(const char* from);
  std::string_view RestOfLine(const char* from);
  void Pass(std::size_t bytes);
  bool IsInJoined(const char* at) const;
  JoinedPlace PlaceInJoined(const char* at) const;
  void IgnoreByte(char c);

  MacroExpander& macros_;
  TextArena& arena_;
  Host host_;
  Scanner scanner_;
  bool has_joined_lines_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint32_t line_ = 1;
  const char* line_begin_ = nullptr;  // Of the line whose end was looked for last, or null.
  const char* line_end_ = nullptr;
  JoinedLines joined_;
  List list_;
  std::uint32_t ignored_ = 0;  // Bytes that no statement can hold.
  std::vector<OpenFile> open_;
  Location statement_;
  std::string_view text_;
  Token last_ = Token::kEndOfLine;
  bool has_failed_ = false;
  bool has_left_file_ = false;  // The last token is the end of a file.
};

}  // namespace hone::kconfig
