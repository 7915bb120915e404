// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {

// Settings out of a file for people and init systems: sysctl.d ("vm.swappiness = 10"), tmpfiles.d
// ("w /sys/… - - - - always"), a tuned profile with those that it includes (tuned_settings.h),
// Hone's JSON export and Hone's script, told apart by what is in them. Of two lines for one
// parameter the later counts. A path may be a pattern with *. An Error names file and line.
//
// `what` is the path of the file, `files` those of this machine, on which some values of a tuned
// profile depend; without them such are an Error.
Result<std::vector<Setting>> ReadSettingsFile(const std::string& text, const std::string& what,
                                              KernelFiles* files = nullptr);

}  // namespace hone::sysctl
