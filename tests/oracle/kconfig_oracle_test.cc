// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "tests/oracle/kconfig_cases.h"
#include "tests/oracle/kconfig_oracle.h"

// hone/kconfig against the kernel's own tool, byte for byte.
namespace hone::kconfig {
namespace {

class KconfigOracleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const Result<KernelOracle> found = KernelOracle::Find();
    if (!found) GTEST_SKIP() << "needs Debian's linux-source-6.1: " << found.error().message;
    oracle_ = *found;
  }

  ArchOracle Load(const std::string& arch) {
    auto loaded = ArchOracle::Load(oracle_, arch);
    EXPECT_TRUE(loaded) << loaded.error().message;
    return *loaded;
  }

  static void Expect(const Tally& tally) {
    std::cout << fmt::format("{} equal, {} different\n", tally.equal, tally.different.size());
    for (const std::string& what : tally.different) ADD_FAILURE() << what;
  }

  // What each command gave.
  static std::vector<std::string> LinesOf(std::span<const NamedText> results) {
    std::vector<std::string> lines;
    for (const auto& [command, text] : results)
      lines.push_back(fmt::format("{} = {}", command, text));
    return lines;
  }

  KernelOracle oracle_;
};

TEST_F(KconfigOracleTest, AllModesOfSomeArchitecturesAreEqual) {
  Tally tally;
  for (const char* arch : {"x86_64", "arm64"}) CompareAllModes(Load(arch), tally);
  Expect(tally);
}

TEST_F(KconfigOracleTest, DefconfigsOfSomeArchitecturesAreEqual) {
  Tally tally;
  for (const char* arch : {"x86_64", "riscv"}) {
    const ArchOracle loaded = Load(arch);
    for (const auto& file : DefconfigsOf(loaded.place())) CompareDefconfig(loaded, file, tally);
  }
  Expect(tally);
}

TEST_F(KconfigOracleTest, RestrictedCommandsGiveWhatFreeOnesGive) {
  LoadOptions options = Load("x86_64").options();
  options.memo.clear();
  // Restricted ones see no other folders of it (rustc of a home).
  options.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin";
  options.shell = ShellPolicy::kRun;
  const auto run = LoadTreeOrError(options);
  options.shell = ShellPolicy::kRestricted;
  const auto restricted = LoadTreeOrError(options);
  ASSERT_TRUE(run) << run.error().message;
  if (!restricted && restricted.error().message.find("cannot be restricted") != std::string::npos) {
    GTEST_SKIP() << restricted.error().message;
  }
  ASSERT_TRUE(restricted) << restricted.error().message;
  EXPECT_GT((*run)->shell_results().size(), 50U);
  EXPECT_THAT(LinesOf((*restricted)->shell_results()),
              testing::ElementsAreArray(LinesOf((*run)->shell_results())));
}

TEST_F(KconfigOracleTest, BuildFilesAreEqual) {
  Tally tally;
  CompareSync(Load("x86_64"), tally);
  Expect(tally);
}

TEST_F(KconfigOracleTest, TheKernelsOwnTestCasesPassThroughOurCommand) {
  const auto cases = RunKernelCases(oracle_.tree, HONE_PROGRAM, "linux-6.1");
  if (!cases && cases.error().code == Errc::kUnsupported) GTEST_SKIP() << cases.error().message;
  ASSERT_TRUE(cases) << cases.error().message;
  EXPECT_TRUE(cases->failed.empty()) << cases->output;
  EXPECT_GE(cases->passed.size(), 17U);
}

}  // namespace
}  // namespace hone::kconfig
