// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/source_record.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <variant>

namespace hone::agent {
namespace {

Candidate At(std::int64_t x) { return {.assignment = {{"x", x}}, .source = {}}; }

class SourceRecordTest : public testing::Test {
 protected:
  void Tell(std::int64_t x, Outcome outcome = Outcome::kAccepted) {
    tune::Trial trial;
    trial.candidate = At(x);
    trial.outcome = outcome;
    record_.Tell(trial);
  }
  void Models(std::int64_t x, Outcome outcome = Outcome::kAccepted) {
    record_.NoteModels(At(x), At(0));
    Tell(x, outcome);
  }
  // What is above 0 is better than what is not; below 0 it is worse.
  double Trust() const {
    return record_.Trust([](const Candidate& one, const Candidate& other) {
      EXPECT_EQ(other, At(0));
      return std::get<std::int64_t>(one.assignment.at("x")) > 0 ? 0.9 : 0.1;
    });
  }

  SourceRecord record_;
};

TEST_F(SourceRecordTest, NothingIsKnownAtFirst) { EXPECT_EQ(Trust(), 0.5); }

TEST_F(SourceRecordTest, WhatIsNotToldYetSaysNothing) {
  record_.NoteModels(At(1), At(0));
  EXPECT_EQ(Trust(), 0.5);
}

TEST_F(SourceRecordTest, TrustFollowsWhatTheModelSet) {
  Models(1);
  EXPECT_NEAR(Trust(), 1.9 / 3, 1e-12);
  Models(-1);
  Models(-2);
  EXPECT_NEAR(Trust(), 2.1 / 5, 1e-12);
}

TEST_F(SourceRecordTest, WhatTheModelLeftAsItIsSaysNothing) {
  record_.NoteModels(At(0), At(0));
  Tell(0);
  EXPECT_EQ(Trust(), 0.5);
  Models(1);
  EXPECT_NEAR(Trust(), 1.9 / 3, 1e-12);
}

TEST_F(SourceRecordTest, TrialsOfOthersSayNothing) {
  for (int i = 1; i < 6; ++i) Tell(i);
  EXPECT_EQ(Trust(), 0.5);
}

TEST_F(SourceRecordTest, AFailureIsALoss) {
  Models(1, Outcome::kCrashed);
  EXPECT_NEAR(Trust(), 1.0 / 3, 1e-12);
}

TEST_F(SourceRecordTest, ATrialToldAgainReplacesItsFirstForm) {
  Models(1);
  Tell(1, Outcome::kCrashed);
  EXPECT_NEAR(Trust(), 1.0 / 3, 1e-12);
}

TEST(TrustTest, WhoDoesNoHarmHasAllOfItsShareAndAnotherSoonHasNone) {
  EXPECT_EQ(ShareAt(1), 1);
  EXPECT_EQ(ShareAt(0.5), 1);
  EXPECT_NEAR(ShareAt(0.25), 0.125, 1e-12);
  EXPECT_EQ(ShareAt(0), 0);
}

TEST(TrustTest, WishesDrawTheSearchFromAGuessOnAndWhollyBeforeCertainty) {
  EXPECT_EQ(DrawAt(0.2), 0);
  EXPECT_EQ(DrawAt(0.5), 0);
  EXPECT_NEAR(DrawAt(0.6), 0.5, 1e-12);
  EXPECT_NEAR(DrawAt(0.7), 1, 1e-12);
  EXPECT_EQ(DrawAt(1), 1);
}

}  // namespace
}  // namespace hone::agent
