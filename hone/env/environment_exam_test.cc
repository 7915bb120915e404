// SPDX-License-Identifier: Apache-2.0
#include "hone/env/environment_exam.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone::env {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// What an environment can get wrong. One without any of it passes the exam.
struct Flaws {
  bool declares_nothing = false;
  bool repeats_name = false;
  bool observes_too_much = false;
  bool rewards_nan = false;
  bool never_ends = false;
  bool ends_both_ways = false;
  bool remembers_episodes = false;
  bool steps_anytime = false;
  bool resets_halfway = false;
  bool takes_any_action = false;
  bool does_not_clamp = false;
};

// The reward is the sum of all actions so far, the seed besides.
class FlawedEnvironment final : public Environment {
 public:
  explicit FlawedEnvironment(const Flaws& flaws) : flaws_(flaws) {
    if (flaws.declares_nothing) return;
    facts_ = {.action_size = 2, .observations = {"sum", "step"}, .max_steps = 4};
    if (flaws.repeats_name) facts_.observations = {"sum", "sum"};
  }

  const EnvironmentFacts& Facts() const override { return facts_; }

  Result<std::vector<double>> Reset(std::uint64_t seed) override {
    const bool is_halfway = is_going_on_ && flaws_.resets_halfway;
    if (!is_halfway && !flaws_.remembers_episodes) sum_ = 0;
    sum_ += static_cast<double>(seed);
    step_ = 0;
    is_going_on_ = true;
    return Observe();
  }

  Result<Transition> Step(std::span<const double> action) override {
    if (!is_going_on_ && !flaws_.steps_anytime) return Refusal();
    const bool is_good = action.size() == facts_.action_size &&
                         std::ranges::all_of(action, [](double x) { return std::isfinite(x); });
    if (!is_good && !flaws_.takes_any_action) return Refusal();
    for (const double x : action) sum_ += flaws_.does_not_clamp ? x : std::clamp(x, 0.0, 1.0);
    ++step_;
    Transition transition;
    transition.reward = flaws_.rewards_nan ? std::numeric_limits<double>::quiet_NaN() : sum_;
    transition.is_truncated = step_ >= facts_.max_steps && !flaws_.never_ends;
    transition.is_terminated = transition.is_truncated && flaws_.ends_both_ways;
    transition.observation = Observe();
    is_going_on_ = !transition.IsEnd();
    return transition;
  }

 private:
  static Error Refusal() { return {Errc::kInvalidArgument, "no"}; }

  std::vector<double> Observe() const {
    std::vector<double> observation = {sum_, static_cast<double>(step_)};
    if (flaws_.observes_too_much) observation.push_back(1);
    return observation;
  }

  Flaws flaws_;
  EnvironmentFacts facts_;
  double sum_ = 0;
  std::int64_t step_ = 0;
  bool is_going_on_ = false;
};

EnvironmentExam ExamOf(const Flaws& flaws) {
  EnvironmentExam exam;
  exam.make = [flaws]() -> Result<std::unique_ptr<Environment>> {
    return std::make_unique<FlawedEnvironment>(flaws);
  };
  return exam;
}

// Which question notices the flaw.
struct FlawCase {
  std::string question;
  bool Flaws::*flaw;
};

class EnvironmentExamFlawTest : public ::testing::TestWithParam<FlawCase> {};

TEST_P(EnvironmentExamFlawTest, IsNoticed) {
  Flaws flaws;
  flaws.*GetParam().flaw = true;
  EXPECT_THAT(ComplaintsAbout(ExamOf(flaws)), Contains(StartsWith(GetParam().question + ": ")));
}

INSTANTIATE_TEST_SUITE_P(
    All, EnvironmentExamFlawTest,
    ::testing::Values(FlawCase{"FactsAreComplete", &Flaws::declares_nothing},
                      FlawCase{"FactsAreComplete", &Flaws::repeats_name},
                      FlawCase{"ObservationsAreAsDeclared", &Flaws::observes_too_much},
                      FlawCase{"ObservationsAreAsDeclared", &Flaws::rewards_nan},
                      FlawCase{"EpisodesEndOnceAndInOneWay", &Flaws::never_ends},
                      FlawCase{"EpisodesEndOnceAndInOneWay", &Flaws::ends_both_ways},
                      FlawCase{"SameSeedAndActionsGiveTheSameTransitions",
                               &Flaws::remembers_episodes},
                      FlawCase{"StepOutsideAnEpisodeIsRefused", &Flaws::steps_anytime},
                      FlawCase{"ResetInTheMiddleBeginsAnew", &Flaws::resets_halfway},
                      FlawCase{"BadActionIsRefusedAndLeavesNoTrace", &Flaws::takes_any_action},
                      FlawCase{"ActionsOutsideTheCubeAreClamped", &Flaws::does_not_clamp}));

TEST(EnvironmentExamTest, PassesAnEnvironmentWithoutFlaws) {
  EXPECT_THAT(ComplaintsAbout(ExamOf({})), IsEmpty());
}

TEST(EnvironmentExamTest, NoticesWhatCannotBeMade) {
  EnvironmentExam exam;
  exam.make = []() -> Result<std::unique_ptr<Environment>> {
    return Error{Errc::kUnavailable, "not today"};
  };
  EXPECT_THAT(ComplaintsAbout(exam), Contains("FactsAreComplete: not today"));
}

}  // namespace
}  // namespace hone::env
