// SPDX-License-Identifier: Apache-2.0
#include "hone/report/html_text.h"

#include <gtest/gtest.h>

#include <string_view>

namespace hone::report {
namespace {

TEST(HtmlTextTest, MarkupAndBrokenBytesAreDisarmed) {
  EXPECT_EQ(Escape("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
  EXPECT_EQ(Escape("größer ≥ 🙂\n"), "größer ≥ 🙂\n");
  EXPECT_EQ(Escape(std::string_view("a\0b\x7f\x1b", 5)), "a\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(Escape("\xC0\xAF\xED\xA0\x80\xE2\x82"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(HtmlTextTest, ShorteningKeepsCharactersWhole) {
  EXPECT_EQ(Shorten("größer", 10), "größer");
  EXPECT_EQ(Shorten("größer", 6), "größer");
  EXPECT_EQ(Shorten("größer", 3), "grö…");
  EXPECT_EQ(Shorten("\xFF\xFF\xFF", 2), "\xFF\xFF…");
}

}  // namespace
}  // namespace hone::report
