// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/kconfig/files/load.h"

namespace hone::kconfig {

// What the C tool `conf` can be asked to do.
enum class ConfMode {
  kOldAsk,
  kOld,
  kSync,
  kDefconfig,
  kSaveDefconfig,
  kAllNo,
  kAllYes,
  kAllMod,
  kAllDef,
  kRand,
  kListNew,
  kHelpNew,
  kOldDef,
  kYesToMod,
  kModToYes,
  kModToNo,
};

std::optional<ConfMode> ConfModeNamed(std::string_view name);  // "olddefconfig"
std::vector<std::string> ConfModeNames();
bool TakesFile(ConfMode mode);  // defconfig and savedefconfig do.

struct ConfRequest {
  ConfMode mode = ConfMode::kOldAsk;
  std::string file;  // Of kDefconfig and kSaveDefconfig.
  bool is_silent = false;
  LoadOptions load;  // Its environment holds KCONFIG_CONFIG and the others that conf reads.

  // Messages about the tree in the words of the C tool; else one line each with the include chain.
  bool uses_c_messages = true;
};

// Does what conf does in the current folder: reads and writes .config and, where asked, auto.conf
// and its companions. Gives the exit status; what went wrong has been told on `err`.
int RunConf(const ConfRequest& request, std::istream& in, std::ostream& out, std::ostream& err);

// Tells the diagnostics as the C tool of the dialect does.
void TellAsC(const Parsed& parsed, const Dialect& dialect, std::ostream& err);

}  // namespace hone::kconfig
