// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/sha256.h"
#include "hone/domains/compute/compute_options.h"

namespace hone::compute {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Asked(const std::string& option, const std::string& value) {
  return DeviationsIn({{"problem", "saxpy"}, {option, value}});
}

TEST(JudgeTermsTest, WhatCouldHelpACandidateIsADeviation) {
  EXPECT_THAT(Asked("trials", "1"), ElementsAre("trials=1 (5 or more is standard)"));
  EXPECT_THAT(Asked("samples", "0"), ElementsAre("samples=0 (100 or more is standard)"));
  EXPECT_THAT(Asked("precision", "1"), ElementsAre("precision=1 (0.01 or less is standard)"));
  EXPECT_THAT(Asked("timing_budget_ms", "1"), ElementsAre(HasSubstr("200 or more")));
  EXPECT_THAT(Asked("warmup", "0"), ElementsAre("warmup=0 (3 is standard)"));
  EXPECT_THAT(Asked("cache", "cold"), ElementsAre("cache=cold (fresh is standard)"));
  EXPECT_THAT(Asked("sanitize", "never"),
              ElementsAre("sanitize=never (records or always is standard)"));
  EXPECT_THAT(Asked("inputs", "seeded"), ElementsAre("inputs=seeded (fresh is standard)"));
  EXPECT_THAT(Asked("policy", R"({"libraries": true})"),
              ElementsAre("policy: another one than the problem's"));
}

TEST(JudgeTermsTest, WhatOnlyMakesItStricterIsNone) {
  const Options strict{{"problem", "saxpy"},        {"trials", "50"},   {"samples", "1000"},
                       {"precision", "0.001"},      {"others", "wait"}, {"sanitize", "always"},
                       {"timing_budget_ms", "2000"}};
  EXPECT_THAT(DeviationsIn(strict), IsEmpty());
  ASSERT_TRUE(ReadComputeOptions(strict));
}

TEST(JudgeTermsTest, WhatIsNoNumberIsNotStricter) {
  for (const std::string value : {"", "many", "nan", "50x", " 50"}) {
    EXPECT_FALSE(Asked("trials", value).empty()) << value;
  }
}

// Else a new option would soften problems until somebody thinks of it.
TEST(JudgeTermsTest, EveryOptionHasItsDefaultOrIsADeviationOrStricter) {
  for (const OptionFacts& facts : ComputeOptionFacts()) {
    if (facts.name == "problem" || facts.name == "problem_text") continue;
    EXPECT_THAT(Asked(facts.name, facts.default_value), IsEmpty()) << facts.name;
    EXPECT_FALSE(Asked(facts.name, "another").empty()) << facts.name;
  }
}

TEST(JudgeTermsTest, AProblemThatWasSentIsItsSenders) {
  const Problem saxpy = FindProblem("saxpy").value();
  const Options options{{"problem_text", saxpy.text}, {"trials", "1"}};
  const auto read = ReadComputeOptions(options);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->terms.problem, "");
  EXPECT_EQ(read->terms.digest, Sha256Of(saxpy.text)) << "who knows the problem can tell it";
  EXPECT_THAT(read->terms.deviations, IsEmpty());
}

TEST(JudgeTermsTest, TheDigestIsOfTheProblemAsItWasJudged) {
  const auto named = ReadComputeOptions({{"problem", "saxpy"}});
  const auto eased = ReadComputeOptions({{"problem", "saxpy"}, {"policy", R"({"threads": 2})"}});
  ASSERT_TRUE(named && eased);
  EXPECT_EQ(named->terms.digest, Sha256Of(FindProblem("saxpy")->text));
  EXPECT_NE(eased->terms.digest, named->terms.digest);
}

}  // namespace
}  // namespace hone::compute
