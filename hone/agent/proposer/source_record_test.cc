// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/source_record.h"

#include <gtest/gtest.h>

namespace hone::agent {
namespace {

tune::Trial TrialOf(std::int64_t number, double reward) {
  tune::Trial trial;
  trial.number = number;
  trial.candidate.assignment["x"] = number;
  trial.reward = {.mean = reward, .standard_error = 0.01, .count = 2};
  return trial;
}

class SourceRecordTest : public testing::Test {
 protected:
  void Models(std::int64_t number, double reward) {
    record_.NoteModels(TrialOf(number, reward).candidate);
    record_.Tell(TrialOf(number, reward));
  }
  void Others(std::int64_t number, double reward) { record_.Tell(TrialOf(number, reward)); }

  SourceRecord record_;
};

TEST_F(SourceRecordTest, NothingIsKnownAtFirst) { EXPECT_EQ(record_.Trust(), 0.5); }

TEST_F(SourceRecordTest, TrustFollowsWhatWasMeasured) {
  Others(0, -0.1);
  Models(1, 0.1);
  EXPECT_GT(record_.Trust(), 0.6);
  Models(2, -0.2);
  Models(3, -0.2);
  EXPECT_LT(record_.Trust(), 0.45);
}

TEST_F(SourceRecordTest, WhoProposesNextToNothingIsNotAheadOfWhoExplores) {
  for (int i = 0; i < 6; ++i) Others(i, -0.3);
  for (int i = 6; i < 12; ++i) Models(i, 0);
  EXPECT_NEAR(record_.Trust(), 0.5, 1e-9);
}

TEST_F(SourceRecordTest, AGainThatTheOthersAlreadyHaveIsNoLead) {
  for (int i = 0; i < 6; ++i) Others(i, 0.2);
  Models(6, 0.1);
  EXPECT_LT(record_.Trust(), 0.4);
}

TEST_F(SourceRecordTest, AFailureIsALoss) {
  tune::Trial trial = TrialOf(0, 5);
  trial.outcome = Outcome::kCrashed;
  record_.NoteModels(trial.candidate);
  record_.Tell(trial);
  EXPECT_LT(record_.Trust(), 0.4);
}

TEST_F(SourceRecordTest, ATrialToldAgainReplacesItsFirstForm) {
  Models(0, 0.3);
  const double before = record_.Trust();
  record_.Tell(TrialOf(0, -0.3));
  EXPECT_LT(record_.Trust(), before);
  EXPECT_EQ(record_.measured(), 1);
}

}  // namespace
}  // namespace hone::agent
