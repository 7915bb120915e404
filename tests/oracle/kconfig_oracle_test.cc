// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "hone/base/file.h"
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

TEST_F(KconfigOracleTest, BuildFilesAreEqual) {
  Tally tally;
  CompareSync(Load("x86_64"), tally);
  Expect(tally);
}

// The suite types without end until the program has ended. A program that takes its time and reads
// nothing would fill the pipe and then break it, so what it does not take is read away.
constexpr const char* kPatientConf = R"(#!/bin/bash
exec )" HONE_SOURCE_DIR R"(/scripts/hone-conf "$@" < <(
  exec 2> /dev/null
  head -c 60000
  exec cat > /dev/null
)
)";

TEST_F(KconfigOracleTest, TheKernelsOwnTestCasesPassThroughOurCommand) {
  const auto folder = TempDir::Make("cases");
  ASSERT_TRUE(folder);
  namespace fs = std::filesystem;
  fs::copy(oracle_.tree / "scripts/kconfig/tests", folder->path() / "tests",
           fs::copy_options::recursive);
  fs::create_directories(folder->path() / "scripts/kconfig");
  const fs::path conf = folder->path() / "scripts/kconfig/conf";
  std::ofstream(conf) << kPatientConf;
  fs::permissions(conf, fs::perms::owner_all);
  Command command;
  command.arguments = {"/usr/bin/python3", "-m", "pytest",           "-rA",  "--tb=short", "-p",
                       "no:cacheprovider", "-c", "tests/pytest.ini", "tests"};
  command.folder = folder->path();
  command.limit = std::chrono::minutes(2);
  command.environment = {{"PATH", std::getenv("PATH")},
                         {"HOME", folder->path().string()},
                         {"HONE", HONE_PROGRAM},
                         {"HONE_KCONFIG_FLAGS", "--dialect linux-6.1"}};
  const auto result = RunProcess(command);
  ASSERT_TRUE(result) << result.error().message;
  if (result->errors.find("No module named pytest") != std::string::npos) {
    GTEST_SKIP() << "needs python3-pytest";
  }
  std::size_t passed = 0;
  for (std::size_t at = 0; at < result->output.size();) {
    const std::size_t end = std::min(result->output.find('\n', at), result->output.size());
    const std::string line = result->output.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("PASSED ") || line.starts_with("FAILED ") || line.starts_with("ERROR ")) {
      std::cout << line << "\n";
    }
    if (line.starts_with("PASSED ")) ++passed;
  }
  EXPECT_EQ(result->status, 0) << result->output;
  EXPECT_GE(passed, 17U);
}

}  // namespace
}  // namespace hone::kconfig
