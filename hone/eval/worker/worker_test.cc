// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <semaphore>
#include <stdexcept>
#include <variant>

#include "hone/eval/queue/forwarding_queue.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/eval/worker/worker_pool.h"
#include "hone/testing/fake_clock.h"
#include "hone/testing/fake_domain.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr TaskQueue::Duration kWaitTimeout = 24h * 365;

// A queue that fails to give or to settle as often as it is told to, and tells of renewals.
class FlakyQueue final : public ForwardingQueue {
 public:
  FlakyQueue(TaskQueue& inner, Error error = {}, int take_failures = 0, int settle_failures = 0)
      : ForwardingQueue(inner),
        error_(std::move(error)),
        take_failures_(take_failures),
        settle_failures_(settle_failures) {}

  Result<std::optional<Claim>> Take(const WorkerIdentity& identity, Duration lease_duration,
                                    Duration wait_timeout, std::stop_token stop) override {
    if (take_failures_-- > 0) return error_;
    return ForwardingQueue::Take(identity, lease_duration, wait_timeout, stop);
  }
  Result<void> Renew(const Lease& lease, Duration lease_duration) override {
    auto renewed = ForwardingQueue::Renew(lease, lease_duration);
    renewals_.release();
    return renewed;
  }
  Result<void> Settle(const Lease& lease, const Evaluation& evaluation) override {
    if (settle_failures_-- > 0) return error_;
    return ForwardingQueue::Settle(lease, evaluation);
  }

  // Returns after one more renewal than it did the last time.
  void AwaitRenewal() {
    WaitUntil([this] { return renewals_.try_acquire(); }, "the lease is renewed");
  }

 private:
  const Error error_;
  std::atomic<int> take_failures_;
  std::atomic<int> settle_failures_;
  std::counting_semaphore<> renewals_{0};
};

class WorkerTest : public testing::Test {
 protected:
  static Task MakeTask(const TaskId& id) {
    Task task;
    task.id = id;
    task.domain = "fake";
    task.order = {Arm::kCandidate};
    return task;
  }

  static WorkerSettings MakeSettings() {
    WorkerSettings settings;
    settings.name = "w";
    settings.version = "1.2";
    settings.facts = {{"seccomp", "yes"}, {"cpu", "another"}};
    settings.lease_duration = 30s;
    return settings;
  }

  WorkerPool::Settings PoolSettings(std::size_t workers) {
    WorkerPool::Settings settings;
    settings.workers = workers;
    settings.worker = MakeSettings();
    settings.make_watch = [] { return std::make_unique<FakeWatch>(); };
    settings.card_term = 0s;
    return settings;
  }

  std::unique_ptr<WorkerPool> Start(std::size_t workers = 1) {
    return std::make_unique<WorkerPool>(*queue_, clock_, FakeDomainTable(script_),
                                        PoolSettings(workers));
  }

  void Push(const Task& task) {
    const auto pushed = queue_->Push(task);
    ASSERT_TRUE(pushed) << pushed.error().message;
  }

  Evaluation EvaluationOf(const TaskId& id) {
    const auto settled = queue_->Await(id, kWaitTimeout);
    if (settled && *settled && std::holds_alternative<Evaluation>((*settled)->end)) {
      return std::get<Evaluation>((*settled)->end);
    }
    ADD_FAILURE() << id << " has no evaluation";
    return {};
  }

  Settlement::Drop DropOf(const TaskId& id) {
    const auto settled = queue_->Await(id, kWaitTimeout);
    if (settled && *settled && std::holds_alternative<Settlement::Drop>((*settled)->end)) {
      return std::get<Settlement::Drop>((*settled)->end);
    }
    ADD_FAILURE() << id << " was not dropped";
    return {};
  }

  // Moves the clock on whenever the worker waits, until its session is closed.
  void AdvanceUntilClosed(Clock::Duration step) {
    WaitUntil(
        [&] {
          if (script_.Notes().back() == "close") return true;
          clock_.AwaitWaiters(1);
          clock_.Advance(step);
          return false;
        },
        "the session is closed");
  }

  // A run that lasts until it is told to stop.
  void HoldRuns() {
    script_.run = [this](const RunOrder& order) -> Result<RunResult> {
      running_.count_down();
      WaitForStop(order.stop);
      return Error{Errc::kUnavailable, "stopped"};
    };
  }

  void AwaitRun() {
    WaitUntil([this] { return running_.try_wait(); }, "the run is under way");
  }

  void HoldNothing() {
    script_.run = [](const RunOrder&) -> Result<RunResult> { return FakeScript::ScoreOf(1); };
  }

  FakeClock clock_;
  FakeScript script_;
  std::latch running_{1};
  std::unique_ptr<TaskQueue> queue_ = MakeMemoryQueue(clock_);
};

TEST_F(WorkerTest, SettlesWhatItTakesWithItsProvenance) {
  Push(MakeTask("a"));
  const auto pool = Start();
  const Evaluation evaluation = EvaluationOf("a");
  EXPECT_EQ(evaluation.outcome, Outcome::kAccepted);
  EXPECT_EQ(evaluation.provenance.worker, "w-1");
  EXPECT_EQ(evaluation.provenance.version, "1.2");
  EXPECT_EQ(evaluation.provenance.generation, 1);
  EXPECT_EQ(evaluation.provenance.facts.at("seccomp"), "yes");
  EXPECT_EQ(evaluation.provenance.facts.at("cpu"), "fake") << "what was seen counts more";
  EXPECT_TRUE(pool->Stop());
}

TEST_F(WorkerTest, APoolShowsItsWorkersUntilItStops) {
  WorkerPool::Settings settings = PoolSettings(2);
  settings.card_term = 30s;
  settings.host = "ada";
  settings.worker.has = {{"cpp"}, 512};
  WorkerPool pool(*queue_, clock_, FakeDomainTable(script_), std::move(settings));
  const auto names = [this] {
    std::vector<std::string> shown;
    const auto cards = queue_->Workers();
    for (const WorkerCard& card : *cards) shown.push_back(card.name + " on " + card.host);
    return shown;
  };
  WaitUntil([&] { return names().size() >= 2; }, "both workers show themselves");
  EXPECT_THAT(names(), ElementsAre("w-1 on ada", "w-2 on ada"));
  const WorkerCard card = queue_->Workers()->front();
  EXPECT_EQ(card.version, "1.2");
  EXPECT_EQ(card.has, (Capabilities{{"cpp"}, 512}));
  EXPECT_EQ(card.facts.at("seccomp"), "yes");
  EXPECT_TRUE(pool.Stop());
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(WorkerTest, MoreWorkersThanSlotsBuildTogetherAndRunInTurn) {
  std::latch preparing{3};
  script_.prepare = [&](const Candidate&) {
    preparing.count_down();
    WaitUntil([&] { return preparing.try_wait(); }, "all three prepare at the same time");
    return RunResult{};
  };
  std::atomic<int> running = 0;
  script_.run = [&](const RunOrder& order) -> Result<RunResult> {
    EXPECT_EQ(++running, 1);
    EXPECT_THAT(order.cpus, ElementsAre(1));
    --running;
    return FakeScript::ScoreOf(1);
  };
  script_.needs_slot = true;
  WorkerPool::Settings settings = PoolSettings(3);
  settings.slots = {{{1}}};
  for (const TaskId id : {"a", "b", "c"}) Push(MakeTask(id));
  WorkerPool pool(*queue_, clock_, FakeDomainTable(script_), std::move(settings));
  for (const TaskId id : {"a", "b", "c"}) EvaluationOf(id);
}

TEST_F(WorkerTest, ASessionStaysOpenForTheSameDomainAndOptions) {
  Task other = MakeTask("c");
  other.options = {{"flavour", "sour"}};
  Push(MakeTask("a"));
  Push(MakeTask("b"));
  Push(other);
  Push(MakeTask("d"));
  {
    const auto pool = Start();
    for (const TaskId id : {"a", "b", "c", "d"}) EvaluationOf(id);
  }
  // The domain of "d" is known already, but its session was closed for that of "c".
  EXPECT_THAT(script_.Notes(),
              ElementsAre("make", "open", "close", "make", "open", "close", "open", "close"));
}

TEST_F(WorkerTest, AnIdleWorkerClosesItsSession) {
  Push(MakeTask("a"));
  const auto pool = Start();
  EvaluationOf("a");
  AdvanceUntilClosed(10s);
  EXPECT_THAT(script_.Notes(), ElementsAre("make", "open", "close"));
}

TEST_F(WorkerTest, ACandidatesFailureIsSettledAndNotRetried) {
  script_.run = [](const RunOrder&) -> Result<RunResult> {
    RunResult result;
    result.outcome = Outcome::kCrashed;
    result.reason = "signal 6";
    return result;
  };
  Push(MakeTask("a"));
  const auto pool = Start();
  const Evaluation evaluation = EvaluationOf("a");
  EXPECT_EQ(evaluation.outcome, Outcome::kCrashed);
  EXPECT_EQ(evaluation.provenance.generation, 1);
}

TEST_F(WorkerTest, AFailureOfTheDomainIsRetriedThenAbandonedWithItsReason) {
  int runs = 0;
  script_.run = [&](const RunOrder&) -> Result<RunResult> {
    ++runs;
    return Error{Errc::kUnavailable, "the sandbox would not start"};
  };
  Push(MakeTask("a"));
  const auto pool = Start();
  const Settlement::Drop drop = DropOf("a");
  EXPECT_EQ(drop.why, Dropped::kAbandoned);
  EXPECT_THAT(drop.reason, HasSubstr("the sandbox would not start"));
  EXPECT_EQ(runs, 3);
}

TEST_F(WorkerTest, ADomainThatLostItsHoldEndsTheWorkerAndIsNotTriedAgain) {
  int runs = 0;
  script_.run = [&](const RunOrder&) -> Result<RunResult> {
    ++runs;
    return Error{Errc::kStale, "somebody else changed vm.swappiness"};
  };
  Push(MakeTask("a"));
  std::promise<std::string> told;
  WorkerPool::Settings settings = PoolSettings(1);
  settings.on_failure = [&](const Error& error) { told.set_value(error.message); };
  WorkerPool pool(*queue_, clock_, FakeDomainTable(script_), std::move(settings));
  auto failure = told.get_future();
  WaitUntil([&] { return failure.wait_for(0s) == std::future_status::ready; }, "it is told");
  EXPECT_EQ(failure.get(), "somebody else changed vm.swappiness");
  EXPECT_FALSE(pool.Stop());
  EXPECT_EQ(runs, 1);
}

TEST_F(WorkerTest, AnExceptionOutOfTheDomainIsAFailureOfTheService) {
  script_.run = [](const RunOrder& order) -> Result<RunResult> {
    if (order.seed == 1) throw 42;
    throw std::runtime_error("out of cheese");
  };
  Task odd = MakeTask("b");
  odd.seed = 1;
  Push(MakeTask("a"));
  Push(odd);
  const auto pool = Start();
  EXPECT_THAT(DropOf("a").reason, HasSubstr("out of cheese"));
  EXPECT_EQ(DropOf("b").why, Dropped::kAbandoned);
  EXPECT_TRUE(pool->Stop());
}

TEST_F(WorkerTest, ADomainThatIsNotThereGivesTheTaskBackWithTheReason) {
  Task task = MakeTask("a");
  task.domain = "unheard-of";
  Push(task);
  const auto pool = Start();
  EXPECT_THAT(DropOf("a").reason, HasSubstr("unheard-of"));
}

TEST_F(WorkerTest, TheLeaseIsRenewedWhileARunLasts) {
  std::atomic<bool> may_end = false;
  script_.run = [&](const RunOrder& order) -> Result<RunResult> {
    running_.count_down();
    WaitUntil([&] { return may_end || order.stop.stop_requested(); }, "the run may end");
    return FakeScript::ScoreOf(1);
  };
  Push(MakeTask("a"));
  FlakyQueue queue(*queue_);
  WorkerPool pool(queue, clock_, FakeDomainTable(script_), PoolSettings(1));
  AwaitRun();
  for (int i = 0; i < 12; ++i) {  // Four terms, a third of one at a time.
    clock_.AwaitWaiters(1);
    clock_.Advance(10s);
    queue.AwaitRenewal();
  }
  may_end = true;
  EXPECT_EQ(EvaluationOf("a").provenance.generation, 1);
}

TEST_F(WorkerTest, ACancelledTaskStopsItsRunLongBeforeTheNextRenewal) {
  HoldRuns();
  Push(MakeTask("a"));
  const auto pool = Start();
  AwaitRun();
  clock_.AwaitWaiters(1);
  clock_.Advance(50ms);  // Now somebody listens, with or without the clock.
  ASSERT_TRUE(queue_->Cancel("a"));
  WaitUntil([&] { return script_.Notes().back() == "close"; }, "the session is closed");
  EXPECT_EQ(DropOf("a").why, Dropped::kCancelled);
  EXPECT_TRUE(pool->Stop());
}

TEST_F(WorkerTest, ADeadlineStopsTheRunAndNothingElse) {
  HoldRuns();
  Task task = MakeTask("a");
  task.deadline = clock_.Wall() + 2s;
  Push(task);
  const auto pool = Start();
  AwaitRun();
  AdvanceUntilClosed(100ms);
  EXPECT_EQ(DropOf("a").why, Dropped::kExpired);
  HoldNothing();
  Push(MakeTask("b"));
  EXPECT_EQ(EvaluationOf("b").outcome, Outcome::kAccepted);
  EXPECT_TRUE(pool->Stop());
}

TEST_F(WorkerTest, AStoppedWorkerReleasesItsTaskWithoutCountingAnAttempt) {
  HoldRuns();
  Task task = MakeTask("a");
  task.max_attempts = 1;
  Push(task);
  auto pool = Start();
  AwaitRun();
  EXPECT_TRUE(pool->Stop());
  const auto claim = queue_->Take({}, 30s, 0s);
  ASSERT_TRUE(claim && *claim);
  EXPECT_EQ((*claim)->task.id, "a");
  EXPECT_EQ((*claim)->lease.generation, 2);
  EXPECT_EQ(script_.Notes().back(), "close");
}

TEST_F(WorkerTest, AnIdlePoolStopsAtOnce) {
  const auto pool = Start(4);
  EXPECT_TRUE(pool->Stop());
  EXPECT_TRUE(pool->Stop());
}

TEST_F(WorkerTest, WorkersWithoutTheNeedsLeaveATaskAlone) {
  Task task = MakeTask("gpu");
  task.needs.names = {"gpu"};
  Push(task);
  Push(MakeTask("plain"));
  const auto pool = Start(2);
  EvaluationOf("plain");
  const auto open = queue_->Await("gpu", 0s);
  ASSERT_TRUE(open);
  EXPECT_FALSE(*open);
}

TEST_F(WorkerTest, AWorkerOfACampaignLeavesTheTasksOfOthersAlone) {
  for (const std::string owner : {"toy-1", "toy-2", kEverybody}) {
    Task task = MakeTask("of " + owner);
    task.owner = owner;
    Push(task);
  }
  WorkerPool::Settings settings = PoolSettings(2);
  settings.worker.serves = {"toy-2"};
  WorkerPool pool(*queue_, clock_, FakeDomainTable(script_), settings);
  EvaluationOf("of toy-2");
  EXPECT_TRUE(pool.Stop());
  for (const TaskId id : {"of toy-1", "of "}) {
    const auto view = queue_->Look(id);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->state, TaskState::kWaiting) << id;
    EXPECT_EQ(view->worker, "") << id;
  }
}

TEST_F(WorkerTest, TheHostIsChangedOnlyForAnOwnerWhomTheWorkerServes) {
  script_.changes_host = true;
  Task of_ops = MakeTask("of ops");
  of_ops.owner = "ops";
  Push(MakeTask("of nobody"));
  Push(of_ops);
  WorkerPool::Settings settings = PoolSettings(1);
  settings.worker.serves.insert("ops");
  WorkerPool pool(*queue_, clock_, FakeDomainTable(script_), settings);
  EXPECT_THAT(DropOf("of nobody").reason, HasSubstr("--for OWNER"));
  EXPECT_EQ(EvaluationOf("of ops").outcome, Outcome::kAccepted);
  EXPECT_TRUE(pool.Stop());
  EXPECT_THAT(script_.Notes(), ElementsAre("make", "open", "close"));
}

TEST_F(WorkerTest, FilesOfTheHostAreNotEvenLookedAtForNobody) {
  script_.reads_host = true;
  Push(MakeTask("of nobody"));
  WorkerPool pool(*queue_, clock_, FakeDomainTable(script_), PoolSettings(1));
  EXPECT_THAT(DropOf("of nobody").reason, HasSubstr("reads files of this machine"));
  EXPECT_TRUE(pool.Stop());
  EXPECT_THAT(script_.Notes(), ElementsAre());
}

TEST_F(WorkerTest, APoolSettlesManyTasksExactlyOnce) {
  constexpr int kTasks = 200;
  for (int i = 0; i < kTasks; ++i) Push(MakeTask(std::to_string(i)));
  std::atomic<int> runs = 0;
  script_.run = [&](const RunOrder&) -> Result<RunResult> {
    ++runs;
    return FakeScript::ScoreOf(1);
  };
  const auto pool = Start(4);
  for (int i = 0; i < kTasks; ++i) EXPECT_EQ(EvaluationOf(std::to_string(i)).samples.size(), 1);
  EXPECT_EQ(runs, kTasks);
}

TEST_F(WorkerTest, AQueueThatIsUnavailableForAWhileIsTriedAgain) {
  FlakyQueue flaky(*queue_, {Errc::kUnavailable, "the disk is full"}, 2, 2);
  Push(MakeTask("a"));
  WorkerPool::Settings settings = PoolSettings(1);
  settings.worker.lease_duration =
      kWaitTimeout;  // The clock runs fast below; the lease must not run out.
  WorkerPool pool(flaky, clock_, FakeDomainTable(script_), std::move(settings));
  auto evaluation = std::async(std::launch::async, [this] { return EvaluationOf("a"); });
  WaitUntil(
      [&] {
        clock_.Advance(100ms);
        return evaluation.wait_for(0s) == std::future_status::ready;
      },
      "the task is settled");
  EXPECT_EQ(evaluation.get().task, "a");
  EXPECT_TRUE(pool.Stop());
}

class OutageTest : public WorkerTest, public ::testing::WithParamInterface<Errc> {
 protected:
  static constexpr int kManyFailures = 12;

  WorkerPool::Settings PatientSettings() {
    WorkerPool::Settings settings = PoolSettings(1);
    settings.worker.lease_duration = std::chrono::hours{24};  // The clock runs fast in these tests.
    settings.worker.outlives_outages = true;
    return settings;
  }
};

TEST_P(OutageTest, AWorkerThatOutlivesOutagesIsThereAfterALongOne) {
  FlakyQueue flaky(*queue_, {GetParam(), "Redis is away"}, kManyFailures, kManyFailures);
  Push(MakeTask("a"));
  WorkerPool pool(flaky, clock_, FakeDomainTable(script_), PatientSettings());
  auto evaluation = std::async(std::launch::async, [this] { return EvaluationOf("a"); });
  WaitUntil(
      [&] {
        clock_.Advance(10s);
        return evaluation.wait_for(0s) == std::future_status::ready;
      },
      "the task is settled");
  EXPECT_EQ(evaluation.get().task, "a");
  EXPECT_TRUE(pool.Stop());
}

TEST_P(OutageTest, AWorkerThatWaitsForItsQueueStopsWhenItIsAskedTo) {
  FlakyQueue flaky(*queue_, {GetParam(), "Redis is away"}, kManyFailures);
  WorkerPool pool(flaky, clock_, FakeDomainTable(script_), PatientSettings());
  (void)pool.Stop();  // Does not hang.
}

INSTANTIATE_TEST_SUITE_P(Queues, OutageTest, ::testing::Values(Errc::kUnavailable, Errc::kCorrupt));

TEST_F(WorkerTest, AnEvaluationThatTheQueueRefusesGivesTheTaskBack) {
  FlakyQueue picky(*queue_, {Errc::kInvalidArgument, "17 MiB are too many"}, 0, 3);
  Push(MakeTask("a"));
  WorkerPool pool(picky, clock_, FakeDomainTable(script_), PoolSettings(1));
  EXPECT_THAT(DropOf("a").reason, HasSubstr("17 MiB are too many"));
  EXPECT_TRUE(pool.Stop());
}

TEST_F(WorkerTest, ABrokenQueueEndsTheWorkerAndIsReported) {
  FlakyQueue broken(*queue_, {Errc::kCorrupt, "the file is damaged"}, 1);
  std::promise<std::string> told;
  WorkerPool::Settings settings = PoolSettings(1);
  settings.on_failure = [&](const Error& error) { told.set_value(error.message); };
  WorkerPool pool(broken, clock_, FakeDomainTable(script_), std::move(settings));
  auto failure = told.get_future();
  WaitUntil([&] { return failure.wait_for(0s) == std::future_status::ready; }, "it is told");
  EXPECT_EQ(failure.get(), "the file is damaged");
  const auto stopped = pool.Stop();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::kCorrupt);
}

}  // namespace
}  // namespace hone
