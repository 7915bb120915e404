// SPDX-License-Identifier: Apache-2.0
// The Redis queue when Redis, or the way to it, has a bad day.
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "hone/core/rng.h"
#include "hone/eval/redis/redis_for_test.h"
#include "hone/testing/test_proxy.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class RedisFaultsTest : public OwnRedisTest {};

TEST_F(RedisFaultsTest, ScriptsThatWereFlushedAreSentAgain) {
  const auto queue = Open();
  redis_->Do({"SCRIPT", "FLUSH"});
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  const Claim claim = Take(*queue);
  redis_->Do({"SCRIPT", "FLUSH"});
  EXPECT_TRUE(queue->Settle(claim.lease, MakeEvaluation("a")));
  EXPECT_EQ(EndOf(*queue, "a"), "evaluated");
}

TEST_F(RedisFaultsTest, WhoeverWaitsConnectsAgainWhenItsConnectionsAreKilled) {
  const auto queue = Open();
  auto taken = TakeInBackground(*queue);
  for (int i = 0; i < 5; ++i) {
    redis_->Do({"CLIENT", "KILL", "TYPE", "normal"});
    redis_->Do({"CLIENT", "KILL", "TYPE", "pubsub"});
    WaitUntil(
        [&] {
          return redis_->Do({"PUBSUB", "NUMSUB", "{q}:bell"}) == "{q}:bell\n1\n";
        },
        "the listener is connected again");
  }
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  EXPECT_EQ(taken.get().task.id, "a");
}

TEST_F(RedisFaultsTest, AfterAFlushTasksAreUnknownAndNobodyHangs) {
  const auto queue = Open();
  ASSERT_TRUE(queue->Push(MakeTask("held")));
  const Claim held = Take(*queue);
  const long takes = Calls("smembers");
  const long loads = Calls("hmget");
  auto taken = TakeInBackground(*queue);
  auto end = std::async(std::launch::async, [&] { return queue->Await("held", 1h); });
  AwaitCalls("smembers", takes + 1);
  AwaitCalls("hmget", loads + 1);
  redis_->Do({"FLUSHALL"});
  const auto lost = end.get();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Errc::kNotFound);
  EXPECT_EQ(queue->Settle(held.lease, MakeEvaluation("held")).error().code, Errc::kStale);
  ASSERT_TRUE(queue->Push(MakeTask("new")));
  EXPECT_EQ(taken.get().task.id, "new");
}

TEST_F(RedisFaultsTest, TheFeedGoesOnAfterAFlushForAReaderFromBefore) {
  const auto queue = Open();
  for (const TaskId id : {"a", "b", "c"}) {
    ASSERT_TRUE(queue->Push(MakeTask(id)));
    ASSERT_TRUE(queue->Cancel(id));
  }
  const std::uint64_t last = *queue->LastSettled();
  redis_->Do({"FLUSHALL"});
  ASSERT_TRUE(queue->Push(MakeTask("d")));
  ASSERT_TRUE(queue->Cancel("d"));
  const auto news = queue->SettledAfter(last, 10, 10s);
  ASSERT_TRUE(news) << news.error().message;
  ASSERT_EQ(news->size(), 1);
  EXPECT_EQ(news->front().task, "d");
}

TEST_F(RedisFaultsTest, ARestartFromTheAppendOnlyFileKeepsEverything) {
  const auto queue = Open();
  for (const TaskId id : {"settled", "held", "waiting"}) ASSERT_TRUE(queue->Push(MakeTask(id)));
  ASSERT_TRUE(queue->Settle(Take(*queue).lease, MakeEvaluation("settled")));
  const Claim held = Take(*queue);
  auto end = std::async(std::launch::async, [&] { return EndOf(*queue, "waiting", 1h); });
  redis_->Kill();
  ASSERT_TRUE(redis_->Begin());
  EXPECT_EQ(EndOf(*queue, "settled"), "evaluated");
  EXPECT_TRUE(queue->Renew(held.lease, 1min));
  EXPECT_TRUE(queue->Settle(held.lease, MakeEvaluation("held")));
  ASSERT_TRUE(queue->Settle(Take(*queue).lease, MakeEvaluation("waiting")));
  EXPECT_EQ(end.get(), "evaluated");
}

TEST_F(RedisFaultsTest, ARestartWithoutAFileIsAFlush) {
  Begin({});
  const auto queue = Open();
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  auto end = std::async(std::launch::async, [&] { return queue->Await("a", 1h); });
  AwaitCalls("hmget", 1);
  redis_->Kill();
  ASSERT_TRUE(redis_->Begin());
  const auto lost = end.get();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Errc::kNotFound);
}

TEST_F(RedisFaultsTest, APausedRedisIsWaitedForAndNothingIsDoneTwice) {
  const TestProxy proxy(redis_->address().socket, [](bool) { return TestProxy::Fate::kPass; });
  settings_.address = {};
  settings_.address.port = proxy.port();
  settings_.reply_timeout = 300ms;
  const auto queue = Open();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue->Push(MakeTask("task " + std::to_string(i))));
  const Claim claim = Take(*queue);
  redis_->Pause();
  const int connections = proxy.connections();
  auto pushed = std::async(std::launch::async, [&] { return queue->Push(MakeTask("late")); });
  auto settled = std::async(std::launch::async,
                            [&] { return queue->Settle(claim.lease, MakeEvaluation("task 0")); });
  auto taken = TakeInBackground(*queue);
  WaitUntil([&] { return proxy.connections() >= connections + 6; }, "each is called anew twice");
  redis_->Resume();
  EXPECT_TRUE(pushed.get());
  EXPECT_TRUE(settled.get());
  EXPECT_EQ(taken.get().task.id, "task 1");
  const auto counts = queue->Count();
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts->held, 1);
  EXPECT_EQ(counts->settled, 1);
  ASSERT_EQ(counts->waiting.size(), 1);
  EXPECT_EQ(counts->waiting[0].waiting, 2);
}

TEST_F(RedisFaultsTest, OnceItIsGivenUpNobodyWaitsForItAgainUntilItIsBack) {
  settings_.give_up = 2s;
  const auto queue = Open();
  redis_->Kill();
  const auto time = [&] {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(queue->Push(MakeTask("a")).error().code, Errc::kUnavailable);
    return std::chrono::steady_clock::now() - began;
  };
  const auto lost_at = std::chrono::steady_clock::now();
  const auto first = time();
  while (std::chrono::steady_clock::now() - lost_at < settings_.give_up) time();
  EXPECT_LT(time(), first / 2);
  EXPECT_LT(time(), first / 2);
  ASSERT_TRUE(redis_->Begin());
  WaitUntil([&] { return queue->Push(MakeTask("a")).has_value(); }, "it is found again");
}

TEST_F(RedisFaultsTest, ACallGivesUpInTheEndAndASayingOfItIsClear) {
  settings_.give_up = 300ms;
  const auto queue = Open();
  redis_->Kill();
  const auto pushed = queue->Push(MakeTask("a"));
  ASSERT_FALSE(pushed);
  EXPECT_EQ(pushed.error().code, Errc::kUnavailable);
  EXPECT_THAT(pushed.error().message, HasSubstr("unix://"));
  ASSERT_TRUE(redis_->Begin());
  EXPECT_TRUE(queue->Push(MakeTask("a")));
}

TEST_F(RedisFaultsTest, HowThingsStandIsSaidAtOnceAlsoInAnOutage) {
  settings_.give_up = 1h;
  const auto queue = Open();
  redis_->Kill();
  const auto counts = queue->Count();
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().code, Errc::kUnavailable);
  EXPECT_FALSE(queue->Workers());
  ASSERT_TRUE(redis_->Begin());
  WaitUntil([&] { return queue->Count().has_value(); }, "the listener finds it again");
}

TEST_F(RedisFaultsTest, AskedToStopInAnOutageATakeReturnsWithNothing) {
  const TestProxy proxy(redis_->address().socket, [](bool) { return TestProxy::Fate::kPass; });
  settings_.address = {};
  settings_.address.port = proxy.port();
  settings_.give_up = 1h;
  const auto queue = Open();
  redis_->Kill();
  const int connections = proxy.connections();
  std::stop_source stop;
  auto taken = std::async(std::launch::async, [&] {
    return queue->Take({"w", {}}, 1min, 1h, stop.get_token());
  });
  WaitUntil([&] { return proxy.connections() >= connections + 3; }, "it has tried again");
  stop.request_stop();
  const auto nothing = taken.get();
  ASSERT_TRUE(nothing) << nothing.error().message;
  EXPECT_FALSE(*nothing);
}

TEST_F(RedisFaultsTest, AFullMemoryIsSaidAndTakesNothingAway) {
  const auto queue = Open();
  for (const TaskId id : {"held", "waiting"}) ASSERT_TRUE(queue->Push(MakeTask(id)));
  const Claim held = Take(*queue);
  redis_->Do({"CONFIG", "SET", "maxmemory", "1"});
  const auto pushed = queue->Push(MakeTask("more"));
  ASSERT_FALSE(pushed);
  EXPECT_EQ(pushed.error().code, Errc::kUnavailable);
  EXPECT_THAT(pushed.error().message, HasSubstr("memory is full"));
  EXPECT_FALSE(queue->Settle(held.lease, MakeEvaluation("held")));
  EXPECT_FALSE(queue->Cancel("waiting"));
  EXPECT_FALSE(queue->Take({"w", {}}, 1min, 0ms));
  redis_->Do({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(queue->Settle(held.lease, MakeEvaluation("held")));
  EXPECT_EQ(Take(*queue).task.id, "waiting");
  EXPECT_EQ(queue->Look("more").error().code, Errc::kNotFound);
}

TEST_F(RedisFaultsTest, AReplicaIsRefused) {
  redis_->Do({"REPLICAOF", "127.0.0.1", "1"});
  const auto queue = MakeRedisQueue(settings_, SystemClock());
  ASSERT_FALSE(queue);
  EXPECT_EQ(queue.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(queue.error().message, HasSubstr("replica"));
}

TEST_F(RedisFaultsTest, AUserWithoutRightsIsTold) {
  redis_->Do({"ACL", "SETUSER", "guest", "on", ">secret", "~*", "&*", "+@connection", "+info"});
  settings_.address.user = "guest";
  settings_.address.password = "secret";
  const auto queue = MakeRedisQueue(settings_, SystemClock());
  ASSERT_FALSE(queue);
  EXPECT_EQ(queue.error().code, Errc::kUnsupported);
  EXPECT_THAT(queue.error().message, HasSubstr("docs/redis.md"));
}

// A network that loses, cuts, halves and delays what passes through it.
class BadNetwork {
 public:
  explicit BadNetwork(std::uint64_t seed) : rng_(seed) {}

  TestProxy::Fate operator()(bool is_reply) {
    using Fate = TestProxy::Fate;
    const std::uint64_t dice = is_reply ? rng_.Below(100) : rng_.Below(200);
    if (dice < 2) return Fate::kCut;
    if (dice < 4) return Fate::kTruncate;
    if (dice < 5) return Fate::kHalfClose;
    if (dice < 8) return Fate::kDelay;
    return Fate::kPass;
  }

 private:
  Rng rng_;
};

TEST_F(RedisFaultsTest, ABadNetworkLosesNothingAndSettlesEachTaskOnce) {
  constexpr int kTasks = 200;
  const TestProxy proxy(redis_->address().socket, BadNetwork(7));
  settings_.address = {};
  settings_.address.port = proxy.port();
  settings_.reply_timeout = 1s;  // A half-closed connection is silent.
  std::unique_ptr<TaskQueue> queue;
  for (int i = 0; i < 20 && !queue; ++i) {  // The first connection may be cut as any other.
    if (auto made = MakeRedisQueue(settings_, SystemClock())) queue = std::move(*made);
  }
  ASSERT_TRUE(queue);
  std::stop_source done;
  std::mutex mutex;
  std::map<TaskId, std::string> settled;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&, name = "w" + std::to_string(i)] {
      while (!done.stop_requested()) {
        const auto claim = queue->Take({name, {}}, 2s, 1h, done.get_token());
        ASSERT_TRUE(claim) << claim.error().message;
        if (!*claim) continue;
        const TaskId& id = (*claim)->task.id;
        if (!queue->Settle((*claim)->lease, MakeEvaluation(id, name))) continue;
        const std::lock_guard lock(mutex);
        EXPECT_TRUE(settled.emplace(id, name).second) << id << " was settled twice";
      }
    });
  }
  for (int i = 0; i < kTasks; ++i) {
    const auto pushed = queue->Push(MakeTask(std::to_string(i)));
    ASSERT_TRUE(pushed) << pushed.error().message;
  }
  for (int i = 0; i < kTasks; ++i) EXPECT_EQ(EndOf(*queue, std::to_string(i), 1h), "evaluated");
  done.request_stop();
  workers.clear();
  EXPECT_EQ(settled.size(), kTasks);
  for (const auto& [id, name] : settled) {
    const auto end = queue->Await(id, 0ms);
    ASSERT_TRUE(end && *end);
    EXPECT_EQ(std::get<Evaluation>((*end)->end).provenance.worker, name);
  }
  const auto feed = queue->SettledAfter(0, 10'000, 0ms);
  ASSERT_TRUE(feed) << feed.error().message;
  EXPECT_EQ(feed->size(), kTasks);
}

}  // namespace
}  // namespace hone
