// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/spending_file.h"

#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

class SpendingFileTest : public testing::Test {
 protected:
  std::filesystem::path Path() const { return folder_.path() / "log.jsonl.spent"; }

  TempDir folder_ = *TempDir::Make("spending_file_test");
};

TEST_F(SpendingFileTest, TheLastSumIsWhatWasSpent) {
  {
    auto file = SpendingFile::Open(Path());
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->spent(), ChatSpending{});
    ASSERT_TRUE(file->Note({.tokens = 900, .money = Money{50}}));
    ASSERT_TRUE(file->Note({.tokens = 70, .money = Money{4}}));
    EXPECT_FALSE(SpendingFile::Open(Path()));  // One process at a time.
  }
  const auto again = SpendingFile::Open(Path());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->spent(), (ChatSpending{.tokens = 70, .money = Money{4}}));
}

TEST_F(SpendingFileTest, WhatIsDamagedIsAnErrorAndNotZero) {
  ASSERT_TRUE(WriteFileAtomically(Path(), "{\"kind\":\"spent\",\"tokens\":\"many\"}\n"));
  EXPECT_FALSE(SpendingFile::Open(Path()));
  ASSERT_TRUE(WriteFileAtomically(Path(), "{\"kind\":\"attempt\"}\n"));
  EXPECT_FALSE(SpendingFile::Open(Path()));
}

}  // namespace
}  // namespace hone::agent
