// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/probes/probe.h"

namespace hone::sysctl {
namespace {

Options InFolder(const TempDir& folder, const std::string& seed = "1") {
  return {{"file", folder.path() / "burst"}, {"mib", "4"}, {"block_kib", "16"}, {"seed", seed}};
}

TEST(WriteBurstProbeTest, WritesTheWholeFileAndTellsRateAndStall) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder);
  const auto readings = RunProbe(**FindProbe("write-burst"), InFolder(*folder), {});
  ASSERT_TRUE(readings) << readings.error().message;
  ASSERT_EQ(readings->size(), 2);
  EXPECT_EQ((*readings)[0].name, "mib_per_s");
  EXPECT_GT((*readings)[0].value, 0);
  EXPECT_EQ((*readings)[1].name, "fsync_ms");
  EXPECT_GE((*readings)[1].value, 0);
  EXPECT_EQ(std::filesystem::file_size(folder->path() / "burst"), 4U << 20);
}

TEST(WriteBurstProbeTest, WhatIsWrittenDependsOnTheSeedAlone) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder);
  const auto written = [&](const std::string& seed) {
    EXPECT_TRUE(RunProbe(**FindProbe("write-burst"), InFolder(*folder, seed), {}));
    return *ReadFile(folder->path() / "burst");
  };
  const std::string one = written("1");
  const std::string two = written("2");
  EXPECT_NE(one, two);
  EXPECT_EQ(written("1"), one);
}

TEST(WriteBurstProbeTest, AFolderThatIsNotThereIsAnErrorThatNamesTheFile) {
  const auto readings =
      RunProbe(**FindProbe("write-burst"), {{"file", "/no/such/folder/burst"}}, {});
  ASSERT_FALSE(readings);
  EXPECT_THAT(readings.error().message, testing::HasSubstr("/no/such/folder/burst"));
}

}  // namespace
}  // namespace hone::sysctl
