// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/tune/campaign/proof.h"
#include "hone/tune/campaign/recorded_queue.h"
#include "hone/tune/campaign/search.h"
#include "hone/tune/campaign/simulated_queue_for_test.h"
#include "hone/tune/proposers/random_search.h"

namespace hone::tune {
namespace {

// Four parameters of which "a" alone matters for speed: best at 8, while 0 is in force. "b" trades
// latency for throughput.
Space TestSpace() {
  const auto integer = [](const char* name) {
    return Parameter{name, IntegerRange{0, 10}, std::int64_t{0}, "", "", {}, {}};
  };
  return *Space::Make({integer("a"), integer("b"), integer("c"), integer("d")});
}

double At(const Candidate& candidate, const char* name) {
  return static_cast<double>(std::get<std::int64_t>(candidate.assignment.at(name)));
}

struct Truth {
  double gain = 0.2;  // Log-ratio at a = 8.
  double noise = 0.02;
  double trade = 0;            // Log-ratio of throughput at b = 10; latency pays as much.
  bool is_crash_at_10 = true;  // a = 10 crashes.
};

// From the run at `death` on, every run crashes.
SimulatedQueue QueueOf(const Truth& truth,
                       std::int64_t death = std::numeric_limits<std::int64_t>::max()) {
  return SimulatedQueue([=](const Candidate& candidate, std::int64_t position, Rng rng) {
    const double a = At(candidate, "a");
    if (position >= death) return SimulatedQueue::Metrics{};
    if (truth.is_crash_at_10 && a == 10) return SimulatedQueue::Metrics{};
    const double drift = 0.001 * static_cast<double>(position);
    const double trade = truth.trade * At(candidate, "b") / 10;
    const double effect = truth.gain * (1 - std::pow((a - 8) / 8, 2)) + trade;
    return SimulatedQueue::Metrics{
        {"throughput", 1000 * std::exp(effect - drift + truth.noise * rng.Normal())},
        {"latency", 10 * std::exp(2 * trade + truth.noise * rng.Normal())}};
  });
}

CampaignSpec TestSpec(std::uint64_t seed) {
  CampaignSpec spec;
  spec.domain = "test";
  spec.seed = seed;
  spec.search.proposer = "random";
  spec.search.max_trials = 24;
  spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  return spec;
}

// The test's space with so many switches more, of which none matters.
Space WithSwitches(int count) {
  std::vector<Parameter> parameters = TestSpace().parameters();
  for (int i = 0; i < count; ++i) {
    parameters.push_back({"s" + std::to_string(i), Boolean{}, false, "", "", {}, {}});
  }
  return *Space::Make(std::move(parameters));
}

class CampaignTest : public testing::Test {
 protected:
  Result<Verdict> Run(TaskQueue& queue, Ledger& ledger, std::stop_token wrap_up = {}) {
    auto proposer = MakeRandomSearch(
        {space_, baseline_, spec_.seed, spec_.search.max_trials, spec_.wants_front, {}});
    EXPECT_TRUE(proposer);
    return RunCampaign({"c",
                        spec_,
                        space_,
                        baseline_,
                        {},
                        **proposer,
                        queue,
                        ledger,
                        nullptr,
                        std::move(wrap_up),
                        {},
                        nullptr,
                        [this](std::chrono::nanoseconds time, const std::stop_token&) {
                          pauses_.push_back(time);
                          return may_go_on_;
                        },
                        has_prices_});
  }

  static std::vector<std::string> ChoicesOf(const Ledger& ledger) {
    std::vector<std::string> choices;
    for (const Decision& decision : ledger.decisions()) {
      choices.push_back(decision.kind + Dump(decision.choice));
    }
    return choices;
  }

  Space space_ = TestSpace();
  Candidate baseline_{space_.Defaults(), ""};
  CampaignSpec spec_ = TestSpec(1);
  std::vector<std::chrono::nanoseconds> pauses_;
  bool may_go_on_ = true;
  bool has_prices_ = false;
};

TEST_F(CampaignTest, FindsATrueGainWithinItsInterval) {
  auto queue = QueueOf({});
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_EQ(verdict->kind, Verdict::Kind::kGain) << verdict->reason;
  const double a = At(verdict->proof->candidate, "a");
  const double truth = 0.2 * (1 - std::pow((a - 8) / 8, 2));
  EXPECT_GT(truth, 0.15);
  EXPECT_NEAR(verdict->proof->reward.effect, truth, 0.03);
  EXPECT_LT(verdict->proof->reward.p_value, 0.001);
}

TEST_F(CampaignTest, NoGainSaysWhatSuchCampaignsFindOnlyWhereSuchWereSimulated) {
  spec_.search.proposer = "bayes";
  const auto names_an_optimum = [this] {
    auto queue = QueueOf({.gain = 0, .is_crash_at_10 = false});
    Ledger ledger;
    const auto verdict = Run(queue, ledger);
    EXPECT_TRUE(verdict && verdict->kind == Verdict::Kind::kNoGain);
    return verdict && std::ranges::any_of(verdict->notes, [](const std::string& note) {
             return note.starts_with("Of simulated campaigns of this size");
           });
  };
  EXPECT_TRUE(names_an_optimum());
  has_prices_ = true;
  EXPECT_FALSE(names_an_optimum());
  has_prices_ = false;
  spec_.proof.min_gain = 0.1;
  EXPECT_FALSE(names_an_optimum()) << "an optimum below the least gain is not proven";
}

TEST_F(CampaignTest, AProofIsSpreadOverItsTimeAndSaysHowTheGainMoved) {
  spec_.proof.over = std::chrono::hours{1};
  spec_.proof.has_ablation = false;
  auto queue = QueueOf({});
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_EQ(verdict->kind, Verdict::Kind::kGain) << verdict->reason;
  std::chrono::nanoseconds waited{0};
  for (const auto pause : pauses_) waited += pause;
  EXPECT_GE(std::ssize(pauses_), 4);
  EXPECT_LE(waited, spec_.proof.over);
  EXPECT_GT(waited, spec_.proof.over - std::chrono::minutes{1});
  ASSERT_FALSE(verdict->notes.empty());
  EXPECT_NE(verdict->notes.back().find("spread over"), std::string::npos) << verdict->notes.back();

  // What was measured is not waited for again.
  const auto choices = ChoicesOf(ledger);
  pauses_.clear();
  Ledger again(ledger.decisions());
  ASSERT_TRUE(Run(queue, again));
  EXPECT_TRUE(pauses_.empty());
  EXPECT_EQ(ChoicesOf(again), choices);
}

TEST_F(CampaignTest, AProofThatIsStoppedBetweenItsPartsIsAbandoned) {
  spec_.proof.over = std::chrono::hours{1};
  may_go_on_ = false;
  auto queue = QueueOf({});
  Ledger ledger;
  EXPECT_FALSE(Run(queue, ledger));
  EXPECT_EQ(std::ssize(pauses_), 1);
}

TEST_F(CampaignTest, PassengersAreDropped) {
  auto queue = QueueOf({});
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict);
  ASSERT_EQ(verdict->kind, Verdict::Kind::kGain);
  EXPECT_EQ(DescribeChange(baseline_, verdict->proof->candidate).substr(0, 2), "a=");
  EXPECT_EQ(DescribeChange(baseline_, verdict->proof->candidate).find(' '), std::string::npos)
      << DescribeChange(baseline_, verdict->proof->candidate);
  EXPECT_FALSE(verdict->dropped.empty());
}

TEST_F(CampaignTest, NothingIsClaimedWhereNothingHelps) {
  int claims = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    spec_ = TestSpec(seed);
    auto queue = QueueOf({.gain = 0, .noise = 0.05, .trade = 0, .is_crash_at_10 = false});
    Ledger ledger;
    const auto verdict = Run(queue, ledger);
    ASSERT_TRUE(verdict);
    claims += verdict->kind == Verdict::Kind::kGain ? 1 : 0;
  }
  EXPECT_LE(claims, 5);
}

TEST_F(CampaignTest, OfAWinnerThatLosesInItsProofIsSaidWhatWasSeen) {
  Ledger ledger;
  SimulatedQueue queue([&](const Candidate& candidate, std::int64_t, Rng rng) {
    const bool is_proof =
        !ledger.decisions().empty() && Is(ledger.decisions().back(), DecisionKind::kProve);
    const double effect = (is_proof ? -0.02 : 0.02) * At(candidate, "a") + 0.02 * rng.Normal();
    return SimulatedQueue::Metrics{{"throughput", std::exp(effect)}};
  });
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kNoGain);
  EXPECT_EQ(verdict->reason, "On fresh runs the winner came out below the baseline.");
}

TEST_F(CampaignTest, BenchmarkThatNothingMovesIsSaid) {
  auto queue = QueueOf({.gain = 0, .noise = 0.05, .trade = 0, .is_crash_at_10 = false});
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict);
  ASSERT_FALSE(verdict->notes.empty());
  EXPECT_NE(verdict->notes.front().find("Nothing that was tried moved throughput"),
            std::string::npos);
}

TEST_F(CampaignTest, BaselineThatDoesNotRunIsAnError) {
  SimulatedQueue queue(
      [](const Candidate&, std::int64_t, Rng) { return SimulatedQueue::Metrics{}; });
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kDoesNotRun);
  EXPECT_EQ(verdict->reason,
            "With nothing changed, simulated crash (crashed). Make it run, then tune it.");
  EXPECT_EQ(ChoicesOf(ledger).size(), 1U);
}

TEST_F(CampaignTest, ABenchmarkThatDiesAfterTheGateDoesNotRun) {
  spec_.search.batch = 3;
  auto queue = QueueOf({}, 100);
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kDoesNotRun);
  EXPECT_EQ(verdict->reason,
            "With nothing changed, simulated crash (crashed). Make it run, then tune it.");
  ASSERT_EQ(verdict->notes.size(), 1U);
  EXPECT_EQ(verdict->notes[0].find("It ran in the gate, and stopped running later"), 0U);

  auto recorded = MakeRecordedQueue(queue.settled());
  Ledger again(ledger.decisions());
  const auto replayed = Run(*recorded, again);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(ChoicesOf(again), ChoicesOf(ledger));
}

TEST_F(CampaignTest, RunsThatCannotBeMadeOfABenchmarkThatRunsAreAnErrorWithoutWordsOfTheQueue) {
  int crashes = 0;
  SimulatedQueue queue([&](const Candidate& candidate, std::int64_t position, Rng rng) {
    const bool is_ill = position >= 100 && candidate == baseline_ && crashes < 2;
    crashes += is_ill ? 1 : 0;
    if (is_ill) return SimulatedQueue::Metrics{};
    return SimulatedQueue::Metrics{{"throughput", 1000 + 20 * At(candidate, "a") + rng.Normal()}};
  });
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, Errc::kUnavailable);
  EXPECT_THAT(verdict.error().message,
              testing::MatchesRegex("the runs of candidate [0-9]+ could not be made: the baseline "
                                    "itself did not run"));
  Ledger after(ledger.decisions());
  const auto resumed = Run(queue, after);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->kind, Verdict::Kind::kGain);
}

TEST_F(CampaignTest, AGainStandsWhereTheBenchmarkDiesInTheAblation) {
  auto whole_queue = QueueOf({});
  Ledger whole;
  ASSERT_TRUE(Run(whole_queue, whole));
  std::int64_t ablation = 0;
  for (const auto& [id, task] : whole_queue.tasks()) {
    if (id == "c/ablation/0/0") ablation = task.position;
  }
  ASSERT_GT(ablation, 0);
  auto queue = QueueOf({}, ablation);
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kGain);
  ASSERT_FALSE(verdict->notes.empty());
  EXPECT_EQ(verdict->notes[0],
            "What each change is worth was not found out, since the benchmark stopped running: "
            "with nothing changed, simulated crash (crashed).");
}

TEST_F(CampaignTest, ProvenPointsOfAFrontStandWhereTheBenchmarkDiesInTheProofOfAnother) {
  spec_.wants_front = true;
  spec_.rule.objectives.push_back({"latency", Direction::kLowerIsBetter, 1});
  spec_.proof.finalists = 4;
  const Truth truth{.gain = 0, .noise = 0.02, .trade = 0.3, .is_crash_at_10 = false};
  auto whole_queue = QueueOf(truth);
  Ledger whole;
  ASSERT_TRUE(Run(whole_queue, whole));
  const auto last = whole_queue.tasks().find("c/front/3/0");
  ASSERT_NE(last, whole_queue.tasks().end());

  auto queue = QueueOf(truth, last->second.position);
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kFront) << verdict->reason;
  EXPECT_FALSE(verdict->front.empty());
  EXPECT_THAT(verdict->notes,
              testing::Contains(
                  "1 point of the front was not proven, since the benchmark stopped running: with "
                  "nothing changed, simulated crash (crashed)."));
  auto recorded = MakeRecordedQueue(queue.settled());
  Ledger again(ledger.decisions());
  const auto replayed = Run(*recorded, again);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(ChoicesOf(again), ChoicesOf(ledger));
}

// Whichever arm is the first to fail.
TEST_F(CampaignTest, ABenchmarkThatDiesInTheProofDoesNotRunInsteadOfBeingNoGain) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    spec_ = TestSpec(seed);
    auto whole_queue = QueueOf({});
    Ledger whole;
    ASSERT_TRUE(Run(whole_queue, whole));
    const auto proof = whole_queue.tasks().find("c/proof/0");
    ASSERT_NE(proof, whole_queue.tasks().end());
    auto queue = QueueOf({}, proof->second.position);
    Ledger ledger;
    const auto verdict = Run(queue, ledger);
    ASSERT_TRUE(verdict) << verdict.error().message;
    EXPECT_EQ(verdict->kind, Verdict::Kind::kDoesNotRun) << "seed " << seed << verdict->reason;

    auto recorded = MakeRecordedQueue(queue.settled());
    Ledger again(ledger.decisions());
    const auto replayed = Run(*recorded, again);
    ASSERT_TRUE(replayed) << replayed.error().message;
    EXPECT_EQ(ChoicesOf(again), ChoicesOf(ledger));
  }
}

TEST_F(CampaignTest, AFrontWithNothingProvenWhenTheBenchmarkDiesDoesNotRun) {
  spec_.wants_front = true;
  spec_.rule.objectives.push_back({"latency", Direction::kLowerIsBetter, 1});
  const Truth truth{.gain = 0, .noise = 0.02, .trade = 0.3, .is_crash_at_10 = false};
  auto whole_queue = QueueOf(truth);
  Ledger whole;
  ASSERT_TRUE(Run(whole_queue, whole));
  const auto first = whole_queue.tasks().find("c/front/0/0");
  ASSERT_NE(first, whole_queue.tasks().end());
  auto queue = QueueOf(truth, first->second.position);
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kDoesNotRun) << verdict->reason;
}

TEST_F(CampaignTest, KilledAfterAnyEvaluationItGoesOnWithNothingLostAndNothingDoneTwice) {
  auto whole_queue = QueueOf({});
  Ledger whole;
  ASSERT_TRUE(Run(whole_queue, whole));
  const auto evaluations = static_cast<int>(whole_queue.evaluations().size());
  ASSERT_GT(evaluations, 20);
  for (int killed_after = 0; killed_after < evaluations; ++killed_after) {
    auto queue = QueueOf({});
    queue.FailAfter(killed_after);
    Ledger before;
    ASSERT_FALSE(Run(queue, before));
    queue.FailAfter(-1);
    Ledger after(before.decisions());
    ASSERT_TRUE(Run(queue, after));
    ASSERT_EQ(ChoicesOf(after), ChoicesOf(whole)) << "killed after " << killed_after;
    for (const auto& [task, times] : queue.evaluations()) ASSERT_EQ(times, 1) << task;
  }
}

TEST_F(CampaignTest, InterruptedSearchStillGivesAVerdictAndReplays) {
  spec_.search.max_trials = 1000;
  spec_.search.batch = 3;
  auto queue = QueueOf({});
  std::stop_source ctrl_c;
  queue.CallAfter(30, [&] { ctrl_c.request_stop(); });
  Ledger ledger;
  const auto verdict = Run(queue, ledger, ctrl_c.get_token());
  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_TRUE(verdict->proof);
  EXPECT_NE(verdict->notes.back().find("interrupted after"), std::string::npos);

  auto recorded = MakeRecordedQueue(queue.settled());
  Ledger again(ledger.decisions());
  const auto replayed = Run(*recorded, again);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(ChoicesOf(again), ChoicesOf(ledger));
}

TEST_F(CampaignTest, ASearchInterruptedInItsFirstTrialSaysThatNothingWasTried) {
  auto queue = QueueOf({});
  std::stop_source ctrl_c;
  queue.CallAfter(1, [&] { ctrl_c.request_stop(); });
  Ledger ledger;
  const auto verdict = Run(queue, ledger, ctrl_c.get_token());
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kNotEnough);
  EXPECT_EQ(verdict->reason, "The search was interrupted before a candidate was tried.");
  EXPECT_EQ(verdict->detectable, 0);
  EXPECT_TRUE(verdict->notes.empty());

  auto recorded = MakeRecordedQueue(queue.settled());
  Ledger again(ledger.decisions());
  ASSERT_TRUE(Run(*recorded, again));
  EXPECT_EQ(ChoicesOf(again), ChoicesOf(ledger));
}

TEST_F(CampaignTest, WhatIsEnoughGrowsWithTheSpaceUpToHalfOfThePlan) {
  EXPECT_EQ(EnoughTrials(space_, 40), 6 + 2 * 4);
  EXPECT_EQ(EnoughTrials(space_, 8), 8);
  const Space large = WithSwitches(45);
  EXPECT_EQ(EnoughTrials(large, 400), 6 + 2 * 49);
  EXPECT_EQ(EnoughTrials(large, 100), 50);
  EXPECT_EQ(EnoughTrials(large, 15), 12);
}

TEST_F(CampaignTest, AFewCandidatesOverManyParametersAreNotEnough) {
  space_ = WithSwitches(45);
  baseline_.assignment = space_.Defaults();
  spec_.search.max_trials = 100;
  spec_.search.min_remaining_gain = 0;
  auto queue = QueueOf({.gain = 0});
  std::stop_source ctrl_c;
  queue.CallAfter(60, [&] { ctrl_c.request_stop(); });
  Ledger ledger;
  const auto verdict = Run(queue, ledger, ctrl_c.get_token());
  ASSERT_TRUE(verdict) << verdict.error().message;
  const auto races = std::ranges::count_if(ledger.decisions(), [](const Decision& decision) {
    const auto race = ReadRace(decision);
    return race && race->step != RaceStep::kMore;
  });
  EXPECT_GE(races, 12);
  EXPECT_EQ(verdict->kind, Verdict::Kind::kNotEnough) << verdict->reason;
}

TEST_F(CampaignTest, ABudgetForNoCandidateIsNotEnough) {
  spec_.search.max_pairs = 1;
  auto queue = QueueOf({});
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kNotEnough);
  EXPECT_EQ(verdict->reason, "The budget of pairs was spent before a candidate was tried.");
}

TEST_F(CampaignTest, AGainUnderSuspicionIsSuspicious) {
  auto queue = QueueOf({});
  queue.MarkRunsAs("suspicious: the benchmark opened vm.swappiness");
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kSuspicious);
  EXPECT_TRUE(verdict->proof && verdict->proof->is_gain);
  ASSERT_EQ(verdict->suspicions.size(), 1U);
  EXPECT_EQ(verdict->suspicions[0].find("the benchmark opened vm.swappiness (in "), 0U);
}

TEST_F(CampaignTest, ALimitThatTheBaselineBreaksAndNobodyKeepsIsSaid) {
  spec_.rule.limits = {{"latency", true, 1, false}};
  auto queue = QueueOf({});
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kNoGain);
  EXPECT_EQ(verdict->reason, "Of 24 candidates tried, none kept the limits (latency <= 1).");
  ASSERT_EQ(verdict->notes.size(), 2U);
  EXPECT_NE(verdict->notes[0].find("the baseline itself breaks the limit latency <= 1"),
            std::string::npos);
  EXPECT_EQ(verdict->notes[1], "Limits: latency <= 1; kept by 0 of 24 candidates.");
}

TEST_F(CampaignTest, AnotherSeedDivergesFromTheStoredDecisions) {
  auto queue = QueueOf({});
  Ledger ledger;
  ASSERT_TRUE(Run(queue, ledger));
  spec_.seed = 2;
  auto other_queue = QueueOf({});
  Ledger again(ledger.decisions());
  const auto replayed = Run(other_queue, again);
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().code, Errc::kCorrupt);
}

TEST_F(CampaignTest, LimitsAreToldAlsoWhereTheProofFailsBeforeItSaysAnything) {
  spec_.rule.limits = {{"latency", true, 20, false}};
  Ledger ledger;
  SimulatedQueue queue([&](const Candidate& candidate, std::int64_t, Rng rng) {
    const bool is_in_proof = std::ranges::any_of(ledger.decisions(), [](const Decision& one) {
      return one.kind == NameOf(DecisionKind::kProve);
    });
    if (is_in_proof && candidate != baseline_) return SimulatedQueue::Metrics{};
    const double effect = 0.02 * At(candidate, "a") + 0.02 * rng.Normal();
    return SimulatedQueue::Metrics{{"throughput", 1000 * std::exp(effect)}, {"latency", 10}};
  });
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kNoGain);
  ASSERT_TRUE(verdict->proof);
  EXPECT_THAT(verdict->proof->failure, testing::Not(testing::IsEmpty()));
  EXPECT_THAT(verdict->proof->limits, testing::IsEmpty());
  EXPECT_THAT(verdict->notes,
              testing::Contains(testing::StartsWith("Limits: latency <= 20; kept by ")));
}

TEST_F(CampaignTest, GainThatBreaksALimitIsNoGain) {
  spec_.rule.limits = {{"latency", true, 1.02, true}};
  auto queue = QueueOf({.gain = 0.02, .noise = 0.02, .trade = 0.3, .is_crash_at_10 = false});
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  if (verdict->kind == Verdict::Kind::kGain) {
    ASSERT_EQ(verdict->proof->limits.size(), 1U);
    EXPECT_TRUE(verdict->proof->limits[0].holds);
    EXPECT_LE(At(verdict->proof->candidate, "b"), 1);
  }
}

TEST_F(CampaignTest, FrontHasPointsThatBeatTheBaselineInOneObjective) {
  spec_.wants_front = true;
  spec_.rule.objectives.push_back({"latency", Direction::kLowerIsBetter, 1});
  spec_.proof.finalists = 4;
  auto queue = QueueOf({.gain = 0, .noise = 0.02, .trade = 0.3, .is_crash_at_10 = false});
  Ledger ledger;
  const auto verdict = Run(queue, ledger);
  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_EQ(verdict->kind, Verdict::Kind::kFront) << verdict->reason;
  for (const Proof& point : verdict->front) {
    ASSERT_EQ(point.objectives.size(), 2U);
    if (!point.is_gain) continue;
    EXPECT_LE(point.adjusted_p, 0.05);
    EXPECT_GT(point.objectives[0].test.effect, 0) << "throughput is what can be gained";
    EXPECT_LT(point.objectives[1].test.effect, 0) << "latency pays for it";
  }
}

TEST_F(CampaignTest, SenselessSpecsAreRefusedBeforeAnythingRuns) {
  auto queue = QueueOf({});
  Ledger ledger;
  spec_.proof.min_pairs = 3;
  const auto verdict = Run(queue, ledger);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().message, "proof.least_pairs: 3 is too few, at least 6 are needed");
  EXPECT_TRUE(queue.evaluations().empty());
}

}  // namespace
}  // namespace hone::tune
