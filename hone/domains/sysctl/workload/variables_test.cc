// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::sysctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::map<std::string, std::string> kValues{{"port", "80"}, {"folder", "/tmp/x"}};

TEST(VariablesTest, NamesInBracesAreFilledIn) {
  EXPECT_EQ(Expand("{folder}/a:{port}{port}", kValues), "/tmp/x/a:8080");
  EXPECT_THAT(VariablesIn("{folder}/a:{port}{port}"), ElementsAre("folder", "port", "port"));
}

TEST(VariablesTest, WhatIsNotANameIsLeftAlone) {
  for (const char* text : {"", "{", "{}", "{ port }", "{Port}", "{\"a\": 1}", "{1}", "${port}"}) {
    EXPECT_EQ(Expand(text, kValues), text);
    EXPECT_THAT(VariablesIn(text), IsEmpty());
  }
}

TEST(VariablesTest, DoubledBracesStandForTheText) {
  EXPECT_EQ(Expand("awk '{{print}}' {port}", kValues), "awk '{print}' 80");
  EXPECT_EQ(Expand("{{port}", kValues), "{80");
  EXPECT_EQ(Expand("{port}}", kValues), "80}");
}

TEST(VariablesTest, WhatIsEscapedExpandsToItself) {
  for (const char* text :
       {"awk '{print}'", "{{print}}", "{{{a}}}", "${x} {y}", "{a", "{{b}", "{c}}", "no braces",
        "{a}{b}",
        // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one text in two lines.
        "$"
        "{{c}}"}) {
    EXPECT_EQ(Expand(Escape(text), {}), text);
  }
}

}  // namespace
}  // namespace hone::sysctl
