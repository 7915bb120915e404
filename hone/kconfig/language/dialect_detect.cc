// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "hone/kconfig/language/dialect.h"
#include "hone/kconfig/language/make_value.h"
#include "hone/kconfig/language/source_folders.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxOfFile = 1 << 20;

bool FileExists(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The beginning of the file; empty if there is none.
std::string Head(const fs::path& tree, const std::string& name, std::size_t max = 16 << 10) {
  return ReadTreeFile(tree, name).value_or("").substr(0, max);
}

// -1 if it is no number.
int MakeNumber(std::string_view makefile, std::string_view name) {
  const std::string text = MakeValue(makefile, name);
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

struct Since {
  int version;  // 6018 is 6.18.
  const char* dialect;
};
constexpr Since kLinux[] = {{7000, "linux-7.0"}, {6018, "linux-6.18"}, {6011, "linux-6.11"},
                            {6007, "linux-6.7"}, {5013, "linux-6.1"},  {5007, "linux-5.7"},
                            {5003, "linux-5.3"}, {4018, "linux-4.18"}, {0, "linux-2.6"}};

Dialect OfLinux(int version, int patch) {
  const int number = version * 1000 + patch;
  const auto* found = std::find_if(std::begin(kLinux), std::end(kLinux),
                                   [number](const Since& row) { return number >= row.version; });
  return *DialectNamed(found->dialect);
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The sources of a copy of kconfig.
struct KconfigCopy {
  KconfigCopy(const fs::path& tree, const std::string& folder) {
    const auto head = [&](const char* name) { return Head(tree, folder + name, kMaxOfFile); };
    for (const char* name : {"lexer.l", "zconf.l", "zconf.gperf", "kconf_id.c"}) {
      lexer += head(name);
    }
    for (const char* name : {"parser.y", "zconf.y"}) parser += head(name);
    is_generated = lexer.empty() && FileExists(tree / (folder + "lex.zconf.c_shipped"));
    symbol = head("symbol.c");
    confdata = head("confdata.c");
    menu = head("menu.c");
    for (const char* name : {"Makefile", "Makefile.am"}) makefile += Head(tree, folder + name);
    has_macros = FileExists(tree / (folder + "preprocess.c"));
  }

  bool is_whole() const {
    return (is_generated || (!lexer.empty() && !parser.empty())) && !symbol.empty();
  }

  // "prompt: T_WORD | T_WORD_QUOTE" rather than a quoted word alone.
  bool HasBareTexts() const {
    const std::size_t rule = parser.find("\nprompt:");
    return rule != std::string::npos && Has(parser.substr(rule, 40), "T_WORD\n");
  }

  // What -DCONFIG_=\"CT_\" says, in whatever quotes.
  std::string Prefix() const {
    constexpr std::string_view kOption = "-DCONFIG_=";
    const std::size_t option = makefile.find(kOption);
    if (option == std::string::npos) return "CONFIG_";
    const std::size_t begin = option + kOption.size();
    std::string prefix = makefile.substr(begin, makefile.find_first_of(" \t\n", begin) - begin);
    std::erase_if(prefix, [](char c) { return c == '\\' || c == '"' || c == '\''; });
    return prefix;
  }

  bool CountsLoops() const {
    const std::size_t check = parser.find("sym_check_deps(");
    return check != std::string::npos && Has(parser.substr(check, 60), "nerrs");
  }

  std::string lexer;
  std::string parser;
  std::string symbol;
  std::string confdata;
  std::string menu;
  std::string makefile;
  bool has_macros = false;
  bool is_generated = false;  // Only what flex and bison made of the lexer and the grammar.
};

// Of the rules of the language; what the sources cannot say stays as it is in `dialect`.
void TakeLanguage(const KconfigCopy& copy, Dialect& dialect) {
  dialect.has_macros = copy.has_macros;
  dialect.has_path_words = Has(copy.lexer, "/.]") || Has(copy.lexer, "/.$]");
  dialect.has_bare_texts = copy.HasBareTexts();
  dialect.has_options = !copy.has_macros || Has(copy.parser, "T_OPTION ");
  dialect.has_modules_word = Has(copy.parser, "T_MODULES");
  dialect.has_dashed_help = Has(copy.lexer, "---help---");
  dialect.has_source_globs = Has(copy.lexer, "glob(");
  dialect.may_miss_source = dialect.has_source_globs && !Has(copy.lexer, "glob failed");
  dialect.has_reset = Has(copy.lexer, "\"reset\"");
  dialect.has_transitional = Has(copy.lexer, "\"transitional\"");
  dialect.has_conditional_depends = Has(copy.parser, "T_DEPENDS T_ON expr if_expr");
  dialect.may_cycle = !copy.CountsLoops();
}

bool EndsEmptyMenus(const std::string& confdata) { return Has(confdata, "end_check:"); }

// The sources of a tool say what it does.
void TakeRules(const KconfigCopy& copy, Dialect& dialect) {
  if (dialect.name == "own") dialect.prefix = copy.Prefix();
  if (!copy.is_generated) TakeLanguage(copy, dialect);
  if (Has(copy.symbol, "sym_calc_choice(struct menu")) dialect.choice_rules = ChoiceRules::kGroup;
  dialect.has_numeric_zero_default = Has(copy.symbol, "\"0x0\"");
  dialect.forgets_out_of_range = Has(copy.confdata, "sym_string_within_range");
  if (Has(copy.symbol, "HASHTABLE_DEFINE(sym_hashtable")) dialect.hash_buckets = 1 << 14;
  dialect.has_strong_imply = Has(copy.symbol, "implied.tri == yes && val == mod");
  dialect.writes_default_no = !Has(copy.symbol, "newval.tri != no");
  dialect.has_end_comments = Has(copy.confdata, "# end of");
  dialect.ends_empty_menus = EndsEmptyMenus(copy.confdata);
  dialect.has_raw_strings = Has(copy.confdata, "\"\\\"%s\\\"\"");
  dialect.writes_defconfig_list = !Has(copy.menu, "defconfig_list->flags |= SYMBOL_NO_WRITE");
}

// Where nothing else says what the tool does.
Dialect OwnLike(const char* name) {
  Dialect dialect = *DialectNamed(name);
  dialect.name = "own";
  return dialect;
}

// Whose tree it is, where its Makefile or its folders tell.
Dialect DialectOfProject(const fs::path& tree, std::string_view makefile) {
  std::error_code ignored;
  const auto has = [&](const char* name) { return fs::exists(tree / name, ignored); };
  const auto named = [](const char* name) { return *DialectNamed(name); };
  if (has("Kconfig.zephyr")) return named("kconfiglib");
  if (has("util/kconfig") && has("src/Kconfig")) return named("coreboot");
  if (Has(makefile, "UBOOTVERSION") || has("include/u-boot")) return named("u-boot");
  if (Has(makefile, "BR2_VERSION") || (has("support/kconfig") && has("Config.in"))) {
    return named("buildroot");
  }
  if (has("Config.in") && has("applets")) return named("busybox");
  if (has("toys") && has("kconfig")) return named("toybox");
  if (has("scripts/config") && has("scripts/feeds")) return named("openwrt");
  if (has("Config.in") || has("extra/Configs/Config.in")) return OwnLike("linux-2.6");
  if (has("tools/idf.py") || has("tools/mkconfig.c")) return named("kconfiglib");
  const int version = MakeNumber(makefile, "VERSION");
  const int patch = MakeNumber(makefile, "PATCHLEVEL");
  if (version >= 2 && version < 100 && patch >= 0) return OfLinux(version, patch);
  return OwnLike("linux-6.1");
}

}  // namespace

Dialect DetectDialect(const fs::path& tree) {
  Dialect dialect = DialectOfProject(tree, Head(tree, "Makefile"));
  if (dialect.name == "kconfiglib") return dialect;
  if (dialect.name.starts_with("linux-")) {  // What its version tells not quite.
    const std::string confdata = Head(tree, "scripts/kconfig/confdata.c", kMaxOfFile);
    if (!confdata.empty()) dialect.ends_empty_menus = EndsEmptyMenus(confdata);
    return dialect;
  }
  for (const char* folder : {"scripts/kconfig/", "util/kconfig/", "tools/kconfig/",
                             "support/kconfig/", "kconfig/", "scripts/config/", "extra/config/"}) {
    const KconfigCopy copy(tree, folder);
    if (!copy.is_whole()) continue;
    TakeRules(copy, dialect);
    return dialect;
  }
  if (dialect.name != "own") return dialect;
  return *DialectNamed(dialect.has_macros ? "linux-6.1" : "linux-2.6");
}

}  // namespace hone::kconfig
