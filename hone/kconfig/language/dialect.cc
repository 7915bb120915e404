// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/dialect.h"

#include <fmt/format.h>

namespace hone::kconfig {
namespace {

// Before the macro language.
Dialect Linux2() {
  Dialect dialect;
  dialect.name = "linux-2.6";
  dialect.has_macros = false;
  dialect.has_options = true;
  dialect.has_modules_word = false;
  dialect.has_dashed_help = true;
  dialect.has_path_words = true;
  dialect.has_bare_texts = true;
  dialect.has_strong_imply = true;
  dialect.writes_default_no = true;
  dialect.writes_defconfig_list = true;
  dialect.has_end_comments = false;
  return dialect;
}

Dialect Linux4() {
  Dialect dialect;
  dialect.name = "linux-4.18";
  dialect.has_options = true;
  dialect.has_modules_word = false;
  dialect.has_dashed_help = true;
  dialect.has_path_words = true;
  dialect.has_bare_texts = true;
  dialect.writes_defconfig_list = true;
  dialect.has_strong_imply = true;
  dialect.has_end_comments = false;
  return dialect;
}

Dialect Linux53() {
  Dialect dialect = Linux4();
  dialect.name = "linux-5.3";
  dialect.has_path_words = false;
  dialect.has_bare_texts = false;
  dialect.writes_defconfig_list = false;
  dialect.has_end_comments = true;
  dialect.ends_empty_menus = false;
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
  dialect.forgets_out_of_range = false;
  dialect.hash_buckets = 1 << 14;
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
  dialect.has_joined_lines = true;
  dialect.has_typed_defaults = true;
  dialect.has_conditional_depends = true;
  dialect.has_strong_imply = true;
  dialect.has_config_defaults = true;
  dialect.has_quoted_choices = true;
  dialect.folds_constants = true;
  dialect.ends_empty_menus = false;
  return dialect;
}

Dialect UBoot() {
  Dialect dialect = Linux4();
  dialect.name = "u-boot";
  dialect.has_raw_strings = true;
  return dialect;
}

Dialect Buildroot() {
  Dialect dialect = Linux2();
  dialect.name = "buildroot";
  dialect.prefix = "";
  dialect.config_variable = "BR2_CONFIG";
  dialect.may_miss = "/.br2-external.in.";  // Without external trees they hold nothing.
  return dialect;
}

Dialect Busybox() {
  Dialect dialect = Linux2();
  dialect.name = "busybox";
  dialect.may_cycle = true;
  dialect.writes_all = true;
  dialect.version_heading = "Busybox version";
  return dialect;
}

Dialect Toybox() {
  Dialect dialect = Busybox();
  dialect.name = "toybox";
  dialect.version_heading = "ToyBox version";
  dialect.fixed_version = "KCONFIG_VERSION";
  return dialect;
}

// Kconfig of Linux 5, with patterns in source and `reset`.
Dialect Openwrt() {
  Dialect dialect = Linux61();
  dialect.name = "openwrt";
  dialect.has_source_globs = true;
  dialect.has_reset = true;
  return dialect;
}

Dialect Coreboot() {
  Dialect dialect = Linux61();
  dialect.name = "coreboot";
  dialect.has_source_globs = true;
  dialect.may_miss_source = true;
  dialect.has_options = true;
  dialect.has_dashed_help = true;
  return dialect;
}

std::vector<Dialect> AllDialects() {
  return {Linux2(),   Linux4(),   Linux53(), Linux57(),    Linux61(), Linux67(),
          Linux611(), Linux618(), Linux7(),  Kconfiglib(), UBoot(),   Buildroot(),
          Busybox(),  Toybox(),   Openwrt(), Coreboot()};
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

}  // namespace hone::kconfig
