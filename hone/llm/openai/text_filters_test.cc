// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/openai/text_filters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hone::llm {
namespace {

// What is shown of a text that comes in pieces of every size.
template <typename Filter>
std::string Shown(Filter& filter, const std::string& text, std::size_t size) {
  std::string shown;
  for (std::size_t at = 0; at < text.size(); at += size) shown += filter.Add(text.substr(at, size));
  return shown + filter.Finish();
}

TEST(StopFilterTest, EndsAtTheFirstWordHoweverTheTextComes) {
  for (std::size_t size = 1; size < 20; ++size) {
    StopFilter filter({"END", "\n\n"});
    EXPECT_EQ(Shown(filter, "one EN two\n END three\n\n", size), "one EN two\n ") << size;
    EXPECT_TRUE(filter.has_stopped());
  }
}

TEST(StopFilterTest, GivesBackWhatWasNoWord) {
  for (std::size_t size = 1; size < 8; ++size) {
    StopFilter filter({"END"});
    EXPECT_EQ(Shown(filter, "EENEN", size), "EENEN") << size;
    EXPECT_FALSE(filter.has_stopped());
  }
}

TEST(StopFilterTest, ShowsAtOnceWhatCannotBeAWord) {
  StopFilter filter({"END"});
  EXPECT_EQ(filter.Add("one E"), "one ");
  EXPECT_EQ(filter.Add("x"), "Ex");
}

TEST(ToolFilterTest, FindsQwensCalls) {
  const std::string text =
      "Look:\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"b\": 1, \"a\": 2}}\n</tool_call>\n"
      "<tool_call>{\"name\":\"g\",\"arguments\":\"{}\"}</tool_call>";
  for (std::size_t size = 1; size < 30; ++size) {
    ToolFilter filter(true);
    EXPECT_EQ(Shown(filter, text, size), "Look:\n") << size;
    ASSERT_EQ(filter.calls().size(), 2U);
    EXPECT_EQ(filter.calls()[0].name, "f");
    EXPECT_EQ(filter.calls()[0].arguments, "{\"b\":1,\"a\":2}") << "in the order of the model";
    EXPECT_EQ(filter.calls()[1].arguments, "{}");
  }
}

TEST(ToolFilterTest, FindsLlamasCall) {
  ToolFilter filter(true);
  EXPECT_EQ(Shown(filter, "\n{\"name\": \"f\", \"parameters\": {}}", 3), "");
  ASSERT_EQ(filter.calls().size(), 1U);
  EXPECT_EQ(filter.calls()[0].name, "f");
}

TEST(ToolFilterTest, WhatDoesNotParseStaysText) {
  for (const std::string text :
       {"{\"name\": 1}", "{ not JSON", "<tool_call>{\"name\": \"f\"}</tool_call>",
        "a <tool_call> b", "a < b <tool", "  "}) {
    ToolFilter filter(true);
    EXPECT_EQ(Shown(filter, text, 2), text);
    EXPECT_TRUE(filter.calls().empty());
  }
}

TEST(ToolFilterTest, WithoutToolsEverythingIsText) {
  const std::string text = "<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>";
  ToolFilter filter(false);
  EXPECT_EQ(Shown(filter, text, 4), text);
}

TEST(ToolFilterTest, TheLastCallNeedsNoEnd) {
  ToolFilter filter(true);
  EXPECT_EQ(Shown(filter, "<tool_call>\n{\"name\":\"g\",\"arguments\":{}}", 5), "");
  EXPECT_EQ(filter.calls().size(), 1U);
}

}  // namespace
}  // namespace hone::llm
