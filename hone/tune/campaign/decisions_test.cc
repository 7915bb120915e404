// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/decisions.h"

#include <gtest/gtest.h>

#include <string>

#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/verdict.h"

namespace hone::tune {
namespace {

// The form in which campaigns of earlier builds are stored: resume and replay compare with it.
void ExpectStored(const Decision& decision, const std::string& kind, const std::string& choice,
                  const std::string& grounds) {
  EXPECT_EQ(decision.kind, kind);
  EXPECT_EQ(Dump(decision.choice), choice);
  EXPECT_EQ(Dump(decision.grounds), grounds);
}

const Candidate kCandidate{{{"threads", std::int64_t{4}}}, ""};
const std::string kCandidateText = R"({"assignment":{"threads":4},"source":""})";
const std::string kRewardText = R"({"count":8,"mean":0.25,"standard_error":0.5})";

TEST(DecisionsTest, AreStoredAsTheyAlwaysWere) {
  ExpectStored(ToDecision(AskDecision{7, kCandidate}), "ask",
               R"({"candidate":)" + kCandidateText + R"(,"trial":7})", "{}");
  ExpectStored(ToDecision(RaceDecision{.trial = 7,
                                       .round = 1,
                                       .outcome = Outcome::kAccepted,
                                       .step = RaceStep::kDull,
                                       .reward = {0.25, 0.5, 8},
                                       .is_within_limits = false}),
               "race", R"({"outcome":"accepted","round":1,"step":"dull","trial":7})",
               R"({"is_within_limits":false,"reward":)" + kRewardText + "}");
  ExpectStored(ToDecision(StopDecision{.why = "all trials made", .trials = 5, .pairs = 8}), "stop",
               R"({"trials":5,"why":"all trials made"})", R"({"pairs":8})");
  ExpectStored(ToDecision(SensitivityDecision{.is_moved = true, .p_value = 0.5}), "sensitivity",
               R"({"is_moved":true})", R"({"p_value":0.5})");
  ExpectStored(ToDecision(FinalDecision{.trial = 3,
                                        .candidate = kCandidate,
                                        .outcome = Outcome::kCrashed,
                                        .reward = {0.25, 0.5, 8}}),
               "final", R"({"candidate":)" + kCandidateText + R"(,"trial":3})",
               R"({"outcome":"crashed","reward":)" + kRewardText + "}");
  ExpectStored(ToDecision(ProveDecision{
                   .phase = BlockPhase::kProofReduced, .candidate = kCandidate, .pairs = 12}),
               "prove",
               R"({"candidate":)" + kCandidateText + R"(,"name":"proof-reduced","pairs":12})",
               "null");
  ExpectStored(ToDecision(AblateDecision{.without = {"a", "b"}, .is_free = true, .effect = -0.5}),
               "ablate", R"({"is_free":true,"without":["a","b"]})", R"({"effect":-0.5})");
  const Verdict verdict;
  ExpectStored(ToDecision(verdict), "verdict", R"({"candidate":null,"kind":"no_gain"})",
               Dump(ToJson(verdict)));
  ExpectStored(ToDecision(GateReport{}), "gate", "{}", Dump(ToJson(GateReport{})));
}

TEST(DecisionsTest, ReadBackWhatTheySay) {
  const auto ask = ReadAsk(ToDecision(AskDecision{7, kCandidate}));
  ASSERT_TRUE(ask) << ask.error().message;
  EXPECT_EQ(ask->trial, 7);
  EXPECT_EQ(ask->candidate, kCandidate);

  for (const RaceStep step :
       {RaceStep::kMore, RaceStep::kHopeless, RaceStep::kDull, RaceStep::kEnough}) {
    const auto race =
        ReadRace(ToDecision(RaceDecision{7, 1, Outcome::kWrong, step, {0.25, 0.5, 8}, false}));
    ASSERT_TRUE(race) << race.error().message;
    EXPECT_EQ(race->trial, 7);
    EXPECT_EQ(race->round, 1);
    EXPECT_EQ(race->outcome, Outcome::kWrong);
    EXPECT_EQ(race->step, step);
    EXPECT_EQ(race->reward.mean, 0.25);
    EXPECT_FALSE(race->is_within_limits);
  }

  const auto stop = ReadStop(ToDecision(StopDecision{"interrupted", 5, 8}));
  ASSERT_TRUE(stop) << stop.error().message;
  EXPECT_EQ(stop->why, "interrupted");
  EXPECT_EQ(stop->trials, 5);
  EXPECT_EQ(stop->pairs, 8);

  const auto favourite =
      ReadFinal(ToDecision(FinalDecision{3, kCandidate, Outcome::kCrashed, {0.25, 0.5, 8}}));
  ASSERT_TRUE(favourite) << favourite.error().message;
  EXPECT_EQ(favourite->trial, 3);
  EXPECT_EQ(favourite->candidate, kCandidate);
  EXPECT_EQ(favourite->outcome, Outcome::kCrashed);
  EXPECT_EQ(favourite->reward.standard_error, 0.5);

  GateReport report;
  report.pairs = 10;
  const auto gate = ReadGate(ToDecision(report));
  ASSERT_TRUE(gate) << gate.error().message;
  EXPECT_EQ(gate->pairs, 10);
}

TEST(DecisionsTest, RubbishIsAnErrorThatSaysWhere) {
  const auto fault_of = [](const auto& read) { return read ? "" : read.error().message; };
  EXPECT_EQ(fault_of(ReadAsk({"race", Json::object(), Json()})), "decision race: expected ask");
  EXPECT_EQ(fault_of(ReadGate({"", Json(), Json()})), "decision : expected gate");
  EXPECT_EQ(fault_of(ReadAsk({"ask", {{"trial", "seven"}}, Json::object()})),
            "decision ask: /trial: expected an integer of 64 bits, found \"seven\"");
  EXPECT_NE(fault_of(ReadRace({"race", Json::array(), Json()})), "");
  Decision race = ToDecision(RaceDecision{});
  race.choice["step"] = "sideways";
  EXPECT_EQ(fault_of(ReadRace(race)),
            "decision race: /step: step \"sideways\": no such step of a race");
  race = ToDecision(RaceDecision{});
  race.choice["trial"] = -1;
  EXPECT_NE(fault_of(ReadRace(race)), "");
  race = ToDecision(RaceDecision{});
  race.grounds.erase("reward");
  EXPECT_NE(fault_of(ReadRace(race)).find("decision race, grounds:"), std::string::npos);
}

TEST(DecisionsTest, TrialOfNamesTheTrialEvenWhereTheRestIsRubbish) {
  EXPECT_EQ(TrialOf({"ask", {{"trial", 4}}, Json()}), 4);
  EXPECT_EQ(TrialOf({"ask", {{"trial", -4}}, Json()}), std::nullopt);
  EXPECT_EQ(TrialOf(ToDecision(StopDecision{})), std::nullopt);
  EXPECT_EQ(TrialOf({"of tomorrow", {{"trial", 4}}, Json()}), std::nullopt);
}

}  // namespace
}  // namespace hone::tune
