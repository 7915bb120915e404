// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

// What a reader has to say about a line of a .config file.
struct ConfigWarning {
  std::uint32_t line = 0;
  std::string message;
};

struct ReadOptions {
  std::string prefix = "CONFIG_";
  bool warns_of_unknown = false;
};

struct ReadReport {
  std::vector<ConfigWarning> warnings;
  std::vector<std::string> unknown;  // Names that the tree does not know.
};

// Takes the lines of a .config as user values, in place of all that there were. Values are stale
// until Evaluate.
ReadReport AssignConfig(Configuration& configuration, std::string_view text,
                        const ReadOptions& options);

// AssignConfig and Evaluate, then what the C tool does after reading: numbers outside of their
// range are taken back.
ReadReport LoadConfig(Configuration& configuration, std::string_view text,
                      const ReadOptions& options);

// The files of a configuration, byte for byte as the C tool writes them.
std::string WriteConfig(const Configuration& configuration);         // .config
std::string WriteMinimalConfig(const Configuration& configuration);  // savedefconfig
std::string WriteAutoConf(const Configuration& configuration);       // include/config/auto.conf
std::string WriteAutoHeader(const Configuration& configuration);     // include/generated/autoconf.h
std::string WriteRustCfg(const Configuration& configuration);        // include/generated/rustc_cfg

// The line of a symbol in a .config: CONFIG_X=y or, for n, "# CONFIG_X is not set".
std::string ConfigLine(const Configuration& configuration, SymbolId id, bool shows_n_as_value);

// "text" with quotes, and \ before each " and \.
std::string QuoteValue(std::string_view text);

}  // namespace hone::kconfig
