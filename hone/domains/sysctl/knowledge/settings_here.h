// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/knowledge/tunable_range.h"

// A file of settings on one machine.
namespace hone::sysctl {

// The settings of a file (settings_file.h). A pattern stands for every device here that it matches;
// of two lines for one parameter the last one counts, as it does for sysctl(8).
Result<std::vector<Setting>> ReadSettingsHere(const std::string& text, const std::string& what,
                                              KernelFiles& files);

// Whether what is known of the parameter lets this value be written: CheckValue (tunable_range.h),
// with what this machine and its devices have. What is in force already may always be set.
Result<void> CheckSetting(KernelFiles& files, const ParameterFacts& facts, const Setting& setting,
                          const MachineSizes& sizes);

// What these parameters do to each other and to others here.
Couplings CouplingsOf(const std::vector<Setting>& settings, KernelFiles& files);

// "0" beside a twin that has a value says only that the twin is in force.
void DropTwinsThatAreOff(std::vector<Setting>& settings, const Couplings& couplings);

// Whether two texts of one parameter mean the same: "Y" and "1", "4096\t87380" and "4096 87380".
bool MeanTheSame(const std::string& path, const std::string& one, const std::string& other);

// Two sets of settings as what FindTunables takes: a request for each parameter whose value in one
// of them is not the one in force, with a range that just holds all three. What a set does not
// mention is as it is in force.
Result<std::vector<ParameterRequest>> RequestsFor(KernelFiles& files, const std::vector<Setting>& a,
                                                  const std::vector<Setting>& b,
                                                  bool is_unknown_allowed);

}  // namespace hone::sysctl
