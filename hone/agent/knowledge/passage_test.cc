// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/passage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::agent {
namespace {

using ::testing::HasSubstr;

TEST(PassageTest, WhatATerminalWouldObeyBecomesText) {
  EXPECT_EQ(CleanText("a\x1b[0m\tb\r\n\x7f"), "a\\x1b[0m\tb\n\\x7f");
  EXPECT_EQ(CleanText("\xc2\x9b"), "\\x9b");                  // CSI as one character.
  EXPECT_EQ(CleanText("\xe2\x80\xae rtl"), "\\u{202e} rtl");  // Turns the line round.
  EXPECT_EQ(CleanText("\xff ok \xc3"), "\\xff ok \\xc3");
  EXPECT_EQ(CleanText("Grüße … 𝕏"), "Grüße … 𝕏");
}

TEST(PassageTest, ALongTextIsCutAndSaysSo) {
  const std::string text = CleanText(std::string(1'000, 'x'), 100);
  EXPECT_LT(text.size(), 140U);
  EXPECT_THAT(text, HasSubstr("900 more bytes"));
}

}  // namespace
}  // namespace hone::agent
