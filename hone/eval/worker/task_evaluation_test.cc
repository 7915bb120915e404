// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/task_evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <limits>
#include <stop_token>
#include <thread>
#include <vector>

#include "hone/testing/fake_clock.h"
#include "hone/testing/fake_domain.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class TaskEvaluationTest : public testing::Test {
 protected:
  static Task MakeTask() {
    Task task;
    task.id = "t";
    task.domain = "fake";
    task.candidate.source = "candidate";
    task.baseline = Candidate{{}, "baseline"};
    task.order = {Arm::kBaseline, Arm::kCandidate, Arm::kCandidate, Arm::kBaseline};
    task.seed = 7;
    task.position = 100;
    task.run_timeout = 5s;
    return task;
  }

  Result<Evaluation> Evaluate(const Task& task) {
    FakeSession session(script_);
    return EvaluateTask(task, {session, facts_, watch_, clock_, slots_}, stop_.get_token());
  }

  // Fails the k-th run of an arm, counted from 1, as `fail` says.
  void FailRun(Arm arm, int k, std::function<RunResult()> fail) {
    script_.run = [arm, k, fail, seen = 0](const RunOrder& order) mutable -> Result<RunResult> {
      if (order.arm == arm && ++seen == k) return fail();
      return FakeScript::ScoreOf(1);
    };
  }

  FakeScript script_;
  DomainFacts facts_ = FakeDomain::MakeFacts();
  FakeWatch watch_;
  FakeClock clock_;
  RunSlots* slots_ = nullptr;
  std::stop_source stop_;
};

TEST_F(TaskEvaluationTest, ASlotIsHeldDuringTheRunsAndNotDuringPreparation) {
  RunSlots slots(std::vector{RunSlot{{3, 4}}});
  slots_ = &slots;
  facts_.needs_slot = true;
  const auto is_free = [&slots] {
    std::atomic<bool> was_taken = false;
    std::atomic<bool> is_over = false;
    std::jthread taker([&](const std::stop_token& stop) {
      was_taken = slots.Acquire(stop).has_value();
      is_over = true;
    });
    WaitUntil([&] { return is_over || slots.waiting() > 0; }, "the slot is taken or waited for");
    taker.request_stop();
    taker.join();
    return was_taken.load();
  };
  int prepared = 0;
  script_.prepare = [&](const Candidate&) {
    ++prepared;
    EXPECT_TRUE(is_free());
    return RunResult{};
  };
  script_.run = [&](const RunOrder& order) -> Result<RunResult> {
    EXPECT_THAT(order.cpus, ElementsAre(3, 4));
    EXPECT_FALSE(is_free());
    return FakeScript::ScoreOf(1);
  };
  ASSERT_TRUE(Evaluate(MakeTask()));
  EXPECT_EQ(prepared, 2);
  EXPECT_TRUE(is_free());
}

TEST_F(TaskEvaluationTest, WithoutNeedNobodyWaitsForASlot) {
  RunSlots slots(std::vector{RunSlot{{3}}});
  slots_ = &slots;
  const auto held = slots.Acquire({});
  script_.run = [](const RunOrder& order) -> Result<RunResult> {
    EXPECT_TRUE(order.cpus.empty());
    return FakeScript::ScoreOf(1);
  };
  EXPECT_TRUE(Evaluate(MakeTask()));
}

TEST_F(TaskEvaluationTest, WhoWaitsForASlotCanBeStopped) {
  RunSlots slots(std::vector{RunSlot{{3}}});
  slots_ = &slots;
  facts_.needs_slot = true;
  const auto held = slots.Acquire({});
  auto evaluation = std::async(std::launch::async, [this] { return Evaluate(MakeTask()); });
  WaitUntil([&] { return slots.waiting() > 0; }, "the slot is waited for");
  stop_.request_stop();
  EXPECT_EQ(evaluation.get().error().code, Errc::kUnavailable);
}

TEST_F(TaskEvaluationTest, ACandidateThatDoesNotPrepareNeedsNoSlot) {
  RunSlots slots(std::vector{RunSlot{{3}}});
  slots_ = &slots;
  facts_.needs_slot = true;
  const auto held = slots.Acquire({});
  script_.prepare = [](const Candidate&) {
    RunResult failed;
    failed.outcome = Outcome::kBuildFailed;
    return failed;
  };
  EXPECT_EQ(Evaluate(MakeTask())->outcome, Outcome::kBuildFailed);
}

TEST_F(TaskEvaluationTest, NoRunMayLastBeyondTheDeadline) {
  Task task = MakeTask();
  task.deadline = clock_.Wall() + 6s;
  std::vector<std::chrono::milliseconds> limits;
  script_.run = [&](const RunOrder& order) -> Result<RunResult> {
    limits.push_back(order.limit);
    clock_.Advance(2s);
    return FakeScript::ScoreOf(1);
  };
  ASSERT_TRUE(Evaluate(task));
  EXPECT_THAT(limits, ElementsAre(5s, 4s, 2s, 1ms));
}

TEST_F(TaskEvaluationTest, RunsStandInTheTasksOrderWithTheirPositions) {
  std::vector<std::string> runs;
  script_.run = [&](const RunOrder& order) -> Result<RunResult> {
    EXPECT_EQ(order.seed, 7);
    EXPECT_EQ(order.limit, 5s);
    runs.push_back(order.candidate.source + " " + std::to_string(order.position));
    clock_.Advance(1500us);
    return FakeScript::ScoreOf(1);
  };
  const WallTime start = clock_.Wall();
  const auto evaluation = Evaluate(MakeTask());
  ASSERT_TRUE(evaluation) << evaluation.error().message;
  EXPECT_THAT(runs, ElementsAre("baseline 100", "candidate 101", "candidate 102", "baseline 103"));
  ASSERT_EQ(evaluation->samples.size(), 4);
  EXPECT_EQ(evaluation->samples[3].arm, Arm::kBaseline);
  EXPECT_EQ(evaluation->samples[1].started, start + 1500us);
  EXPECT_EQ(evaluation->samples[1].duration, 1500us);
  EXPECT_THAT(evaluation->samples[1].marks, ElementsAre("load 3.2"));
  EXPECT_EQ(evaluation->provenance.started, start);
  EXPECT_EQ(evaluation->provenance.finished, start + 6ms);
  EXPECT_EQ(evaluation->provenance.facts.at("cpu"), "fake");
  EXPECT_EQ(evaluation->outcome, Outcome::kAccepted);
  EXPECT_EQ(evaluation->task, "t");
}

TEST_F(TaskEvaluationTest, TimesThatTheDomainMeasuredItselfAreKept) {
  script_.run = [&](const RunOrder&) -> Result<RunResult> {
    clock_.Advance(1s);
    RunResult result = FakeScript::ScoreOf(1);
    result.sample.started = clock_.Wall();
    result.sample.duration = 20us;
    return result;
  };
  const WallTime start = clock_.Wall();
  const auto evaluation = Evaluate(MakeTask());
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->samples[0].started, start + 1s);
  EXPECT_EQ(evaluation->samples[0].duration, 20us);
}

TEST_F(TaskEvaluationTest, MetricsAreARobustCentreOfTheCandidatesRuns) {
  Task task = MakeTask();
  task.order.assign(8, Arm::kCandidate);
  task.order.push_back(Arm::kBaseline);
  script_.run = [](const RunOrder& order) -> Result<RunResult> {
    if (order.arm == Arm::kBaseline) return FakeScript::ScoreOf(-1000);
    const auto k = static_cast<double>(order.position - 100);
    return FakeScript::ScoreOf(k == 7 ? 1e9 : 10 + k);  // One run is wild.
  };
  const auto evaluation = Evaluate(task);
  ASSERT_TRUE(evaluation);
  ASSERT_EQ(evaluation->metrics.size(), 1);
  const Metric& metric = evaluation->metrics[0];
  EXPECT_EQ(metric.name, "score");
  EXPECT_EQ(metric.unit, "points");
  EXPECT_EQ(metric.count, 8);
  EXPECT_GT(metric.value, 10);
  EXPECT_LT(metric.value, 17);
  EXPECT_GT(metric.spread, 0);
  EXPECT_TRUE(std::isfinite(metric.spread));
}

TEST_F(TaskEvaluationTest, ASingleRunsSpreadIsItsOwnAndTwoRunsHaveAFiniteOne) {
  Task task = MakeTask();
  task.order = {Arm::kCandidate};
  const auto one = Evaluate(task);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->metrics[0], (Metric{"score", "points", 1, 0.25, 1}));
  script_.run = [](const RunOrder& order) -> Result<RunResult> {
    return FakeScript::ScoreOf(static_cast<double>(order.position));
  };
  task.order = {Arm::kCandidate, Arm::kCandidate};
  const auto two = Evaluate(task);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->metrics[0].value, 100.5);
  EXPECT_TRUE(std::isfinite(two->metrics[0].spread)) << two->metrics[0].spread;
}

TEST_F(TaskEvaluationTest, TheFirstFailureOfTheCandidateEndsItAndKeepsWhatThereIs) {
  FailRun(Arm::kCandidate, 2, [] {
    RunResult result;
    result.outcome = Outcome::kCrashed;
    result.reason = "signal 11";
    result.evidence = {{"stderr", "boom"}};
    return result;
  });
  const auto evaluation = Evaluate(MakeTask());
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->outcome, Outcome::kCrashed);
  EXPECT_EQ(evaluation->reason, "signal 11");
  EXPECT_THAT(evaluation->evidence, ElementsAre(Evidence{"stderr", "boom"}));
  EXPECT_EQ(evaluation->samples.size(), 2);
  EXPECT_EQ(evaluation->metrics[0].count, 1);
}

TEST_F(TaskEvaluationTest, ACandidateThatDoesNotBuildRunsNothing) {
  script_.prepare = [](const Candidate& candidate) {
    RunResult result;
    if (candidate.source == "candidate") result.outcome = Outcome::kBuildFailed;
    result.reason = "line 3: no";
    return result;
  };
  script_.run = [](const RunOrder&) -> Result<RunResult> {
    ADD_FAILURE() << "nothing may run";
    return FakeScript::ScoreOf(1);
  };
  const auto evaluation = Evaluate(MakeTask());
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->outcome, Outcome::kBuildFailed);
  EXPECT_EQ(evaluation->reason, "line 3: no");
  EXPECT_TRUE(evaluation->samples.empty());
  EXPECT_TRUE(evaluation->metrics.empty());
}

TEST_F(TaskEvaluationTest, ADeclaredMetricThatIsMissingOrNotFiniteIsWrong) {
  for (const auto& metrics : {std::map<std::string, Reading>{{"other", {1, 0, 1}}},
                              {{"score", {std::nan(""), 0, 1}}},
                              {{"score", {1, kInfinity, 1}}}}) {
    FailRun(Arm::kCandidate, 1, [&] {
      RunResult result;
      result.sample.metrics = metrics;
      return result;
    });
    const auto evaluation = Evaluate(MakeTask());
    ASSERT_TRUE(evaluation);
    EXPECT_EQ(evaluation->outcome, Outcome::kWrong);
    EXPECT_THAT(evaluation->reason, HasSubstr("score"));
    EXPECT_EQ(evaluation->samples.size(), 1);
  }
}

TEST_F(TaskEvaluationTest, AnObservationThatIsNotFiniteIsLeftOutAndMarked) {
  script_.run = [](const RunOrder&) -> Result<RunResult> {
    RunResult result = FakeScript::ScoreOf(1);
    result.sample.observations = {{"load", kInfinity}, {"rate", 2}};
    return result;
  };
  const auto evaluation = Evaluate(MakeTask());
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->samples[0].observations, (std::map<std::string, double>{{"rate", 2}}));
  EXPECT_THAT(evaluation->samples[0].marks, testing::Contains(HasSubstr("load")));
}

TEST_F(TaskEvaluationTest, ABaselineThatFailsAgainstItselfIsAnOutcome) {
  FailRun(Arm::kBaseline, 1, [] {
    RunResult result;
    result.outcome = Outcome::kCrashed;
    result.reason = "the benchmark exited with status 3";
    result.evidence = {{"benchmark: errors", "no such table"}};
    return result;
  });
  Task task = MakeTask();
  task.candidate = *task.baseline;
  const auto evaluation = Evaluate(task);
  ASSERT_TRUE(evaluation) << evaluation.error().message;
  EXPECT_EQ(evaluation->outcome, Outcome::kCrashed);
  EXPECT_EQ(evaluation->reason, "the benchmark exited with status 3");
  EXPECT_THAT(evaluation->evidence,
              testing::Contains(Evidence{"benchmark: errors", "no such table"}));
}

TEST_F(TaskEvaluationTest, AFailureOfTheBaselineIsNotTheCandidatesFault) {
  FailRun(Arm::kBaseline, 2, [] {
    RunResult result;
    result.outcome = Outcome::kTimedOut;
    result.reason = "took longer than 5 s";
    return result;
  });
  const auto late = Evaluate(MakeTask());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::kUnavailable);
  EXPECT_THAT(late.error().message, HasSubstr("the baseline itself"));
  EXPECT_THAT(late.error().message, HasSubstr("took longer than 5 s"));

  FailRun(Arm::kBaseline, 1, [] { return RunResult{}; });  // Accepted, but without its metric.
  const auto wrong = Evaluate(MakeTask());
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("score"));
}

TEST_F(TaskEvaluationTest, AnErrorOfTheSessionIsPassedOn) {
  script_.run = [](const RunOrder&) -> Result<RunResult> {
    return Error{Errc::kUnsupported, "no cgroup"};
  };
  const auto evaluation = Evaluate(MakeTask());
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().message, "no cgroup");
}

TEST_F(TaskEvaluationTest, AskedToStopItEndsAfterTheRunInHand) {
  int runs = 0;
  script_.run = [&](const RunOrder& order) -> Result<RunResult> {
    if (++runs == 2) stop_.request_stop();
    EXPECT_EQ(order.stop.stop_requested(), runs == 2);
    return FakeScript::ScoreOf(1);
  };
  const auto evaluation = Evaluate(MakeTask());
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, Errc::kUnavailable);
  EXPECT_EQ(runs, 2);
}

// Where the domain runs side by side.
class SideBySideTest : public TaskEvaluationTest {
 protected:
  SideBySideTest() { facts_.runs_side_by_side = true; }

  Task TaskOf(std::vector<Arm> order) {
    Task task = MakeTask();
    task.order = std::move(order);
    return task;
  }

  std::ptrdiff_t PairsMade() {
    const auto notes = script_.Notes();
    return std::count(notes.begin(), notes.end(), "together");
  }

  static RunResult Crash() { return {Outcome::kCrashed, "signal 11", {}, {{"stderr", "boom"}}}; }
};

TEST_F(SideBySideTest, NeighboursOfDifferentArmsRunTogetherAndTheSlotsAreSwapped) {
  std::vector<std::string> runs;
  script_.run = [&](const RunOrder& order) -> Result<RunResult> {
    runs.push_back(order.candidate.source + " " + std::to_string(order.position));
    return FakeScript::ScoreOf(static_cast<double>(order.position));
  };
  const auto evaluation = Evaluate(MakeTask());
  ASSERT_TRUE(evaluation) << evaluation.error().message;
  EXPECT_EQ(PairsMade(), 2);
  EXPECT_THAT(runs, ElementsAre("baseline 100", "candidate 101", "candidate 102", "baseline 103"));
  ASSERT_EQ(evaluation->samples.size(), 4);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(evaluation->samples[k].arm, MakeTask().order[k]);
    EXPECT_EQ(evaluation->samples[k].metrics.at("score").value, 100.0 + static_cast<double>(k));
    EXPECT_THAT(evaluation->samples[k].marks, ElementsAre("load 3.2"));
  }
}

TEST_F(SideBySideTest, RunsOfOneArmInARowAndALeftOverOneAreMadeSingly) {
  const auto evaluation =
      Evaluate(TaskOf({Arm::kCandidate, Arm::kCandidate, Arm::kBaseline, Arm::kBaseline}));
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(PairsMade(), 1);
  EXPECT_EQ(evaluation->samples.size(), 4);
  const auto odd = Evaluate(TaskOf({Arm::kBaseline, Arm::kCandidate, Arm::kBaseline}));
  ASSERT_TRUE(odd);
  EXPECT_EQ(PairsMade(), 2);
  EXPECT_EQ(odd->samples.size(), 3);
}

TEST_F(SideBySideTest, ADomainThatDoesNotSaySoIsNeverAskedForPairs) {
  facts_.runs_side_by_side = false;
  ASSERT_TRUE(Evaluate(MakeTask()));
  EXPECT_EQ(PairsMade(), 0);
}

TEST_F(SideBySideTest, ACandidateThatFailsKeepsWhatStandsBeforeItInTheOrder) {
  FailRun(Arm::kCandidate, 1, Crash);
  const auto second = Evaluate(TaskOf({Arm::kBaseline, Arm::kCandidate}));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->outcome, Outcome::kCrashed);
  EXPECT_EQ(second->samples.size(), 1);
  EXPECT_THAT(second->evidence, ElementsAre(Evidence{"stderr", "boom"}));

  FailRun(Arm::kCandidate, 1, Crash);
  const auto first = Evaluate(TaskOf({Arm::kCandidate, Arm::kBaseline, Arm::kBaseline}));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->outcome, Outcome::kCrashed);
  EXPECT_TRUE(first->samples.empty());
}

TEST_F(SideBySideTest, WhatFailsBothIsNotTheCandidatesFault) {
  script_.run = [](const RunOrder&) -> Result<RunResult> { return Crash(); };
  for (const auto& order : {std::vector{Arm::kCandidate, Arm::kBaseline},
                            std::vector{Arm::kBaseline, Arm::kCandidate}}) {
    const auto evaluation = Evaluate(TaskOf(order));
    ASSERT_FALSE(evaluation);
    EXPECT_EQ(evaluation.error().code, Errc::kUnavailable);
    EXPECT_THAT(evaluation.error().message, HasSubstr("the baseline itself"));
  }
}

TEST_F(SideBySideTest, AnErrorOfAPairIsPassedOn) {
  script_.run = [](const RunOrder& order) -> Result<RunResult> {
    if (order.arm == Arm::kCandidate) return Error{Errc::kStale, "somebody else"};
    return FakeScript::ScoreOf(1);
  };
  const auto evaluation = Evaluate(MakeTask());
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, Errc::kStale);
}

}  // namespace
}  // namespace hone
