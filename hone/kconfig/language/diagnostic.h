// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/kconfig/tree/types.h"

namespace hone::kconfig {

enum class Severity : std::uint8_t { kNote, kWarning, kError };

// What the parser or a check has to say about a place. Tree::Show gives the line that a person can
// click: "net/Kconfig:12: warning: … (included from Kconfig:7)".
struct Diagnostic {
  Severity severity = Severity::kWarning;
  Location where;
  std::string message;
  bool is_rule = false;  // Of the tree as a whole: the C tool writes "error:" before it.
};

}  // namespace hone::kconfig
