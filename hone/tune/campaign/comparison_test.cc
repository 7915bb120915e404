// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/tune/campaign/campaign.h"
#include "hone/tune/campaign/simulated_queue_for_test.h"
#include "hone/tune/campaign/words.h"
#include "hone/tune/proposers/random_search.h"

namespace hone::tune {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Throughput grows by `effect` (a log-ratio) with "a" = 1; 2 crashes.
class ComparisonTest : public testing::Test {
 protected:
  ComparisonTest() {
    spec_.domain = "test";
    spec_.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
    spec_.comparison = ComparisonSettings{"now", "b.conf", With(1)};
  }

  static Candidate With(std::int64_t a) { return {{{"a", a}}, ""}; }

  SimulatedQueue QueueWith(double effect) const {
    return SimulatedQueue(
        [effect, noise = noise_](const Candidate& candidate, std::int64_t, Rng rng) {
          const auto a = std::get<std::int64_t>(candidate.assignment.at("a"));
          if (a == 2) return SimulatedQueue::Metrics{};
          const double level = a == 1 ? effect : 0;
          return SimulatedQueue::Metrics{{"throughput", std::exp(level + noise * rng.Normal())},
                                         {"latency", std::exp(-level + noise * rng.Normal())}};
        });
  }

  Result<Verdict> Run(TaskQueue& queue, Ledger& ledger, std::stop_token wrap_up = {}) {
    auto proposer = MakeRandomSearch({space_, With(0), 1, 1, false, {}});
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
                        {}});
  }

  Verdict Compare(double effect) {
    auto queue = QueueWith(effect);
    Ledger ledger;
    auto verdict = Run(queue, ledger);
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict{});
  }

  Standing Stands(const Verdict& verdict) const { return StandingOf(spec_.proof, *verdict.proof); }

  double noise_ = 0.01;
  Space space_ =
      *Space::Make({Parameter{"a", IntegerRange{0, 2}, std::int64_t{0}, "", "", {}, {}}});
  Candidate baseline_ = With(0);
  CampaignSpec spec_;
};

TEST_F(ComparisonTest, WhatIsBetterIsSaidWithItsInterval) {
  const Verdict verdict = Compare(0.05);
  EXPECT_EQ(verdict.kind, Verdict::Kind::kGain);
  EXPECT_EQ(Stands(verdict), Standing::kBetter);
  EXPECT_TRUE(verdict.proof->reward.interval.Contains(0.05));
  EXPECT_THAT(Headline(spec_, verdict), StartsWith("b.conf is better than now: +"));
}

TEST_F(ComparisonTest, WhatIsWorseIsNotCalledNoDifference) {
  const Verdict verdict = Compare(-0.05);
  EXPECT_EQ(verdict.kind, Verdict::Kind::kNoGain);
  EXPECT_EQ(Stands(verdict), Standing::kWorse);
  EXPECT_THAT(Headline(spec_, verdict), StartsWith("b.conf is worse than now: -"));
}

TEST_F(ComparisonTest, EqualIsSaidOnlyWhereTheIntervalIsNarrow) {
  noise_ = 0.002;
  EXPECT_EQ(Stands(Compare(0)), Standing::kEqual);
  noise_ = 0.1;
  const Verdict wide = Compare(0);
  EXPECT_EQ(Stands(wide), Standing::kUnshown);
  EXPECT_THAT(Headline(spec_, wide), StartsWith("No difference between now and b.conf was shown"));
}

TEST_F(ComparisonTest, NothingIsSearchedAndThePairsAreFixedByTheGate) {
  auto queue = QueueWith(0.05);
  Ledger ledger;
  ASSERT_TRUE(Run(queue, ledger));
  std::vector<std::string> kinds;
  for (const Decision& decision : ledger.decisions()) kinds.push_back(decision.kind);
  std::erase(kinds, "part");
  EXPECT_EQ(kinds, (std::vector<std::string>{"gate", "prove", "verdict"}));
  const auto gate = ReadGate(ledger.decisions().front());
  ASSERT_TRUE(gate);
  EXPECT_EQ(gate->planned_runs,
            2 * (gate->pairs + ledger.decisions()[1].choice.at("pairs").get<std::int64_t>()));
}

TEST_F(ComparisonTest, ABrokenLimitIsNoGain) {
  spec_.rule.limits = {{"latency", true, 0.5, false}};
  const Verdict verdict = Compare(0.05);
  EXPECT_EQ(verdict.kind, Verdict::Kind::kNoGain);
  EXPECT_EQ(Stands(verdict), Standing::kOutside);
  EXPECT_THAT(verdict.reason, HasSubstr("latency"));
}

TEST_F(ComparisonTest, ACandidateThatDoesNotRunIsTheAnswerNo) {
  spec_.comparison->candidate = With(2);
  const Verdict verdict = Compare(0.05);
  EXPECT_EQ(verdict.kind, Verdict::Kind::kNoGain);
  EXPECT_EQ(Stands(verdict), Standing::kFailed);
  EXPECT_THAT(Headline(spec_, verdict), HasSubstr("simulated crash"));
}

TEST_F(ComparisonTest, ABaselineThatDoesNotRunIsNamed) {
  baseline_ = With(2);
  spec_.comparison->a = "a.conf";
  const Verdict verdict = Compare(0.05);
  EXPECT_EQ(verdict.kind, Verdict::Kind::kDoesNotRun);
  EXPECT_THAT(verdict.reason, StartsWith("With a.conf, "));
}

TEST_F(ComparisonTest, StoppedByHandIsNotEnoughToSayAndReplaysSo) {
  noise_ = 0.1;
  auto queue = QueueWith(0.5);
  std::stop_source stop;
  queue.CallAfter(4, [&] { stop.request_stop(); });
  Ledger ledger;
  const auto verdict = Run(queue, ledger, stop.get_token());
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->kind, Verdict::Kind::kNotEnough);
  EXPECT_EQ(verdict->proof->reward.count, 18);
  EXPECT_THAT(verdict->reason, StartsWith("It was stopped after 18 of "));

  Ledger again(ledger.decisions());
  const auto replayed = Run(queue, again);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(Dump(ToJson(*replayed)), Dump(ToJson(*verdict)));
}

TEST_F(ComparisonTest, AKilledComparisonGoesOn) {
  auto queue = QueueWith(0.05);
  queue.FailAfter(2);
  Ledger ledger;
  EXPECT_FALSE(Run(queue, ledger));
  queue.FailAfter(-1);
  Ledger again(ledger.decisions());
  const auto verdict = Run(queue, again);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(Stands(*verdict), Standing::kBetter);
  for (const auto& [task, times] : queue.evaluations()) EXPECT_EQ(times, 1) << task;
}

TEST_F(ComparisonTest, TheSpecReadsBackWithWhatIsCompared) {
  const auto read = ReadCampaignSpec(ToJson(spec_), "spec");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->comparison);
  EXPECT_EQ(read->comparison->a, "now");
  EXPECT_EQ(read->comparison->b, "b.conf");
  EXPECT_EQ(read->comparison->candidate, With(1));
}

}  // namespace
}  // namespace hone::tune
