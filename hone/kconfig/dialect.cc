// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/dialect.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "hone/base/file.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

// Before the macro language.
Dialect Linux2() {
  Dialect dialect;
  dialect.name = "linux-2.6";
  dialect.has_macros = false;
  dialect.has_bare_variables = true;
  dialect.has_options = true;
  dialect.has_modules_word = false;
  dialect.has_dashed_help = true;
  dialect.has_path_words = true;
  dialect.has_strong_imply = true;
  dialect.has_end_comments = false;
  return dialect;
}

Dialect Linux4() {
  Dialect dialect;
  dialect.name = "linux-4.18";
  dialect.has_options = true;
  dialect.has_modules_word = false;
  dialect.has_dashed_help = true;
  dialect.has_strong_imply = true;
  dialect.has_end_comments = false;
  return dialect;
}

Dialect Linux53() {
  Dialect dialect = Linux4();
  dialect.name = "linux-5.3";
  dialect.has_end_comments = true;
  return dialect;
}

Dialect Linux57() {
  Dialect dialect = Linux53();
  dialect.name = "linux-5.7";
  dialect.has_strong_imply = false;
  return dialect;
}

Dialect Linux61() {
  Dialect dialect;
  dialect.name = "linux-6.1";  // From 5.13.
  return dialect;
}

Dialect Linux67() {
  Dialect dialect = Linux61();
  dialect.name = "linux-6.7";
  dialect.has_numeric_zero_default = true;
  return dialect;
}

Dialect Linux611() {
  Dialect dialect = Linux67();
  dialect.name = "linux-6.11";
  dialect.choice_rules = ChoiceRules::kGroup;
  return dialect;
}

Dialect Linux618() {
  Dialect dialect = Linux611();
  dialect.name = "linux-6.18";
  dialect.has_transitional = true;
  return dialect;
}

Dialect Linux7() {
  Dialect dialect = Linux618();
  dialect.name = "linux-7.0";
  dialect.has_conditional_depends = true;
  dialect.refuses_second_inclusion = true;
  return dialect;
}

// What Kconfiglib reads: Zephyr, ESP-IDF, NuttX and others.
Dialect Kconfiglib() {
  Dialect dialect;
  dialect.name = "kconfiglib";
  dialect.has_bare_variables = true;
  dialect.has_options = true;
  dialect.has_dashed_help = true;
  dialect.has_relative_source = true;
  dialect.has_source_globs = true;
  dialect.has_typed_defaults = true;
  dialect.has_conditional_depends = true;
  dialect.has_strong_imply = true;
  return dialect;
}

Dialect UBoot() {
  Dialect dialect = Linux4();
  dialect.name = "u-boot";
  return dialect;
}

Dialect Buildroot() {
  Dialect dialect = Linux2();
  dialect.name = "buildroot";
  dialect.prefix = "";
  return dialect;
}

Dialect Busybox() {
  Dialect dialect = Linux2();
  dialect.name = "busybox";
  dialect.may_cycle = true;
  return dialect;
}

Dialect Coreboot() {
  Dialect dialect = Linux61();
  dialect.name = "coreboot";
  dialect.has_source_globs = true;
  dialect.has_options = true;
  dialect.has_dashed_help = true;
  return dialect;
}

std::vector<Dialect> AllDialects() {
  return {Linux2(),   Linux4(), Linux53(),    Linux57(), Linux61(),   Linux67(), Linux611(),
          Linux618(), Linux7(), Kconfiglib(), UBoot(),   Buildroot(), Busybox(), Coreboot()};
}

std::string Head(const fs::path& file) {
  std::ifstream in(file);
  std::string text(16 << 10, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

// The number behind "NAME =" at the beginning of a line of a Makefile; -1 if there is none.
int MakeNumber(std::string_view makefile, std::string_view name) {
  for (std::size_t at = 0; at < makefile.size();) {
    const std::size_t end = std::min(makefile.find('\n', at), makefile.size());
    std::string_view line = makefile.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    const std::size_t value = line.find_first_not_of(" =\t");
    if (value == 0 || value == std::string_view::npos) continue;
    int number = -1;
    std::from_chars(line.data() + value, line.data() + line.size(), number);
    return number;
  }
  return -1;
}

Dialect OfLinux(int version, int patch) {
  const int number = version * 1000 + patch;
  if (number >= 7000) return Linux7();
  if (number >= 6018) return Linux618();
  if (number >= 6011) return Linux611();
  if (number >= 6007) return Linux67();
  if (number >= 5013) return Linux61();
  if (number >= 5007) return Linux57();
  if (number >= 5003) return Linux53();
  return number >= 4018 ? Linux4() : Linux2();
}

}  // namespace

std::vector<std::string> DialectNames() {
  std::vector<std::string> names;
  for (const Dialect& dialect : AllDialects()) names.push_back(dialect.name);
  return names;
}

Result<Dialect> DialectNamed(std::string_view name) {
  for (Dialect& dialect : AllDialects()) {
    if (dialect.name == name) return std::move(dialect);
  }
  return Error{Errc::kInvalidArgument,
               fmt::format("dialect \"{}\": not known; the known ones are {}", name,
                           fmt::join(DialectNames(), ", "))};
}

Dialect DetectDialect(const fs::path& tree) {
  std::error_code ignored;
  const auto has = [&](const char* name) { return fs::exists(tree / name, ignored); };
  const std::string makefile = Head(tree / "Makefile");
  if (has("Kconfig.zephyr")) return Kconfiglib();
  if (has("util/kconfig") && has("src/Kconfig")) return Coreboot();
  if (makefile.find("UBOOTVERSION") != std::string::npos || has("include/u-boot")) return UBoot();
  if (makefile.find("BR2_VERSION") != std::string::npos || has("support/kconfig")) {
    return Buildroot();
  }
  if (has("Config.in")) return Busybox();
  const int version = MakeNumber(makefile, "VERSION");
  const int patch = MakeNumber(makefile, "PATCHLEVEL");
  if (version >= 2 && version < 100 && patch >= 0) return OfLinux(version, patch);
  if (has("scripts/kconfig/zconf.y")) return Linux2();
  return Linux61();
}

}  // namespace hone::kconfig
