// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "hone/base/file.h"
#include "tests/fuzz/kconfig_inputs.h"

namespace hone::kconfig {
namespace {

// Every kept input, those that broke something once among them. A fault aborts: the last line of
// the output names the input.
void Replay(const char* name, void (*entry)(std::string_view input)) {
  const auto folder = std::filesystem::path(HONE_SOURCE_DIR) / "tests/fuzz/corpus" / name;
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const auto input = ReadFile(file.path());
    ASSERT_TRUE(input) << input.error().message;
    fmt::print("{}\n", file.path().string());
    std::fflush(stdout);
    entry(*input);
    ++count;
  }
  EXPECT_GT(count, 1) << "nothing in " << folder;
}

TEST(KconfigCorpusTest, ParserKeepsItsPromises) { Replay("kconfig_parser", FuzzParser); }
TEST(KconfigCorpusTest, MacrosKeepTheirPromises) { Replay("kconfig_macros", FuzzMacros); }
TEST(KconfigCorpusTest, ConfigReaderKeepsItsPromises) { Replay("kconfig_config", FuzzConfig); }

}  // namespace
}  // namespace hone::kconfig
