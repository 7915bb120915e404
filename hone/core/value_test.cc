// SPDX-License-Identifier: Apache-2.0
#include "hone/core/value.h"

#include <gtest/gtest.h>

#include "hone/core/candidate.h"
#include "hone/core/evaluation.h"

namespace hone {
namespace {

TEST(ValueTest, TextIsTheShortestThatReadsBack) {
  EXPECT_EQ(ToText(Value{true}), "true");
  EXPECT_EQ(ToText(Value{std::int64_t{-3}}), "-3");
  EXPECT_EQ(ToText(Value{0.1}), "0.1");
  EXPECT_EQ(ToText(Value{std::string("cubic")}), "cubic");
  EXPECT_EQ(ToText(Value{std::vector<std::int64_t>{4096, 87380}}), "4096 87380");
}

TEST(ValueTest, AssignmentTextIsInNameOrder) {
  EXPECT_EQ(ToText(Assignment{{"b", std::int64_t{2}}, {"a", true}}), "a=true b=2");
}

TEST(CandidateTest, DigestTellsSourceFromAssignment) {
  const Candidate assigned{{{"a", std::int64_t{1}}}, ""};
  const Candidate sourced{{}, "a=1"};
  EXPECT_NE(DigestOf(assigned), DigestOf(sourced));
  EXPECT_EQ(DigestOf(assigned), DigestOf(Candidate{assigned}));
}

TEST(CandidateTest, ChangeNamesOnlyWhatDiffers) {
  const Candidate baseline{{{"a", std::int64_t{1}}, {"b", std::int64_t{2}}}, ""};
  Candidate candidate = baseline;
  EXPECT_EQ(DescribeChange(baseline, candidate), "no change");
  candidate.assignment["b"] = std::int64_t{3};
  candidate.source = "int main() {}";
  EXPECT_EQ(DescribeChange(baseline, candidate), "b=3 source changed");
}

TEST(OutcomeTest, EveryNameReadsBack) {
  for (int i = 0; i <= static_cast<int>(Outcome::kCheated); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    EXPECT_EQ(OutcomeNamed(NameOf(outcome)).value(), outcome);
  }
  EXPECT_FALSE(OutcomeNamed("great"));
}

TEST(CapabilitiesTest, CoverMeansEveryNameAndEnoughMemory) {
  const Capabilities has{{"cpp", "root"}, 1024};
  EXPECT_TRUE(has.Cover({{"cpp"}, 512}));
  EXPECT_TRUE(has.Cover({}));
  EXPECT_FALSE(has.Cover({{"gpu"}, 0}));
  EXPECT_FALSE(has.Cover({{"cpp"}, 2048}));
}

}  // namespace
}  // namespace hone
