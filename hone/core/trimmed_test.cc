// SPDX-License-Identifier: Apache-2.0
#include "hone/core/trimmed.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(TrimmedTest, BlanksGoAtBothEndsAndStayInside) {
  EXPECT_EQ(Trimmed(" \t one  two\r\n\v\f"), "one  two");
  EXPECT_EQ(Trimmed("one"), "one");
  EXPECT_EQ(Trimmed(" \n\t "), "");
  EXPECT_EQ(Trimmed(""), "");
}

}  // namespace
}  // namespace hone
