// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hone/core/result.h"
#include "hone/kconfig/language/macro.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

bool WriteWhole(const std::string& name, std::string_view text);

// Puts the text into the file and keeps the old one as NAME.old; a file that holds it already is
// not touched. Gives the sentence that the C tool says about it.
Result<std::string> ReplaceConfig(const std::string& name, const std::string& text,
                                  bool overwrites);

// auto.conf, auto.conf.cmd, autoconf.h, rustc_cfg and the marks of changed symbols in
// include/config/. Unless `overwrites`, only if there is no auto.conf. False if it failed.
bool WriteBuildFiles(const Configuration& configuration, const Environment& environment,
                     bool overwrites);

}  // namespace hone::kconfig
