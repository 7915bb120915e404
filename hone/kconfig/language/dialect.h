// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::kconfig {

// How choices are evaluated.
enum class ChoiceRules {
  kSymbol,  // Before Linux 6.11: a choice is a symbol with a mode n, m or y and one selection.
  kGroup,   // Since: a group of bools; what was set last decides.
};

// The rules that a tree is read by. Kconfig is one language with many versions; a dialect says
// which. Known ones have names (DialectNames), a tree is recognised by DetectDialect.
struct Dialect {
  std::string name = "linux-6.1";
  std::string prefix = "CONFIG_";  // Of every symbol in .config files.

  // What the parser accepts.
  // $(…) and variables (Linux 4.18). Without them `$` is literal but for $NAME in the name of a
  // file that is included and in the title: the symbol with `option env=`.
  bool has_macros = true;
  bool has_bare_variables = false;   // $VAR and ${VAR} anywhere, from the environment.
  bool has_options = false;          // option env=, modules, defconfig_list, allnoconfig_y.
  bool has_modules_word = true;      // `modules` (Linux 5.13).
  bool has_dashed_help = false;      // ---help---
  bool has_relative_source = false;  // rsource, osource, orsource.
  bool has_source_globs = false;
  bool has_joined_lines = false;     // \ at the end joins a line with the next, whatever it is in.
  bool has_typed_defaults = false;   // def_int, def_hex, def_string.
  bool has_transitional = false;     // Linux 6.18.
  bool has_config_defaults = false;  // configdefault: only defaults, no definition (Zephyr).
  bool has_quoted_choices = false;   // choice "NAME" (Zephyr).
  bool has_reset = false;            // reset: of a choice, for menuconfig alone (OpenWrt).
  bool has_conditional_depends = false;  // depends on A if B.
  bool has_path_words = false;           // Bare words may hold / and . (before Linux 5.0).
  bool has_bare_texts = false;           // A word without quotes may be a prompt, a title, a path.
  bool may_miss_source = false;          // A file that is not there counts as empty (coreboot).
  std::string may_miss = {};             // So does one with this in its name (Buildroot).
  bool may_cycle = false;                // A dependency loop is a warning, not an error.
  bool refuses_second_inclusion = false;
  // A condition with y beside others is always met, one with n never: so a symbol depends on
  // nothing if one of its definitions does, and what is selected if n is not. The C tool keeps all
  // of them.
  bool folds_constants = false;

  // How values are computed and written.
  ChoiceRules choice_rules = ChoiceRules::kSymbol;
  bool has_numeric_zero_default = false;  // An int without default is 0, a hex 0x0 (Linux 6.7).
  bool forgets_out_of_range = true;       // A number of a .config that is (before Linux 6.8).
  bool has_strong_imply = false;          // An implied y cannot be set to m (before Linux 5.7).
  bool writes_default_no = false;         // A default that is n gets a line (before Linux 4.18).
  bool writes_defconfig_list = false;     // So does a symbol with option defconfig_list.
  bool has_raw_strings = false;           // No \ before " and \ in a .config (U-Boot).
  bool writes_all = false;                // Every symbol gets a line (BusyBox).
  std::string version_heading;            // "Busybox version": what the header says, not the title.
  std::string fixed_version;              // What stands there; empty: the variable KERNELVERSION.
  std::string config_variable = "KCONFIG_CONFIG";  // Names the .config.
  bool has_end_comments = true;                    // "# end of TITLE" (Linux 5.3).
  bool ends_empty_menus = true;                    // Also where nothing is in it.
  std::uint32_t hash_buckets = 9973;               // Of the table whose order auto.conf has.
};

std::vector<std::string> DialectNames();
Result<Dialect> DialectNamed(std::string_view name);

// Looks at the files of the tree: the version of Linux; else what the copy of kconfig that it
// carries accepts and does (its sources say so), which is what the name "own" stands for where no
// other name is known; else Linux 6.1.
Dialect DetectDialect(const std::filesystem::path& tree);

}  // namespace hone::kconfig
