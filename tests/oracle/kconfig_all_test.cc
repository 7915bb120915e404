// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "tests/oracle/kconfig_oracle.h"

// Every architecture and every defconfig of the tree against the kernel's own tool. A case for each
// architecture, so that one can be run alone and ctest deals them out over the cores.
namespace hone::kconfig {
namespace {

class KconfigAllTest : public ::testing::TestWithParam<const char*> {};

const Result<KernelOracle>& Oracle() {
  static const Result<KernelOracle> found = KernelOracle::Find();
  return found;
}

TEST_P(KconfigAllTest, EveryModeAndDefconfigIsEqual) {
  if (!Oracle()) GTEST_SKIP() << "needs Debian's linux-source-6.1: " << Oracle().error().message;
  const std::string arch = GetParam();
  const auto loaded = ArchOracle::Load(*Oracle(), arch);
  ASSERT_TRUE(loaded) << arch << ": " << loaded.error().message;
  Tally tally;
  CompareAllModes(*loaded, tally);
  CompareSync(*loaded, tally);
  const bool is_whole = loaded->place().arch == loaded->place().source_arch;
  for (const auto& file : DefconfigsOf(loaded->place())) {
    const bool is_own = file.filename().string().find(arch) != std::string::npos;
    if (is_whole || is_own) CompareDefconfig(*loaded, file, tally);
  }
  std::cout << fmt::format("{}: {} equal, {} different", arch, tally.equal, tally.different.size())
            << std::endl;
  for (const std::string& what : tally.different) ADD_FAILURE() << what;
}

constexpr const char* kArches[] = {
    "alpha",      "arc",  "arm",   "arm64",    "csky",   "hexagon", "ia64",    "loongarch", "m68k",
    "microblaze", "mips", "nios2", "openrisc", "parisc", "powerpc", "riscv",   "s390",      "sh",
    "sparc",      "um",   "x86",   "xtensa",   "i386",   "x86_64",  "sparc64", "parisc64"};

INSTANTIATE_TEST_SUITE_P(Arch, KconfigAllTest, ::testing::ValuesIn(kArches),
                         [](const auto& test) { return std::string(test.param); });

TEST(KconfigArchesTest, TheListHasEveryArchitectureOfTheTree) {
  if (!Oracle()) GTEST_SKIP() << "needs Debian's linux-source-6.1: " << Oracle().error().message;
  for (const std::string& arch : ArchesOf(Oracle()->tree)) {
    EXPECT_NE(std::find(std::begin(kArches), std::end(kArches), arch), std::end(kArches)) << arch;
  }
}

}  // namespace
}  // namespace hone::kconfig
