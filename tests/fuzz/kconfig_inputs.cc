// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/kconfig_inputs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/check.h"
#include "hone/kconfig/conf/modes.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/language/parser.h"
#include "hone/kconfig/shell/shell_memo.h"

namespace hone::kconfig {
namespace {

constexpr char kNextFile = '\x1c';

class PartedFiles final : public FileReader {
 public:
  PartedFiles(std::string_view text, const Dialect& dialect, bool lists) : text_(text) {
    TokenLister lister(dialect);
    std::string name = "Kconfig";
    for (std::size_t at = 0; at <= text_.size();) {
      const std::size_t end = std::min(text_.find(kNextFile, at), text_.size());
      const std::string_view file = std::string_view(text_).substr(at, end - at);
      if (files_.emplace(name, file).second && lists) {
        const auto tokens = lister.List(file).tokens;
        tokens_[name].assign(tokens.begin(), tokens.end());
      }
      name = name == "Kconfig" ? "a" : std::string(1, static_cast<char>(name[0] + 1));
      at = end + 1;
      if (name > "z") break;
    }
  }

  Result<SourceText> Read(const std::string& name) override {
    const auto found = files_.find(name);
    if (found == files_.end()) return Error{Errc::kNotFound, "can't open file \"" + name + "\""};
    return SourceText{found->second, tokens_[name]};
  }

  Result<std::vector<std::string>> Glob(const std::string&) override {
    std::vector<std::string> names;
    for (const auto& file : files_) {
      if (file.first != "Kconfig") names.push_back(file.first);
    }
    return names;
  }

 private:
  std::string text_;
  std::map<std::string, std::string_view, std::less<>> files_;
  std::map<std::string, std::vector<ListedToken>> tokens_;
};

Dialect DialectOf(std::string_view input) {
  static const std::vector<std::string> names = DialectNames();
  const auto number = static_cast<unsigned char>(input[0]);
  const std::size_t index = number >= 'a' ? number - 'a' : number;
  return *DialectNamed(names[index % names.size()]);
}

std::string MessagesOf(const Parsed& parsed) {
  std::string all;
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    all += ShowDiagnostic(parsed.files, diagnostic) + "\n";
  }
  return all;
}

// With and without lists of tokens it is the same.
Parsed Parse(const Dialect& dialect, std::string_view files) {
  ParseOptions options;
  options.dialect = dialect;
  options.environment = {{"ARCH", "x86"}, {"E", "$(E)"}};
  options.shell = [](const std::string& command) -> Result<std::string> { return command; };
  options.reader = std::make_shared<PartedFiles>(files, dialect, false);
  const Parsed unlisted = ParseTree(options);
  options.reader = std::make_shared<PartedFiles>(files, dialect, true);
  Parsed parsed = ParseTree(options);
  HONE_CHECK(MessagesOf(parsed) == MessagesOf(unlisted));
  HONE_CHECK((parsed.tree == nullptr) == (unlisted.tree == nullptr));
  return parsed;
}

void WriteAll(const Configuration& configuration) {
  WriteConfig(configuration);
  WriteMinimalConfig(configuration);
  WriteAutoConf(configuration);
  WriteAutoHeader(configuration);
  WriteRustCfg(configuration);
  NewSymbols(configuration);
  configuration.UnmetDependencies();
}

void CheckModes(const Parsed& parsed) {
  for (const Tristate value : {Tristate::kNo, Tristate::kModule, Tristate::kYes}) {
    Configuration configuration(parsed.tree);
    SetAllNew(configuration, value);
    WriteAll(configuration);
  }
  Configuration configuration(parsed.tree);
  SetAllRandom(configuration, {});
  WriteAll(configuration);
  Configuration again(parsed.tree);
  LoadConfig(again, WriteConfig(configuration), {parsed.tree->dialect().prefix});
  WriteAll(again);
}

constexpr std::string_view kEveryKind = R"(config MODULES
	bool "modules"
	modules
config A
	bool "a"
	select D if N > 5
config B
	tristate "b"
	imply E
config D
	tristate "d"
	depends on A || B
config E
	tristate "e"
	default m if B
config N
	int "n"
	range 1 64 if A
	range 10 20
	default 12
config H
	hex "h" if !A
	range 0x10 0xff
	default 0x20
config S
	string "s"
	default "text" if B != y
choice
	prompt "one"
	default P2 if A
config P1
	bool "p1"
config P2
	bool "p2"
	depends on D
config P3
	bool "p3"
endchoice
config Z
	bool "z"
	depends on S = "x" && H >= 0x30 && P3 && !E
)";

// Two configurations of one tree write the same, and the same symbols are visible.
void CheckEqual(const Configuration& left, const Configuration& right) {
  HONE_CHECK(WriteConfig(left) == WriteConfig(right));
  for (SymbolId id = 0; id < left.tree().symbols().size(); ++id) {
    HONE_CHECK(left.text(id) == right.text(id));
    HONE_CHECK(left.visibility(id) == right.visibility(id));
  }
}

void SetLines(Configuration& configuration, std::string_view text, std::string_view prefix) {
  const Tree& tree = configuration.tree();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = line.find('=');
    if (!line.starts_with(prefix) || equals == std::string_view::npos) continue;
    const SymbolId id = tree.Find(line.substr(prefix.size(), equals - prefix.size()));
    if (id == kNone || tree.symbol(id).first_menu == kNone) continue;
    if (!configuration.Set(id, line.substr(equals + 1))) configuration.Unset(id);
    Configuration anew = configuration;
    anew.Evaluate();
    CheckEqual(configuration, anew);
  }
}

// The tree of kEveryKind by the rules of each dialect, parsed once.
std::shared_ptr<const Tree> TreeFor(const Dialect& dialect) {
  static std::map<std::string, std::shared_ptr<const Tree>> trees;
  auto& tree = trees[dialect.name];
  if (tree == nullptr) {
    std::string text(kEveryKind);
    if (!dialect.has_modules_word) {
      text.replace(text.find("\tmodules\n"), 9, "\toption modules\n");
    }
    tree = Parse(dialect, text).tree;
    HONE_CHECK(tree != nullptr);
  }
  return tree;
}

}  // namespace

void FuzzParser(std::string_view input) {
  if (input.empty()) return;
  const Parsed parsed = Parse(DialectOf(input), input.substr(1));
  bool has_error = false;
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    has_error = has_error || diagnostic.severity == Severity::kError;
    const std::string line = ShowDiagnostic(parsed.files, diagnostic);
    HONE_CHECK(!line.empty() && line.find('\n') == std::string::npos);
  }
  HONE_CHECK(has_error == (parsed.tree == nullptr));
  if (parsed.tree != nullptr) CheckModes(parsed);
}

void FuzzMacros(std::string_view input) {
  const Environment environment = {{"ARCH", "x86"}, {"E", "$(E)"}};
  MacroHost host;
  host.shell = [](const std::string& command) -> Result<std::string> { return command; };
  host.info = [](const std::string&) {};
  host.warning = [](const std::string&) {};
  host.place = [] { return std::pair(std::string("Kconfig"), 1U); };
  MacroExpander macros(environment, !input.empty() && input[0] == '$', host);
  bool is_ended = false;
  for (std::size_t at = 0; at < input.size() && !is_ended;) {
    const std::size_t end = std::min(input.find('\n', at), input.size());
    const std::string_view line = input.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && equals > 0) {
      const bool is_longer = line[equals - 1] == ':' || line[equals - 1] == '+';
      Flavour flavour = Flavour::kRecursive;
      if (line[equals - 1] == ':') flavour = Flavour::kSimple;
      if (line[equals - 1] == '+') flavour = Flavour::kAppend;
      is_ended = !macros.Assign(line.substr(0, equals - (is_longer ? 1 : 0)), flavour,
                                line.substr(equals + 1));
      continue;
    }
    const auto word = macros.ExpandWord(line);
    if (word) HONE_CHECK(word->consumed <= line.size());
    const auto dollar = macros.ExpandDollar(line);
    if (dollar) HONE_CHECK(dollar->consumed <= line.size());
    is_ended = !word || !dollar;
  }
}

void FuzzConfig(std::string_view input) {
  if (input.empty()) return;
  const Dialect dialect = DialectOf(input);
  const std::string_view text = input.substr(1);
  Configuration configuration(TreeFor(dialect));
  LoadConfig(configuration, text, {dialect.prefix, true});
  WriteAll(configuration);
  Configuration set(TreeFor(dialect));
  SetLines(set, text, dialect.prefix);
  static_cast<void>(ReadShellTable(text, "table"));
}

}  // namespace hone::kconfig
