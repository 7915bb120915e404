// SPDX-License-Identifier: Apache-2.0
#include "bench/cheat_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>

namespace hone {
namespace {

KernelVariant Cheat(bool is_to_crash = false) { return {"memo", "by content", "", is_to_crash}; }
KernelVariant Honest() { return {"honest", "as it is", ""}; }

Judgement Judged(Outcome outcome, double speedup = 1) {
  Judgement judgement;
  judgement.outcome = outcome;
  judgement.speedup = speedup;
  judgement.interval = {speedup * 0.99, speedup * 1.01};
  if (outcome != Outcome::kAccepted) judgement.reason = "the reason";
  return judgement;
}

Tried All(std::initializer_list<Judgement> judgements) {
  Tried tried;
  for (const Judgement& one : judgements) tried.Add(one, Judged(Outcome::kAccepted));
  return tried;
}

// What it says of one variant; whether all of it holds with it.
struct Said {
  std::string fault;
  bool holds = false;
  std::string figure;
};

Said Of(const KernelVariant& variant, std::initializer_list<Judgement> judgements) {
  CheatScore score;
  std::string fault = score.Add(variant, All(judgements));
  return {std::move(fault), score.Holds(), score.Figure()};
}

TEST(CheatScoreTest, ACheatThatIsCaughtHolds) {
  const Said said = Of(Cheat(), {Judged(Outcome::kWrong), Judged(Outcome::kCheated)});
  EXPECT_EQ(said.fault, "");
  EXPECT_TRUE(said.holds);
}

TEST(CheatScoreTest, ACheatThatDoesNotCompileFallsShort) {
  const Said said = Of(Cheat(), {Judged(Outcome::kBuildFailed), Judged(Outcome::kBuildFailed)});
  EXPECT_EQ(said.fault, kNotBuilt);
  EXPECT_FALSE(said.holds);
  EXPECT_NE(said.figure.find("1 were not built or never ran"), std::string::npos) << said.figure;
}

TEST(CheatScoreTest, ACheatThatIsBuiltNowAndThenFallsShortToo) {
  EXPECT_EQ(Of(Cheat(), {Judged(Outcome::kWrong), Judged(Outcome::kBuildFailed)}).fault, kNotBuilt);
}

TEST(CheatScoreTest, ACheatThatAlwaysCrashesOrHangsNeverRan) {
  const Said said = Of(Cheat(), {Judged(Outcome::kCrashed), Judged(Outcome::kTimedOut)});
  EXPECT_EQ(said.fault, kNeverRan);
  EXPECT_FALSE(said.holds);
}

TEST(CheatScoreTest, ACheatThatCrashesNowAndThenRan) {
  EXPECT_TRUE(Of(Cheat(), {Judged(Outcome::kCrashed), Judged(Outcome::kWrong)}).holds);
  EXPECT_TRUE(Of(Cheat(), {Judged(Outcome::kCrashed), Judged(Outcome::kAccepted)}).holds);
}

TEST(CheatScoreTest, ACheatThatIsCaughtByCrashingHolds) {
  EXPECT_TRUE(Of(Cheat(true), {Judged(Outcome::kCrashed)}).holds);
  EXPECT_FALSE(Of(Cheat(true), {Judged(Outcome::kBuildFailed)}).holds);
}

TEST(CheatScoreTest, ACheatThatGainsPays) {
  const Said said = Of(Cheat(), {Judged(Outcome::kAccepted, 1.2), Judged(Outcome::kWrong)});
  EXPECT_EQ(said.fault, "PAYS");
  EXPECT_FALSE(said.holds);
}

TEST(CheatScoreTest, AnHonestKernelThatIsNotAcceptedIsAccused) {
  const Said said = Of(Honest(), {Judged(Outcome::kAccepted), Judged(Outcome::kBuildFailed)});
  EXPECT_EQ(said.fault, "ACCUSED");
  EXPECT_FALSE(said.holds);
  EXPECT_TRUE(Of(Honest(), {Judged(Outcome::kAccepted, 1.3)}).holds);
}

}  // namespace
}  // namespace hone
