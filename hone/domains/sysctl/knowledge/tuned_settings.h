// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/knowledge/tuned_profile.h"

namespace hone::sysctl {

// What a profile's units come to: [sysctl], [sysfs], [vm], governor and preferences of [cpu],
// elevator and readahead of [disk]. What of [cpu] and [disk] this machine does not have is left
// out, as tuned leaves it out. An Error names all that is understood by tuned alone.
//
// `files` are this machine's; null: paths stay patterns, and what depends on the machine
// ("vm.dirty_ratio = >30", "governor = schedutil|powersave") is an Error.
Result<std::vector<Setting>> SettingsOfProfile(const std::vector<TunedUnit>& units,
                                               const std::string& what, KernelFiles* files);

}  // namespace hone::sysctl
