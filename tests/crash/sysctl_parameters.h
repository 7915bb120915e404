// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"

namespace hone::sysctl {

// Environment variables with the names of a disk and of a network device, and the folder of a
// control group, that belong to the test: theirs are harmless too.
inline constexpr char kTestDisk[] = "HONE_TEST_DISK";
inline constexpr char kTestLink[] = "HONE_TEST_LINK";
inline constexpr char kTestGroup[] = "HONE_TEST_GROUP";

// Real parameters of this host that can be changed for a moment without harm, each with texts to
// choose from. Those that this kernel lacks are left out.
struct HarmlessParameter {
  std::string path;
  std::vector<std::string> texts;
};
std::vector<HarmlessParameter> HarmlessParameters(KernelFiles& files);

// A hold on all of them.
TransactionSettings TransactionOnHost(KernelFiles& files, const std::filesystem::path& folder);

// A file of a made-up service beside the folder of the journal; its reload copies it to the second
// one. A hold has it too where it is there.
std::filesystem::path ServiceFileOf(const std::filesystem::path& folder);
std::filesystem::path LoadedFileOf(const std::filesystem::path& folder);

// A random text for some of them; never both of a pair of twins.
std::vector<Setting> RandomSettings(const std::vector<HarmlessParameter>& parameters, Rng& rng);
// Of the files of a hold likewise.
void AddRandomFiles(const TransactionSettings& hold, Rng& rng, std::vector<Setting>& settings);

// Why this process may not change them; empty if it may.
std::string WhyHostIsOutOfReach();

}  // namespace hone::sysctl
