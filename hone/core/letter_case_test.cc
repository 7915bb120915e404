// SPDX-License-Identifier: Apache-2.0
#include "hone/core/letter_case.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(LowerCaseTest, MakesLettersOfAsciiSmallAndLeavesTheRest) {
  EXPECT_EQ(LowerCase("Content-TYPE [\\]^ 1"), "content-type [\\]^ 1");
  EXPECT_EQ(LowerCase("ÄZ"), "Äz");
}

}  // namespace
}  // namespace hone
