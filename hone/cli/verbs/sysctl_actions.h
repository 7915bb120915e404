// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "hone/cli/verb.h"

// What `hone sysctl ACTION` does; verb_sysctl.cc has the flags.
namespace hone::cli {

struct SysctlRequest {
  std::vector<std::string> operands;                        // After the action.
  std::optional<std::chrono::milliseconds> confirm_within;  // apply
  bool is_unknown_allowed = false;                          // apply: --allow-unknown
  bool is_disruption_allowed = false;                       // apply: --allow-disruptive
  std::vector<std::string> services;                        // apply, diff: --service
  std::optional<std::string> word;                          // list: only what matters for it
  std::optional<std::string> risk;                          // list
  bool wants_all = false;                                   // list: absent and denied ones too
  bool wants_boot = false;                                  // restore: started by the boot unit
  bool wants_applied = false;                               // restore: --applied
};

Result<ExitCode> ListParameters(Shell& shell, const SysctlRequest& request);
Result<ExitCode> ShowParameter(Shell& shell, const SysctlRequest& request);

Result<ExitCode> ApplySettings(Shell& shell, const SysctlRequest& request);
Result<ExitCode> ConfirmSettings(Shell& shell, const SysctlRequest& request);
Result<ExitCode> DiffSettings(Shell& shell, const SysctlRequest& request);
Result<ExitCode> RestoreSettings(Shell& shell, const SysctlRequest& request);

}  // namespace hone::cli
