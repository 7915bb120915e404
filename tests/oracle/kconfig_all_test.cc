// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "tests/oracle/kconfig_oracle.h"

// Every architecture and every defconfig of the tree against the kernel's own tool.
namespace hone::kconfig {
namespace {

TEST(KconfigAllTest, EveryModeAndDefconfigOfEveryArchitectureIsEqual) {
  const auto oracle = KernelOracle::Find();
  if (!oracle) GTEST_SKIP() << "needs Debian's linux-source-6.1: " << oracle.error().message;
  Tally all;
  auto arches = ArchesOf(oracle->tree);
  for (const char* arch : {"i386", "x86_64", "sparc64", "parisc64"}) arches.emplace_back(arch);
  for (const std::string& arch : arches) {
    const auto loaded = ArchOracle::Load(*oracle, arch);
    ASSERT_TRUE(loaded) << arch << ": " << loaded.error().message;
    Tally tally;
    CompareAllModes(*loaded, tally);
    const bool is_whole = loaded->place().arch == loaded->place().source_arch;
    for (const auto& file : DefconfigsOf(loaded->place())) {
      const bool is_own = file.filename().string().find(arch) != std::string::npos;
      if (is_whole || is_own) CompareDefconfig(*loaded, file, tally);
    }
    std::cout << fmt::format("{}: {} equal, {} different", arch, tally.equal,
                             tally.different.size())
              << std::endl;
    all.equal += tally.equal;
    for (const std::string& what : tally.different) ADD_FAILURE() << what;
  }
  std::cout << fmt::format("{} equal in all\n", all.equal);
}

}  // namespace
}  // namespace hone::kconfig
