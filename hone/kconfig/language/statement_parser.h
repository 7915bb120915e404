// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hone/kconfig/language/lexer.h"
#include "hone/kconfig/language/macro.h"
#include "hone/kconfig/language/parser.h"
#include "hone/kconfig/language/text_arena.h"
#include "hone/kconfig/tree/builder.h"

namespace hone::kconfig {

// Reads statements line by line into a TreeBuilder. A line with a fault is told and skipped, so
// that one run tells all of them.
class StatementParser {
 public:
  StatementParser(const ParseOptions& options, TreeBuilder& builder, TextArena& arena);

  void Run();

 private:
  static constexpr std::size_t kMaxNames = 4'000'000;
  static constexpr std::size_t kMaxEntries = 2'000'000;
  static constexpr std::uint32_t kMaxOperands = 150'000;

  // Which options may follow: those of the statement before.
  enum class Entry { kOther, kConfig, kChoice, kMenu, kComment };

  void Statement();
  bool BlockStatement();
  void OtherStatement();
  bool OptionStatement();
  bool PropertyOption();
  bool TypeOption();
  bool ConfigOption();
  void Assignment();
  void MainMenu();
  void Config(bool is_menuconfig);
  void ConfigDefault();
  void FinishMenuConfig();
  void ChoiceBlock();
  void MenuBlock();
  void IfBlock();
  void CommentEntry();
  void End(MenuKind kind);
  void Source(bool is_relative, bool is_optional);
  void OpenBlock();

  // For another statement, for another name in it; false ends the reading.
  bool HasRoom() {
    return (builder_.parts.symbols.size() < kMaxNames && builder_.nodes.size() < kMaxEntries) ||
           RefuseStatement();
  }
  bool HasRoomForName() { return ++names_ <= kMaxOperands || RefuseName(); }
  bool RefuseStatement();
  bool RefuseName();

  void Include(const std::string& name, bool is_optional);
  bool MayEnter(const std::string& name, Location at, std::size_t size);
  bool IsBeingRead(const std::string& name);

  void Type(SymbolType type);
  void Prompt();
  void Default(SymbolType type);
  void SelectOrImply(PropertyKind kind);
  void Range();
  void Depends();
  void Visible();
  void Reset();
  void Help();
  void Option();
  void ModulesOption();

  // Expressions. nullopt after a fault that has been told.
  std::optional<ExpressionId> Or();
  std::optional<ExpressionId> And();
  std::optional<ExpressionId> Operand();
  std::optional<ExpressionId> Comparison();
  std::optional<SymbolId> AnySymbol();
  std::optional<SymbolId> PlainSymbol();
  std::nullopt_t RefuseNoName();
  std::optional<ExpressionId> OptionalIf();  // kNone if there is none.

  Result<std::string> RunShell(const std::string& command);
  bool IsText() const;  // A text in quotes, or a word where the dialect takes one as such.
  void Advance() { token_ = lexer_.Next(); }
  // Of the line. What is told of a fault lies apart: every line comes by here.
  bool ExpectEnd() { return IsAtEnd() ? !has_faulted_ : RefuseRest(); }
  bool IsAtEnd() const { return token_ == Token::kEndOfLine || token_ == Token::kEndOfText; }
  bool RefuseRest();
  void Fault(std::string message);
  void TellHere(Severity severity, std::string message);
  std::string Found() const;  // The token, for messages.
  Location where() const { return lexer_.statement(); }

  const ParseOptions& options_;
  TreeBuilder& builder_;
  MacroExpander macros_;
  Lexer lexer_;
  Token token_ = Token::kEndOfLine;
  Entry entry_ = Entry::kOther;
  MenuId defaults_ = kNone;  // The configdefault whose options are read.
  bool is_menuconfig_ = false;
  bool has_faulted_ = false;  // On this line.
  std::uint32_t nesting_ = 0;
  std::uint32_t names_ = 0;  // In this statement.
  std::uint64_t inclusions_ = 0;
  std::uint64_t bytes_read_ = 0;  // A file counts each time that it is included.
};

}  // namespace hone::kconfig
