// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/tune/proposers/proposer.h"
#include "hone/tune/proposers/proposer_exam.h"

// The exam that every proposer passes. A proposer's test includes this header, links
// hone_tune_exam and says
//   INSTANTIATE_TEST_SUITE_P(Bayes, ProposerContract, testing::Values(BayesEntry()));
namespace hone::tune {

class ProposerContract : public testing::TestWithParam<ProposerEntry> {};

inline void PrintTo(const ProposerEntry& entry, std::ostream* out) { *out << entry.name; }

TEST_P(ProposerContract, CandidatesAreAlwaysValid) {
  EXPECT_THAT(ExamineValidity(GetParam()), testing::IsEmpty());
}

TEST_P(ProposerContract, EqualCallsGetEqualAnswersAndQuestionsChangeNothing) {
  EXPECT_THAT(ExamineRepeatability(GetParam()), testing::IsEmpty());
}

TEST_P(ProposerContract, AnotherSeedAsksForOtherCandidates) {
  EXPECT_THAT(ExamineSeeds(GetParam()), testing::IsEmpty());
}

TEST_P(ProposerContract, CandidatesAskedForTogetherDiffer) {
  EXPECT_THAT(ExaminePendingAsks(GetParam()), testing::IsEmpty());
}

TEST_P(ProposerContract, WhatFailedIsNeverRecommended) {
  EXPECT_THAT(ExamineFailures(GetParam()), testing::IsEmpty());
}

TEST_P(ProposerContract, ATrialToldAgainReplacesItsFirstForm) {
  EXPECT_THAT(ExamineReplacement(GetParam()), testing::IsEmpty());
}

TEST_P(ProposerContract, NothingIsRecommendedWhereAllIsWorse) {
  EXPECT_THAT(ExamineModesty(GetParam()), testing::IsEmpty());
}

TEST_P(ProposerContract, RecommendationsAreSoundAtEverySizeAndNoise) {
  EXPECT_THAT(ExamineRecommendations(GetParam()), testing::IsEmpty());
}

TEST_P(ProposerContract, TinySpacesDoNotHang) {
  EXPECT_THAT(ExamineTinySpace(GetParam()), testing::IsEmpty());
}

TEST_P(ProposerContract, TrialsWithoutSenseAreRefused) {
  EXPECT_THAT(ExamineBadTrials(GetParam()), testing::IsEmpty());
}

TEST_P(ProposerContract, AFrontHasNoBeatenMember) {
  EXPECT_THAT(ExamineFront(GetParam()), testing::IsEmpty());
}

}  // namespace hone::tune
