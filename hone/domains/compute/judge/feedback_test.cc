// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/feedback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hone/base/json/evidence_json.h"

namespace hone::compute {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A memory of 100 bytes a ns and arithmetic of 1000 a ns.
Roofline RooflineFor(double bytes, double operations) { return {bytes, operations, {100, 1000}}; }

RunResult Timed(double ns) {
  const Json times = {{"candidate", {{"median_ns", ns}, {"times_ns", {ns}}}},
                      {"reference", {{"median_ns", 3 * ns}, {"times_ns", {3 * ns}}}},
                      {"speedup", 3.0},
                      {"speedup_interval", {2.9, 3.1}},
                      {"round_trip_ns", 5000.0}};
  RunResult result;
  result.evidence = {MakeJsonEvidence("times", times)};
  return result;
}

RunResult Failed(Outcome outcome, const std::string& reason, const std::string& what,
                 const std::string& text) {
  RunResult result;
  result.outcome = outcome;
  result.reason = reason;
  result.evidence = {{what, text}};
  return result;
}

const JudgeTerms kByName{"saxpy", "0123456789abcdef0123", {}};

std::string TextIn(const Json& feedback) { return feedback["text"]; }

LaunchFacts LaunchOf(const std::string& kernel) {
  LaunchFacts launch;
  launch.kernel = kernel;
  launch.grid = {264, 1, 1};
  launch.block = {256, 1, 1};
  launch.registers = 40;
  launch.shared_bytes = 1024;
  launch.max_threads = 1024;
  launch.blocks_at_once = 4;
  launch.threads_at_once = 2048;
  launch.multiprocessors = 132;
  return launch;
}

TEST(FeedbackTest, TimeIsHeldAgainstWhatTheMachineCanDo) {
  const Json feedback = FeedbackOf(Timed(1000), RooflineFor(25'000, 50'000), true, kByName);
  EXPECT_EQ(feedback["bound"]["side"], "memory");
  EXPECT_DOUBLE_EQ(feedback["bound"]["share_of_bandwidth"], 0.25);
  EXPECT_DOUBLE_EQ(feedback["bound"]["share_of_arithmetic"], 0.05);
  EXPECT_DOUBLE_EQ(feedback["bound"]["floor_ns"], 250);
  EXPECT_THAT(TextIn(feedback), HasSubstr("3 times as fast (95 %: 2.9 to 3.1)"));
  EXPECT_THAT(TextIn(feedback), HasSubstr("Bound by memory"));
  EXPECT_THAT(TextIn(feedback), HasSubstr("25 GB/s, 25 % of"));
}

TEST(FeedbackTest, ASpeedupWithoutAnIntervalIsSaidToBeKnownBadly) {
  RunResult result = Timed(1000);
  Json times = FindJsonEvidence(result.evidence, "times");
  times["speedup_interval"] = nullptr;
  result.evidence = {MakeJsonEvidence("times", times)};
  const Json feedback = FeedbackOf(result, RooflineFor(1000, 1000), false, kByName);
  EXPECT_TRUE(feedback["time"]["speedup_interval"].is_null());
  EXPECT_THAT(TextIn(feedback), HasSubstr("3 times as fast (too few calls to say"));
}

TEST(FeedbackTest, TheSideIsTheOneThatTakesLonger) {
  const Json feedback = FeedbackOf(Timed(1000), RooflineFor(1000, 500'000), false, kByName);
  EXPECT_EQ(feedback["bound"]["side"], "arithmetic");
  EXPECT_THAT(TextIn(feedback), HasSubstr("500 Gop/s, 50 % of"));
}

TEST(FeedbackTest, WhereNothingIsDeclaredNoBoundIsTold) {
  const Json feedback = FeedbackOf(Timed(1000), RooflineFor(0, 0), true, kByName);
  EXPECT_FALSE(feedback.contains("bound"));
  EXPECT_DOUBLE_EQ(feedback["time"]["ns"], 1000);
}

TEST(FeedbackTest, WhereThePeakIsNotKnownNoBoundIsTold) {
  EXPECT_FALSE(FeedbackOf(Timed(1000), {1000, 1000, {}}, true, kByName).contains("bound"));
}

TEST(FeedbackTest, EveryFigureSaysWhereItComesFrom) {
  RunResult result = Timed(1000);
  result.evidence.push_back(MakeJsonEvidence("kernels", LaunchesJson({LaunchOf("a")})));
  result.evidence.push_back({"machine", "it was slow"});
  const Json feedback = FeedbackOf(result, RooflineFor(1000, 1000), true, kByName);
  for (const char* member : {"time", "bound", "launching", "machine"}) {
    EXPECT_NE(feedback[member].value("source", ""), "") << member;
  }
  EXPECT_NE(feedback["kernels"][0].value("source", ""), "");
}

TEST(FeedbackTest, OfALaunchOccupancyAndWavesFollow) {
  const Json launch = LaunchesJson({LaunchOf("add")})["launches"][0];
  EXPECT_DOUBLE_EQ(launch["occupancy"], 0.5);
  EXPECT_DOUBLE_EQ(launch["waves"], 0.5);
  EXPECT_EQ(launch["registers"], 40);
}

TEST(FeedbackTest, WhatTheDriverDoesNotSayIsNull) {
  LaunchFacts unknown = LaunchOf("add");
  unknown.blocks_at_once = 0;
  const Json launch = LaunchesJson({unknown})["launches"][0];
  EXPECT_TRUE(launch["occupancy"].is_null());
  EXPECT_TRUE(launch["waves"].is_null());
}

TEST(FeedbackTest, SpillsAreNamed) {
  LaunchFacts spills = LaunchOf("add");
  spills.local_bytes = 64;
  RunResult result = Timed(1000);
  result.evidence.push_back(MakeJsonEvidence("kernels", LaunchesJson({spills})));
  EXPECT_THAT(TextIn(FeedbackOf(result, {}, true, kByName)), HasSubstr("spills"));
  result.evidence.back() = MakeJsonEvidence("kernels", LaunchesJson({LaunchOf("add")}));
  EXPECT_THAT(TextIn(FeedbackOf(result, {}, true, kByName)), Not(HasSubstr("spills")));
}

TEST(FeedbackTest, ABuildThatFailedTellsWhatTheCompilerSaid) {
  const Json feedback = FeedbackOf(Failed(Outcome::kBuildFailed, "the source does not compile",
                                          "compiler output", "k.cu(3): error: no such thing\n"),
                                   {}, true, kByName);
  EXPECT_EQ(feedback["outcome"], "build_failed");
  EXPECT_EQ(feedback["compiler"]["text"], "k.cu(3): error: no such thing\n");
  EXPECT_THAT(TextIn(feedback), HasSubstr("k.cu(3): error: no such thing"));
  EXPECT_FALSE(feedback.contains("time"));
}

TEST(FeedbackTest, TheFirstErrorIsShownBeforeManyWarnings) {
  std::string words;
  for (int i = 0; i < 300; ++i) words += "k.cu(1): warning: of no interest\n";
  words += "k.cu(9): error: this one\n";
  const Json feedback = FeedbackOf(
      Failed(Outcome::kBuildFailed, "the source does not compile", "compiler output", words), {},
      true, kByName);
  EXPECT_THAT(TextIn(feedback), HasSubstr("k.cu(9): error: this one"));
}

TEST(FeedbackTest, AWrongOneTellsTheFirstDifferenceOnce) {
  const Json feedback =
      FeedbackOf(Failed(Outcome::kWrong, "the output is wrong: out[3]: expected 1, found 2",
                        "difference", "out[3]: expected 1, found 2\n7 of 9 elements of out differ"),
                 {}, false, kByName);
  const std::string text = TextIn(feedback);
  EXPECT_THAT(text, HasSubstr("7 of 9 elements of out differ"));
  EXPECT_EQ(text.find("out[3]"), text.rfind("out[3]"));
}

TEST(FeedbackTest, TheTermsAreSaidUnlessTheyAreTheProblemsOwn) {
  const RunResult result = Timed(1000);
  const Json standard = FeedbackOf(result, {}, false, kByName);
  EXPECT_EQ(standard["terms"]["problem"], "saxpy");
  EXPECT_TRUE(standard["terms"]["deviations"].empty());
  EXPECT_THAT(TextIn(standard), Not(HasSubstr("standard verdict")));

  const Json eased = FeedbackOf(result, {}, false, {"saxpy", "01", {"trials=1", "cache=cold"}});
  EXPECT_EQ(eased["terms"]["deviations"], Json::array({"trials=1", "cache=cold"}));
  EXPECT_THAT(TextIn(eased), HasSubstr("Not the standard verdict on saxpy: trials=1; cache=cold."));

  const Json own = FeedbackOf(result, {}, false, {"", "0123456789abcdef0123", {}});
  EXPECT_TRUE(own["terms"]["problem"].is_null());
  EXPECT_EQ(own["terms"]["digest"], "0123456789abcdef0123");
  EXPECT_THAT(TextIn(own), HasSubstr("sent with the kernel (SHA-256 0123456789abcdef)"));
}

// A time would say that a kernel which does not count is worth improving.
TEST(FeedbackTest, WhatIsNotAcceptedHasNoTime) {
  RunResult result = Timed(1000);
  result.outcome = Outcome::kCheated;
  EXPECT_FALSE(FeedbackOf(result, RooflineFor(1000, 1000), true, kByName).contains("time"));
}

TEST(FeedbackTest, TheTextHasItsLimitAndWholeCharacters) {
  std::string long_words;
  for (int i = 0; i < 5000; ++i) long_words += "ä";
  RunResult result = Failed(Outcome::kCrashed, long_words, "exception", "x " + long_words);
  result.evidence.push_back({"machine", "y" + long_words});
  std::vector<LaunchFacts> launches;
  for (int i = 0; i < 20; ++i) launches.push_back(LaunchOf(std::string(1000, 'k')));
  result.evidence.push_back(MakeJsonEvidence("kernels", LaunchesJson(launches)));
  const std::string text = TextIn(FeedbackOf(result, {}, true, kByName));
  EXPECT_LE(text.size(), kMaxFeedbackText);
  EXPECT_GT(text.size(), kMaxFeedbackText / 2);
  EXPECT_NO_THROW(static_cast<void>(Json(text).dump())) << "a character was cut in two";
}

}  // namespace
}  // namespace hone::compute
