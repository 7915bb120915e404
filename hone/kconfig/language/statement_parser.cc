// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/statement_parser.h"

#include <fmt/format.h>

#include <utility>

namespace hone::kconfig {
namespace {

constexpr std::size_t kMaxErrors = 100;
constexpr std::size_t kDeepestBlocks = 1000;

std::string_view WordOf(MenuKind kind) {
  if (kind == MenuKind::kChoice) return "choice";
  return kind == MenuKind::kIf ? "if" : "menu";
}

}  // namespace

StatementParser::StatementParser(const ParseOptions& options, TreeBuilder& builder,
                                 TextArena& arena)
    : options_(options),
      builder_(builder),
      macros_(options.environment, options.dialect.has_bare_variables,
              {.shell = [this](const std::string& command) { return RunShell(command); },
               .info =
                   [this](const std::string& text) {
                     if (options_.info) options_.info(text);
                   },
               .warning = [this](const std::string& text) { TellHere(Severity::kNote, text); },
               .place =
                   [this] {
                     const Location here = lexer_.here();
                     return std::pair(builder_.parts.files[here.file].name, here.line);
                   }}),
      lexer_(options.dialect, macros_, arena, {[this](Severity severity, std::string message) {
               TellHere(severity, std::move(message));
             }}) {}

Result<std::string> StatementParser::RunShell(const std::string& command) {
  if (!options_.shell) {
    return Error{Errc::kUnsupported, fmt::format("$(shell,{}): nothing runs commands", command)};
  }
  auto result = options_.shell(command);
  if (result) {
    builder_.parts.shell_results.emplace_back(command, *result);
    builder_.parts.shell_places.push_back(lexer_.here());
  }
  return result;
}

void StatementParser::TellHere(Severity severity, std::string message) {
  builder_.Report(severity, lexer_.here(), std::move(message));
}

void StatementParser::Run() {
  Include(options_.file, false);
  if (lexer_.has_failed()) return;
  for (Advance(); token_ != Token::kEndOfText; Advance()) {
    has_faulted_ = false;
    names_ = 0;
    if (HasRoom()) Statement();
    if (builder_.errors > kMaxErrors) lexer_.Fail("too many errors; reading stops here");
    if (lexer_.has_failed()) break;
  }
  FinishMenuConfig();
  while (builder_.depth() > 1 && !lexer_.has_failed()) {
    builder_.Report(Severity::kError, builder_.nodes[builder_.block()].where,
                    fmt::format("'{}': missing end statement for this entry",
                                WordOf(builder_.nodes[builder_.block()].kind)));
    builder_.CloseBlock();
  }
  if (builder_.nodes[0].prompt == kNone) {
    builder_.current_node = 0;
    builder_.AddPrompt("Main menu", kNone, {0, 1}, false);
  } else if (!options_.dialect.has_macros) {
    std::string_view& title = builder_.properties[builder_.nodes[0].prompt].text;
    title = builder_.Keep(macros_.ReplaceNames(title));
  }
  const bool has_version = options_.dialect.fixed_version.empty();
  if (!options_.dialect.version_heading.empty() && has_version)
    macros_.FromEnvironment("KERNELVERSION");
  builder_.parts.environment = macros_.used();
  builder_.parts.unset_variables = macros_.unset();
}

void StatementParser::Statement() {
  if (!OptionStatement() && !BlockStatement()) OtherStatement();
  if (IsAtEnd() || lexer_.has_failed()) return;
  RefuseRest();
  lexer_.SkipLine();
  Advance();
}

void StatementParser::OtherStatement() {
  if (token_ == Token::kWord) return Assignment();
  Fault(fmt::format("invalid statement: {}", Found()));
}

// Statements that end the options of the one before. False if the token begins none.
bool StatementParser::BlockStatement() {
  FinishMenuConfig();
  entry_ = Entry::kOther;
  const bool is_in_choice = builder_.nodes[builder_.block()].kind == MenuKind::kChoice;
  switch (token_) {
    case Token::kConfig:
      Config(false);
      return true;
    case Token::kMenuConfig:
      Config(true);
      return true;
    case Token::kConfigDefault:
      ConfigDefault();
      return true;
    case Token::kComment:
      CommentEntry();
      return true;
    case Token::kIf:
      IfBlock();
      return true;
    case Token::kEndChoice:
      End(MenuKind::kChoice);
      return true;
    case Token::kEndIf:
      End(MenuKind::kIf);
      return true;
    case Token::kEndMenu:
      End(MenuKind::kMenu);
      return true;
    default:
      break;
  }
  if (is_in_choice && options_.dialect.has_macros && token_ != Token::kSource) return false;
  switch (token_) {
    case Token::kChoice:
      ChoiceBlock();
      return true;
    case Token::kMenu:
      MenuBlock();
      return true;
    case Token::kMainMenu:
      MainMenu();
      return true;
    case Token::kSource:
      Source(false, false);
      return true;
    case Token::kRSource:
      Source(true, false);
      return true;
    case Token::kOSource:
      Source(false, true);
      return true;
    case Token::kOrSource:
      Source(true, true);
      return true;
    default:
      return false;
  }
}

void StatementParser::Assignment() {
  const std::string_view name = lexer_.text();
  Advance();
  Flavour flavour = Flavour::kRecursive;
  if (token_ == Token::kColonEqual) flavour = Flavour::kSimple;
  if (token_ == Token::kPlusEqual) flavour = Flavour::kAppend;
  if ((token_ != Token::kEqual && flavour == Flavour::kRecursive) || !options_.dialect.has_macros) {
    Fault(fmt::format("unknown statement \"{}\"", name));
    return;
  }
  const std::string_view value = lexer_.TakeAssignedText();
  if (auto assigned = macros_.Assign(name, flavour, value); !assigned) {
    lexer_.Fail(assigned.error().message);
    return;
  }
  Advance();
}

void StatementParser::MainMenu() {
  Advance();
  if (!IsText()) return Fault(fmt::format("mainmenu: expected a text, found {}", Found()));
  const std::string_view text = lexer_.text();
  Advance();
  if (!ExpectEnd()) return;
  const MenuId current = builder_.current_node;
  builder_.current_node = 0;
  if (builder_.nodes[0].prompt == kNone) builder_.AddPrompt(text, kNone, where(), false);
  builder_.current_node = current;
}

void StatementParser::Config(bool is_menuconfig) {
  Advance();
  const auto symbol = PlainSymbol();
  if (!symbol || !ExpectEnd()) return;
  if (builder_.parts.symbols[*symbol].is_constant) return Fault("config: n, m and y are values");
  const MenuId id = builder_.AddNode(MenuKind::kSymbol, *symbol, where());
  builder_.nodes[id].is_menuconfig = is_menuconfig;
  is_menuconfig_ = is_menuconfig;
  entry_ = Entry::kConfig;
}

// Its properties are the symbol's; the entry itself is nobody's.
void StatementParser::ConfigDefault() {
  Advance();
  const auto symbol = PlainSymbol();
  if (!symbol || !ExpectEnd()) return;
  if (builder_.parts.symbols[*symbol].is_constant) return Fault("configdefault: it is a value");
  defaults_ = builder_.AddNode(MenuKind::kIf, *symbol, where());
  entry_ = Entry::kConfig;
}

void StatementParser::FinishMenuConfig() {
  if (defaults_ != kNone) {
    MenuNode& node = builder_.nodes[defaults_];
    node.defaults_of = std::exchange(node.symbol, kNone);
  }
  defaults_ = kNone;
  if (!is_menuconfig_) return;
  is_menuconfig_ = false;
  if (builder_.current().prompt == kNone) {
    builder_.Report(Severity::kWarning, builder_.current().where,
                    "menuconfig statement without prompt");
  }
}

void StatementParser::ChoiceBlock() {
  Advance();
  std::string_view name;
  const bool is_quoted = token_ == Token::kQuoted && options_.dialect.has_quoted_choices;
  if (token_ == Token::kWord || is_quoted) {
    name = lexer_.text();
    Advance();
  }
  if (!ExpectEnd()) return;
  const SymbolId symbol = builder_.LookupChoice(name);
  builder_.AddNode(MenuKind::kChoice, symbol, where());
  OpenBlock();
  entry_ = Entry::kChoice;
}

void StatementParser::MenuBlock() {
  Advance();
  if (!IsText()) return Fault(fmt::format("menu: expected a title, found {}", Found()));
  const std::string_view text = lexer_.text();
  Advance();
  if (!ExpectEnd()) return;
  builder_.AddNode(MenuKind::kMenu, kNone, where());
  builder_.AddPrompt(text, kNone, where(), false);
  OpenBlock();
  entry_ = Entry::kMenu;
}

void StatementParser::IfBlock() {
  Advance();
  const auto condition = Or();
  if (!condition || !ExpectEnd()) return;
  builder_.AddNode(MenuKind::kIf, kNone, where());
  builder_.AddDependency(*condition);
  OpenBlock();
}

void StatementParser::OpenBlock() {
  builder_.OpenBlock();
  if (builder_.depth() > kDeepestBlocks) {
    lexer_.Fail(fmt::format("blocks are nested more than {} deep", kDeepestBlocks));
  }
}

bool StatementParser::RefuseName() {
  lexer_.Fail(fmt::format("more than {} names in one statement", kMaxOperands));
  return false;
}

bool StatementParser::RefuseStatement() {
  lexer_.Fail(fmt::format("more than {} names or {} entries", kMaxNames, kMaxEntries));
  return false;
}

void StatementParser::CommentEntry() {
  Advance();
  if (!IsText()) {
    return Fault(fmt::format("comment: expected a text, found {}", Found()));
  }
  const std::string_view text = lexer_.text();
  Advance();
  if (!ExpectEnd()) return;
  builder_.AddNode(MenuKind::kComment, kNone, where());
  builder_.AddPrompt(text, kNone, where(), false);
  entry_ = Entry::kComment;
}

void StatementParser::End(MenuKind kind) {
  const std::string_view word = WordOf(kind);
  Advance();
  if (!ExpectEnd()) return;
  const MenuNode& block = builder_.nodes[builder_.block()];
  if (builder_.depth() == 1) {
    return Fault(fmt::format("'end{}' without '{}'", word, word));
  }
  if (block.kind != kind) {
    return Fault(fmt::format("unexpected 'end{}' within {} block", word, WordOf(block.kind)));
  }
  if (block.where.file != where().file) {
    return Fault(fmt::format("'end{}' in different file than '{}': {}:{}", word, word,
                             builder_.parts.files[block.where.file].name, block.where.line));
  }
  builder_.CloseBlock();
}

bool StatementParser::IsText() const {
  return token_ == Token::kQuoted || (token_ == Token::kWord && options_.dialect.has_bare_texts);
}

void StatementParser::Fault(std::string message) {
  if (has_faulted_ || lexer_.has_failed()) return;
  has_faulted_ = true;
  builder_.Report(Severity::kError, where(), std::move(message));
}

bool StatementParser::RefuseRest() {
  Fault(fmt::format("expected the end of the line, found {}", Found()));
  return false;
}

std::string StatementParser::Found() const {
  switch (token_) {
    case Token::kEndOfText:
    case Token::kEndOfLine:
      return "the end of the line";
    case Token::kQuoted:
      return fmt::format("the text \"{}\"", lexer_.text().substr(0, 80));
    default:
      if (IsOperator(token_)) return "an operator";
      return fmt::format("\"{}\"", lexer_.text().substr(0, 80));
  }
}

}  // namespace hone::kconfig
