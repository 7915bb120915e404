// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/app/service/service_parts.h"
#include "hone/base/log.h"
#include "hone/cli/verb.h"

// The flags that `hone serve` and `hone worker` share; what they set outlives them.
namespace hone::cli {

std::vector<Flag> QueueFlags(app::QueueChoice& choice);
std::vector<Flag> WorkerFlags(app::WorkerChoice& choice);

// What goes to standard error, and how.
struct LogChoice {
  std::string level;  // Empty: note, or warning with --quiet.
  LogForm form = LogForm::kText;
};

std::vector<Flag> LogFlags(LogChoice& choice);
void UseLog(const Shell& shell, const LogChoice& choice);

}  // namespace hone::cli
