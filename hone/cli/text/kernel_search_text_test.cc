// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/kernel_search_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::cli {
namespace {

using agent::KernelAttempt;
using agent::KernelProof;
using agent::KernelSearchResult;
using agent::KernelVerdict;
using agent::Speedup;
using testing::HasSubstr;

const KernelAttempt kFirstKernel{
    .number = 0, .source = "a", .verdict = {.speedup = Speedup{2, 1.9, 2.1}}};
const KernelAttempt kSecondKernel{
    .number = 1, .parents = {0}, .source = "b", .verdict = {.speedup = Speedup{3, 2.9, 3.1}}};

KernelSearchResult TwoAttempts() { return {.attempts = {kFirstKernel, kSecondKernel}}; }

TEST(KernelSearchTextTest, ABestThatCouldNotBeJudgedAgainIsToldAsNotProven) {
  const KernelProof proof{.winner = kSecondKernel, .why_not = "stopped before the verdict"};
  EXPECT_EQ(ProofText("sum", TwoAttempts(), proof),
            "sum: not proven: stopped before the verdict.\n"
            "  attempt 1 of 2; the search saw 3x [95 %: 2.9, 3.1]\n"
            "  lineage: 0 (accepted 2x), 1 (accepted 3x)\n");
  const Json winner = ProofJson(TwoAttempts(), proof)["winner"];
  EXPECT_EQ(winner["source"], "b");
  EXPECT_EQ(winner["not_proven"], "stopped before the verdict");
  EXPECT_TRUE(winner["proven"].is_null());
  EXPECT_EQ(winner["is_gain"], false);
  EXPECT_EQ(ExitCodeOf(TwoAttempts(), proof), ExitCode::kNotEnough);
}

TEST(KernelSearchTextTest, WhatFellBeforeTheWinnerIsTold) {
  const KernelProof proof{
      .winner = kFirstKernel,
      .fresh = KernelVerdict{.speedup = Speedup{1.8, 1.7, 1.9}},
      .fallen = {{kSecondKernel, {.outcome = Outcome::kWrong, .feedback = "element 7"}}}};
  EXPECT_EQ(ProofText("sum", TwoAttempts(), proof),
            "sum: faster, 1.8x [95 %: 1.7, 1.9] on fresh runs.\n"
            "  attempt 0 of 2; the search saw 2x [95 %: 1.9, 2.1]\n"
            "  lineage: 0 (accepted 2x)\n"
            "  attempt 1, of which the search saw 3x [95 %: 2.9, 3.1], was wrong when it was "
            "judged again\n");
  const Json fallen = ProofJson(TwoAttempts(), proof)["fallen"];
  ASSERT_EQ(fallen.size(), 1U);
  EXPECT_EQ(fallen[0], (Json{{"number", 1}, {"outcome", "wrong"}, {"feedback", "element 7"}}));
  EXPECT_EQ(ExitCodeOf(TwoAttempts(), proof), ExitCode::kYes);
}

TEST(KernelSearchTextTest, WithoutAWinnerTheAnswerIsNoUnlessItWasCutShort) {
  KernelSearchResult result;
  EXPECT_EQ(ProofText("sum", result, {}), "sum: none of 0 attempts was accepted.\n");
  EXPECT_EQ(ExitCodeOf(result, {}), ExitCode::kNo);
  result.is_cut_short = true;
  EXPECT_EQ(ExitCodeOf(result, {}), ExitCode::kNotEnough);
  EXPECT_TRUE(ProofJson(result, {})["winner"].is_null());
}

TEST(KernelSearchTextTest, ABenchSaysWhatIsMissingInItAndWhatItCost) {
  BenchReport report{.scores = agent::ScoresOf({{kFirstKernel}}, {1}), .spent = {.tokens = 70}};
  EXPECT_EQ(ExitCodeOf(report), ExitCode::kYes);
  report.notes = {"sum: attempt 1 was lost: no endpoint"};
  report.failed = {{"dot", "no endpoint"}};
  EXPECT_EQ(ExitCodeOf(report), ExitCode::kNotEnough);
  const std::string text = BenchText(report);
  EXPECT_THAT(text, HasSubstr("note: sum: attempt 1 was lost: no endpoint\n"));
  EXPECT_THAT(text, HasSubstr("dot is not in it: no endpoint\n"));
  const Json json = BenchJson(report);
  EXPECT_EQ(json["attempts"], 1);
  EXPECT_EQ(json["failed"][0]["problem"], "dot");
  EXPECT_EQ(json["notes"].size(), 1U);
  EXPECT_EQ(json["is_cut_short"], false);
  EXPECT_EQ(json["spent"]["tokens"], 70);
  report = {.is_cut_short = true};
  EXPECT_EQ(ExitCodeOf(report), ExitCode::kNotEnough);
  EXPECT_THAT(BenchText(report), HasSubstr("the same command goes on"));
}

}  // namespace
}  // namespace hone::cli
