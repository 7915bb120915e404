// SPDX-License-Identifier: Apache-2.0
// What a whole evaluation tells whoever wrote the kernel. GPU kernels: on the simulated GPU.
#include "hone/domains/compute/judge/feedback_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "hone/base/json/evidence_json.h"
#include "hone/domains/compute/judge/feedback.h"
#include "hone/domains/compute/judged_for_test.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {
namespace {

const bool kFeedbackGpuIsSimulated = ::setenv("HONE_CUDA", HONE_SIMULATED_GPU, 1) == 0;

Json FeedbackIn(const RunResult& result) { return FindJsonEvidence(result.evidence, "feedback"); }

TEST(FeedbackSessionTest, ASourceThatDoesNotCompileHasTheCompilersWords) {
  const Json feedback = FeedbackIn(Judged("saxpy", "void kernel() { no_such_thing(); }"));
  ASSERT_TRUE(feedback.is_object());
  EXPECT_EQ(feedback["outcome"], "build_failed");
  EXPECT_THAT(feedback["text"].get<std::string>(), ::testing::HasSubstr("error"));
}

TEST(FeedbackSessionTest, AnAcceptedKernelIsHeldAgainstTheMachine) {
  const std::string reference = FindProblem("saxpy")->reference;
  const RunResult result = Judged(JudgeOrder{"saxpy", reference, {{"timing_budget_ms", "50"}}});
  ASSERT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  const Json feedback = FeedbackIn(result);
  ASSERT_TRUE(feedback.contains("bound")) << feedback.dump();
  EXPECT_EQ(feedback["bound"]["side"], "memory");
  EXPECT_GT(feedback["bound"]["share_of_bandwidth"], 0);
  EXPECT_GT(feedback["time"]["ns"], 0);
  EXPECT_LE(feedback["text"].get<std::string>().size(), kMaxFeedbackText);
}

TEST(FeedbackSessionTest, OfAGpuKernelTheDriverSaysWhatItTakes) {
  const Problem problem = FindProblem("gpu_saxpy").value();
  Json text = ParseJson(problem.text, "problem").value();
  text["shapes"] = Json::array({{{"n", 1000}}});
  const RunResult result =
      Judged(JudgeOrder{"", problem.reference, {{"problem_text", Dump(text)}, {"samples", "0"}}});
  ASSERT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  const Json feedback = FeedbackIn(result);
  ASSERT_EQ(feedback["kernels"].size(), 1U) << feedback.dump();
  const Json& launch = feedback["kernels"][0];
  EXPECT_EQ(launch["kernel"], "saxpy");
  EXPECT_EQ(launch["grid"], Json::array({4, 1, 1}));
  EXPECT_EQ(launch["block"], Json::array({256, 1, 1}));
  EXPECT_EQ(launch["registers"], 24);
  EXPECT_EQ(launch["max_threads"], 1024);
  EXPECT_EQ(launch["blocks_at_once"], 8);
  EXPECT_EQ(launch["occupancy"], 1);
  EXPECT_EQ(launch["waves"], 4 / (8.0 * 4));
  EXPECT_EQ(feedback["launching"]["launches"], 1);
}

}  // namespace
}  // namespace hone::compute
