// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/temp_dir.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/testing/fake_clock.h"

// What the sentences of task_queue_contract.h are said with.
namespace hone {

using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""h;

struct QueueExam {
  // Makes a queue that takes the time from `clock`. A durable one keeps its tasks in `folder`:
  // made there again, also while another is open, it has the same tasks.
  std::function<std::unique_ptr<TaskQueue>(Clock& clock, const std::filesystem::path& folder)> make;

  // Why there can be no such queue on this machine; empty if there can.
  std::function<std::string()> why_not = [] { return std::string(); };
};

inline std::ostream& operator<<(std::ostream& out, const QueueExam&) { return out << "a queue"; }

// A clock that the test moves, and that knows until when somebody last chose to wait.
class WatchedClock final : public Clock {
 public:
  Monotonic Now() const override { return fake_.Now(); }
  WallTime Wall() const override { return fake_.Wall(); }
  void WaitUntil(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                 Monotonic until) override {
    {
      const std::lock_guard hold(mutex_);
      last_until_ = until;
      ++waits_;
    }
    fake_.WaitUntil(changed, lock, until);
  }

  void Advance(Duration step) { fake_.Advance(step); }
  void AwaitWaiters(std::size_t count) { fake_.AwaitWaiters(count); }

  Duration LastWait() const {
    const std::lock_guard hold(mutex_);
    return last_until_ - fake_.Now();
  }
  int Waits() const {
    const std::lock_guard hold(mutex_);
    return waits_;
  }

 private:
  FakeClock fake_;
  mutable std::mutex mutex_;
  Monotonic last_until_;
  int waits_ = 0;
};

class TaskQueueContract : public testing::TestWithParam<QueueExam> {
 protected:
  static constexpr TaskQueue::Duration kLeaseDuration = 30s;
  static constexpr TaskQueue::Duration kNow = 0s;
  static constexpr TaskQueue::Duration kLong = 24h;

  void SetUp() override {
    if (const std::string reason = GetParam().why_not(); !reason.empty()) GTEST_SKIP() << reason;
    auto folder = TempDir::Make("queue");
    ASSERT_TRUE(folder) << folder.error().message;
    folder_.emplace(std::move(*folder));
    queue_ = MakeQueue();
  }

  std::unique_ptr<TaskQueue> MakeQueue() { return GetParam().make(clock_, folder_->path()); }
  TaskQueue& queue() { return *queue_; }

  static Task MakeTask(const TaskId& id, int priority = 0) {
    Task task;
    task.id = id;
    task.domain = "toy";
    task.order = {Arm::kCandidate};
    task.candidate.assignment = {{"x", 0.1}};
    task.priority = priority;
    return task;
  }

  static Task MakeTaskOf(const std::string& owner, const TaskId& id, int priority = 0) {
    Task task = MakeTask(id, priority);
    task.owner = owner;
    return task;
  }

  static Evaluation MakeEvaluation(const TaskId& id, double value = 1) {
    Evaluation evaluation;
    evaluation.task = id;
    Sample sample;
    sample.metrics = {{"score", {value, 0.5, 3}}};
    sample.observations = {{"load", 0.25}};
    sample.marks = {"steal 7 %"};
    sample.duration = 1500us;
    evaluation.samples = {sample};
    evaluation.metrics = {{"score", "points", value, 0.5, 1}};
    evaluation.evidence = {{"log", "line 1\nline 2 \"quoted\""}};
    evaluation.provenance.worker = "w";
    return evaluation;
  }

  void Push(const Task& task) {
    const auto pushed = queue().Push(task);
    ASSERT_TRUE(pushed) << pushed.error().message;
  }

  // What is there to take now; an empty id if nothing is.
  Claim Take(const Capabilities& has = {}, TaskQueue::Duration lease_duration = kLeaseDuration) {
    return ClaimIn(queue().Take({"w", has}, lease_duration, kNow));
  }

  // The same for a worker that serves these owners.
  Claim TakeFor(const std::set<std::string>& serves) {
    return ClaimIn(queue().Take({"w", {}, serves}, kLeaseDuration, kNow));
  }

  static Claim ClaimIn(const Result<std::optional<Claim>>& taken) {
    if (!taken) ADD_FAILURE() << taken.error().message;
    return taken && *taken ? **taken : Claim{};
  }

  std::future<Claim> TakeInBackground(std::stop_token stop = {}) {
    return TakeInBackgroundFor({kEverybody}, std::move(stop));
  }

  std::future<Claim> TakeInBackgroundFor(const std::set<std::string>& serves,
                                         std::stop_token stop = {}) {
    return std::async(std::launch::async, [this, serves, stop] {
      return ClaimIn(queue().Take({"w", {}, serves}, kLeaseDuration, kLong, stop));
    });
  }

  // How the task ended, in a word and the reason; "open" if it has not.
  static std::pair<std::string, std::string> Words(
      const Result<std::optional<Settlement>>& awaited) {
    if (!awaited) return {"error", awaited.error().message};
    if (!*awaited) return {"open", ""};
    if (std::holds_alternative<Evaluation>((*awaited)->end)) return {"evaluated", ""};
    const auto& drop = std::get<Settlement::Drop>((*awaited)->end);
    const std::map<Dropped, std::string> names = {{Dropped::kCancelled, "cancelled"},
                                                  {Dropped::kExpired, "expired"},
                                                  {Dropped::kAbandoned, "abandoned"}};
    return {names.at(drop.why), drop.reason};
  }

  std::string EndOf(const TaskId& id) { return Words(queue().Await(id, kNow)).first; }
  std::string ReasonOf(const TaskId& id) { return Words(queue().Await(id, kNow)).second; }

  std::future<std::string> AwaitInBackground(const TaskId& id, std::stop_token stop = {}) {
    return std::async(std::launch::async,
                      [this, id, stop] { return Words(queue().Await(id, kLong, stop)).first; });
  }

  static bool IsStale(const Result<void>& result) {
    return !result && result.error().code == Errc::kStale;
  }

  void ExpectLost(const Lease& lease) {
    EXPECT_TRUE(IsStale(queue().Settle(lease, MakeEvaluation(lease.task))));
    EXPECT_TRUE(IsStale(queue().Renew(lease, kLeaseDuration)));
    EXPECT_TRUE(IsStale(queue().Return(lease, "late")));
    EXPECT_TRUE(IsStale(queue().Release(lease)));
  }

  // Pushes and settles it.
  void Finish(const TaskId& id) {
    Push(MakeTask(id));
    const Claim claim = Take();
    ASSERT_EQ(claim.task.id, id);
    const auto settled = queue().Settle(claim.lease, MakeEvaluation(id));
    ASSERT_TRUE(settled) << settled.error().message;
  }

  TaskView Look(const TaskId& id) {
    const auto view = queue().Look(id);
    if (!view) ADD_FAILURE() << view.error().message;
    return view ? *view : TaskView{};
  }

  // The tasks of the feed after this sequence.
  static std::vector<TaskId> IdsIn(const Result<std::vector<Settled>>& settled) {
    if (!settled) ADD_FAILURE() << settled.error().message;
    std::vector<TaskId> ids;
    if (!settled) return ids;
    for (const Settled& one : *settled) ids.push_back(one.task);
    return ids;
  }
  std::vector<TaskId> Feed(std::uint64_t after = 0, std::size_t max = 100) {
    return IdsIn(queue().SettledAfter(after, max, kNow));
  }
  std::future<std::vector<TaskId>> FeedInBackground(std::uint64_t after,
                                                    std::stop_token stop = {}) {
    return std::async(std::launch::async, [this, after, stop] {
      return IdsIn(queue().SettledAfter(after, 100, kLong, stop));
    });
  }

  static WorkerCard MakeCard(const std::string& name) {
    return {
        name, "host", "1.2", {{"cpp"}, 4096}, WallTime{5s}, WallTime{}, {{"cpu", "fast \"2\""}}};
  }
  std::vector<std::string> WorkerNames() {
    const auto cards = queue().Workers();
    if (!cards) ADD_FAILURE() << cards.error().message;
    std::vector<std::string> names;
    for (const WorkerCard& card : cards.value_or(std::vector<WorkerCard>{})) {
      names.push_back(card.name);
    }
    return names;
  }

  WatchedClock clock_;
  std::optional<TempDir> folder_;
  std::unique_ptr<TaskQueue> queue_;
};

// What durable queues promise besides.
class DurableQueueContract : public TaskQueueContract {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DurableQueueContract);

}  // namespace hone
