// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/core/rng.h"
#include "hone/eval/queue/forwarding_queue.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using namespace std::chrono_literals;

// What is posted waits until the test runs it.
class ServiceTest : public testing::Test {
 protected:
  void RunPosted() {
    for (;;) {
      std::vector<std::function<void()>> works;
      {
        const std::lock_guard lock(mutex_);
        works.swap(posted_);
      }
      if (works.empty()) return;
      for (const auto& work : works) work();
    }
  }

  bool IsPosted() {
    const std::lock_guard lock(mutex_);
    return !posted_.empty();
  }

  void Settle(const std::string& reason) {
    const auto claim = queue_->Take({"worker", {}}, 1min, 0ms);
    ASSERT_TRUE(claim && *claim);
    Evaluation evaluation;
    evaluation.task = (*claim)->task.id;
    evaluation.reason = reason;
    ASSERT_TRUE(queue_->Settle((*claim)->lease, evaluation));
  }

  FakeClock clock_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  const std::unique_ptr<TaskQueue> queue_ = MakeMemoryQueue(clock_);
  Stats stats_{clock_};
  OpenTasks open_;
  TimerQueue timers_{clock_};
  TaskWaiters waiters_{*queue_, timers_,
                       [this](std::function<void()> work) {
                         const std::lock_guard lock(mutex_);
                         posted_.push_back(std::move(work));
                       },
                       [](const Settled&, const Settlement&) {}};
  Service service_{*queue_, clock_, waiters_, stats_, open_, {}};
};

// Else a client that sent a corrected kernel is given the verdict of the one before.
TEST_F(ServiceTest, LateNewsOfAnEarlierTaskEndNoWaitForTheNewOne) {
  Task task;
  task.id = "a";
  task.domain = "toy";
  ASSERT_TRUE(service_.Submit(task, false, {}));
  Settle("the first");
  WaitUntil([&] { return IsPosted(); }, "the end of the first is told");
  ASSERT_TRUE(service_.Submit(task, true, {}));
  std::optional<Result<TaskView>> view;
  Start(service_.Wait("a", clock_.Now() + 1h, {}, {}),
        [&](std::optional<Result<TaskView>> found, const std::exception_ptr&) {
          view = std::move(found);
        });
  RunPosted();
  EXPECT_FALSE(view);
  Settle("the second");
  WaitUntil(
      [&] {
        RunPosted();
        return view.has_value();
      },
      "the end of the second is told");
  ASSERT_TRUE(*view);
  EXPECT_EQ(std::get<Evaluation>((*view)->settlement->end).reason, "the second");
}

Task TaskNamed(const std::string& id) {
  Task task;
  task.id = id;
  task.domain = "toy";
  return task;
}

class CountedQueue final : public ForwardingQueue {
 public:
  using ForwardingQueue::ForwardingQueue;

  Result<std::optional<Settlement>> Await(const TaskId& task, Duration wait_timeout,
                                          std::stop_token stop) override {
    ++awaits;
    return below().Await(task, wait_timeout, std::move(stop));
  }
  Result<TaskView> Look(const TaskId& task) override {
    ++looks;
    return below().Look(task);
  }

  int awaits = 0;
  int looks = 0;
};

TEST_F(ServiceTest, WhoWaitsAsksTheQueueOnceBeforeAndOnceWhenItIsCalled) {
  CountedQueue counted(*queue_);
  Service service{counted, clock_, waiters_, stats_, open_, {}};
  ASSERT_TRUE(service.Submit(TaskNamed("a"), false, {}));
  std::optional<Result<TaskView>> view;
  Start(service.Wait("a", clock_.Now() + 1h, {}, {}),
        [&](std::optional<Result<TaskView>> found, const std::exception_ptr&) {
          view = std::move(found);
        });
  Settle("the only one");
  WaitUntil(
      [&] {
        RunPosted();
        return view.has_value();
      },
      "its end is told");
  ASSERT_TRUE(*view);
  EXPECT_EQ((*view)->state, TaskState::kSettled);
  EXPECT_EQ(counted.awaits, 1);
  EXPECT_EQ(counted.looks, 1);
}

// Loses the first settlement, as a server that dies then.
class LossyQueue final : public ForwardingQueue {
 public:
  using ForwardingQueue::ForwardingQueue;

  Result<void> Settle(const Lease& lease, const Evaluation& evaluation) override {
    if (std::exchange(has_lost_, true)) return below().Settle(lease, evaluation);
    return Error{Errc::kUnavailable, "lost"};
  }

 private:
  bool has_lost_ = false;
};

TEST_F(ServiceTest, IdsOfTheSameDigestOf64BitsAreRejectedEachForItself) {
  // FNV-1a of 64 bits is the same for both.
  const std::string one = "8yn0iYCKYHlIj4-BwPqk";
  const std::string other = "GReLUrM4wMqfg9yzV3KQ";
  ASSERT_EQ(DigestOf(one), DigestOf(other));
  LossyQueue lossy(*queue_);
  Service service{lossy, clock_, waiters_, stats_, open_, {}};
  EXPECT_FALSE(service.Reject(TaskNamed(one), "the one", false, {})) << "nobody has settled it";
  clock_.Advance(1h);  // It is offered again.
  const auto rejected = service.Reject(TaskNamed(other), "the other", false, {});
  ASSERT_TRUE(rejected) << rejected.error().message;
  EXPECT_EQ(service.Look(one, {})->state, TaskState::kWaiting);
  const auto view = service.Look(other, {});
  ASSERT_TRUE(view && view->settlement);
  EXPECT_EQ(std::get<Evaluation>(view->settlement->end).reason, "the other");
  ASSERT_TRUE(service.Reject(TaskNamed(one), "the one", false, {})) << "asked again, it is";
  EXPECT_EQ(std::get<Evaluation>(service.Look(one, {})->settlement->end).reason, "the one");
}

}  // namespace
}  // namespace hone::server
