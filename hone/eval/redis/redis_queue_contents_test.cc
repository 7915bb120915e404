// SPDX-License-Identifier: Apache-2.0
// What lies in Redis: who may find what there, how much it may become, and what garbage does.
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "hone/base/json/records.h"
#include "hone/core/rng.h"
#include "hone/eval/redis/redis_for_test.h"
#include "hone/testing/fake_clock.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class RedisContentsTest : public OwnRedisTest {
 protected:
  void SetUp() override { Begin({"appendonly", "yes", "appendfsync", "no"}); }

  std::vector<std::string> Keys() const {
    std::istringstream text(redis_->Do({"KEYS", "*"}));
    std::vector<std::string> keys;
    for (std::string line; std::getline(text, line);) keys.push_back(line);
    return keys;
  }
};

TEST_F(RedisContentsTest, EveryKeyBeginsWithTheNameSoThatAClusterKeepsThemTogether) {
  const auto queue = Open();
  Task late = MakeTask("late");
  late.deadline = SystemClock().Wall() + 1h;
  for (const Task& task : {MakeTask("settled"), MakeTask("held"), late}) {
    ASSERT_TRUE(queue->Push(task));
  }
  ASSERT_TRUE(queue->Settle(Take(*queue).lease, MakeEvaluation("settled")));
  Take(*queue);
  ASSERT_TRUE(queue->Announce({"w", "host", "1", {}, {}, {}, {}}, 1h));
  EXPECT_GE(Keys().size(), 10);
  for (const std::string& key : Keys()) EXPECT_TRUE(key.starts_with("{q}:")) << key;
}

TEST_F(RedisContentsTest, TheUserOfTheDocumentMayDoAllThatAQueueDoes) {
  settings_.name = "hone";
  redis_->Do({"ACL",          "SETUSER",   "hone",          "on",           ">secret",
              "resetkeys",    "~{hone}:*", "resetchannels", "&{hone}:bell", "-@all",
              "+@read",       "+@write",   "+@hash",        "+@set",        "+@sortedset",
              "+@stream",     "+@string",  "+@connection",  "+eval",        "+evalsha",
              "+script|load", "+publish",  "+subscribe",    "+info",        "+time",
              "+exists",      "+type",     "+del"});
  settings_.address.user = "hone";
  settings_.address.password = "secret";
  const auto queue = Open();
  ASSERT_TRUE(queue);
  auto taken = TakeInBackground(*queue);
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  const Claim claim = taken.get();
  EXPECT_TRUE(queue->Renew(claim.lease, 1min));
  EXPECT_TRUE(queue->Release(claim.lease));
  EXPECT_TRUE(queue->Return(Take(*queue).lease, "a fault"));
  EXPECT_TRUE(queue->Settle(Take(*queue).lease, MakeEvaluation("a")));
  EXPECT_EQ(EndOf(*queue, "a"), "evaluated");
  EXPECT_TRUE(queue->Look("a"));
  EXPECT_TRUE(queue->Count());
  EXPECT_TRUE(queue->Announce({"w", "host", "1", {}, {}, {}, {}}, 1h));
  EXPECT_EQ(queue->Workers()->size(), 1);
  EXPECT_TRUE(queue->Withdraw("w"));
  EXPECT_EQ(queue->SettledAfter(0, 10, 0ms)->size(), 1);
  EXPECT_GT(*queue->LastSettled(), 0);
  EXPECT_TRUE(queue->Cancel("a"));
  EXPECT_EQ(*queue->ForgetSettledBefore(SystemClock().Wall() + 1h, 10), 1);
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  EXPECT_TRUE(queue->Cancel("a"));
  EXPECT_TRUE(queue->Forget("a"));
  settings_.name = "other";  // The list is for one queue.
  EXPECT_FALSE(MakeRedisQueue(settings_, SystemClock()));
}

TEST_F(RedisContentsTest, TwoQueuesInOneRedisDoNotMeet) {
  const auto one = Open();
  settings_.name = "other";
  const auto other = Open();
  ASSERT_TRUE(one->Push(MakeTask("a")));
  EXPECT_EQ(Take(*other).task.id, "");
  settings_.name = "q";
  settings_.address.database = 1;
  EXPECT_EQ(Take(*Open()).task.id, "");
  EXPECT_EQ(Take(*one).task.id, "a");
}

TEST_F(RedisContentsTest, NamesThatWouldMixQueuesAreRefused) {
  for (const char* name : {"", "a}b", "{"}) {
    settings_.name = name;
    EXPECT_EQ(MakeRedisQueue(settings_, SystemClock()).error().code, Errc::kInvalidArgument);
  }
}

TEST_F(RedisContentsTest, TimesAreTheServersNotOurs) {
  FakeClock past(WallTime{1s});
  const auto queue = Open(past);
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  const auto view = queue->Look("a");
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_LT(SystemClock().Wall() - view->pushed, 1h);
}

TEST_F(RedisContentsTest, ALeaseRunsOutByTheServersClockAndAWaiterNotices) {
  const auto queue = Open();
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  const auto first = queue->Take({"dead", {}}, 100ms, 0ms);
  ASSERT_TRUE(first && *first);
  const Claim second = Take(*queue, 1h);
  EXPECT_EQ(second.task.id, "a");
  EXPECT_GT(second.lease.generation, (*first)->lease.generation);
}

TEST_F(RedisContentsTest, SettledTasksBeyondTheLimitAreForgottenOldestFirst) {
  settings_.max_settled = 20;
  const auto queue = Open();
  std::size_t max_keys = 0;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(queue->Push(MakeTask(std::to_string(i))));
    ASSERT_TRUE(queue->Settle(Take(*queue).lease, MakeEvaluation(std::to_string(i))));
    if (i % 50 == 49) max_keys = std::max(max_keys, Keys().size());
  }
  EXPECT_LE(queue->Count()->settled, 30);
  EXPECT_LE(max_keys, 45);
  EXPECT_EQ(EndOf(*queue, "299"), "evaluated");
  EXPECT_EQ(queue->Look("0").error().code, Errc::kNotFound);
}

TEST_F(RedisContentsTest, SettledTasksExpireThoughNobodyAsksForIt) {
  settings_.is_time_from_clock = true;
  settings_.keep_settled = 24h;
  FakeClock clock;
  const auto queue = Open(clock);
  const auto finish = [&](const std::string& id) {
    ASSERT_TRUE(queue->Push(MakeTask(id)));
    ASSERT_TRUE(queue->Settle(Take(*queue).lease, MakeEvaluation(id)));
  };
  for (int i = 0; i < 50; ++i) finish("old " + std::to_string(i));
  clock.Advance(25h);
  for (int i = 0; i < 30; ++i) finish("new " + std::to_string(i));
  EXPECT_EQ(queue->Count()->settled, 30);
  EXPECT_EQ(queue->Look("old 0").error().code, Errc::kNotFound);
}

TEST_F(RedisContentsTest, WhatWasWorkedOffLeavesNoLinesBehind) {
  const auto queue = Open();
  for (int i = 0; i < 20; ++i) {
    Task task = MakeTask(std::to_string(i));
    task.priority = i;
    task.needs.memory_mib = i;
    ASSERT_TRUE(queue->Push(task));
  }
  for (int i = 0; i < 20; ++i) {
    const auto claim = queue->Take({"w", {{}, 100}}, 1min, 0ms);
    ASSERT_TRUE(claim && *claim);
    ASSERT_TRUE(queue->Cancel((*claim)->task.id));
    ASSERT_TRUE(queue->Forget((*claim)->task.id));
  }
  ASSERT_TRUE(queue->Count());
  for (const std::string& key : Keys()) {
    EXPECT_TRUE(key == "{q}:pushed" || key == "{q}:epoch" || key == "{q}:feed") << key;
  }
}

TEST_F(RedisContentsTest, NothingPolls) {
  settings_.heartbeat = 1h;
  FakeClock clock;
  const auto queue = Open(clock);
  std::stop_source stop;
  std::vector<std::jthread> waiters;
  for (int i = 0; i < 8; ++i) {
    waiters.emplace_back([&] { Take(*queue, 1h, stop.get_token()); });
  }
  clock.AwaitWaiters(8);
  EXPECT_EQ(clock.NextWake(), clock.Now() + 1h) << "somebody would look by himself";
  EXPECT_EQ(Calls("smembers"), 8) << "each looked once";
  stop.request_stop();
}

TEST_F(RedisContentsTest, ANewTaskWakesOneOfManyWhoWait) {
  settings_.heartbeat = 1h;
  const auto queue = Open();
  std::stop_source stop;
  std::vector<std::jthread> waiters;
  for (int i = 0; i < 16; ++i) {
    waiters.emplace_back([&] {
      while (!stop.stop_requested()) {
        const Claim claim = Take(*queue, 1h, stop.get_token());
        if (claim.task.id.empty()) continue;
        EXPECT_TRUE(queue->Cancel(claim.task.id));
      }
    });
  }
  AwaitCalls("smembers", 16);
  const long before = Calls();
  constexpr int kTasks = 30;
  for (int i = 0; i < kTasks; ++i) {
    ASSERT_TRUE(queue->Push(MakeTask(std::to_string(i))));
    EXPECT_EQ(EndOf(*queue, std::to_string(i), 1h), "its client cancelled it");
  }
  // Push, take, cancel, one or two for Await, and some who come to see what is due.
  EXPECT_LE(Calls() - before, kTasks * 10);
  stop.request_stop();
}

TEST_F(RedisContentsTest, ATaskThatIsNoneIsPassedBy) {
  const auto queue = Open();
  for (const TaskId id : {"a", "b"}) ASSERT_TRUE(queue->Push(MakeTask(id)));
  redis_->Do({"DEL", "{q}:task:a"});
  redis_->Do({"SET", "{q}:task:a", "garbage"});
  EXPECT_EQ(Take(*queue).task.id, "b");
  for (const auto& error :
       {queue->Look("a").error(), queue->Await("a", 0ms).error(), queue->Cancel("a").error(),
        queue->Push(MakeTask("a")).error(), queue->Renew({"a", 1}, 1s).error()}) {
    EXPECT_EQ(error.code, Errc::kCorrupt);
    EXPECT_THAT(error.message, HasSubstr("key {q}:task:a"));
  }
  EXPECT_TRUE(queue->Forget("a"));
  EXPECT_TRUE(queue->Push(MakeTask("a")));
}

TEST_F(RedisContentsTest, ATaskWithADamagedBodyIsAbandonedAndHoldsUpNobody) {
  const auto queue = Open();
  for (const TaskId id : {"a", "b", "c"}) ASSERT_TRUE(queue->Push(MakeTask(id)));
  redis_->Do({"HSET", "{q}:task:a", "body", "{\"id\":"});
  redis_->Do({"HSET", "{q}:task:b", "body", Dump(ToJson(MakeTask("another")))});
  EXPECT_EQ(Take(*queue).task.id, "c");
  EXPECT_THAT(EndOf(*queue, "a"), HasSubstr("its stored form is damaged"));
  EXPECT_THAT(EndOf(*queue, "b"), HasSubstr("its stored form is damaged"));
  EXPECT_EQ(queue->Look("a").error().code, Errc::kCorrupt);
}

TEST_F(RedisContentsTest, ADamagedEvaluationIsAnErrorThatNamesItsKey) {
  const auto queue = Open();
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  ASSERT_TRUE(queue->Settle(Take(*queue).lease, MakeEvaluation("a")));
  for (const std::string& result : {std::string("[]"), Dump(ToJson(MakeEvaluation("b")))}) {
    redis_->Do({"HSET", "{q}:task:a", "result", result});
    const auto end = queue->Await("a", 0ms);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code, Errc::kCorrupt);
    EXPECT_THAT(end.error().message, HasSubstr("key {q}:task:a"));
  }
}

TEST_F(RedisContentsTest, AKeyOfAnotherKindIsNamed) {
  const auto queue = Open();
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  for (const std::string key : {"{q}:due", "{q}:classes", "{q}:claims"}) {
    redis_->Do({"RENAME", key, "kept"});
    redis_->Do({"SET", key, "garbage"});
    const auto taken = queue->Take({"w", {}}, 1min, 0ms);
    EXPECT_FALSE(taken) << key;
    if (!taken) {
      EXPECT_EQ(taken.error().code, Errc::kCorrupt);
      EXPECT_THAT(taken.error().message, HasSubstr("key " + key));
    }
    redis_->Do({"DEL", key});
    redis_->Do({"RENAME", "kept", key});
  }
  EXPECT_EQ(Take(*queue).task.id, "a");
}

TEST_F(RedisContentsTest, AWorkerThatIsNoneIsLeftOut) {
  const auto queue = Open();
  ASSERT_TRUE(queue->Announce({"good", "host", "1", {}, {}, {}, {}}, 1h));
  redis_->Do({"HSET", "{q}:workers", "bad", "garbage", "worse", "12 {}", "", ""});
  const auto cards = queue->Workers();
  ASSERT_TRUE(cards) << cards.error().message;
  ASSERT_EQ(cards->size(), 1);
  EXPECT_EQ(cards->front().name, "good");
}

// Whatever stands in Redis: no crash, no hang, and a queue of another name is not concerned.
TEST_F(RedisContentsTest, RandomGarbageEndsNobody) {
  settings_.give_up = 1s;
  Rng rng(11);
  const std::vector<std::string> values = {"",
                                           "nan",
                                           "inf",
                                           "-1",
                                           "1e300",
                                           "held",
                                           "waiting",
                                           "{}",
                                           "99999999999999999999",
                                           std::string(50, '\xff')};
  for (int round = 0; round < 40; ++round) {
    redis_->Do({"FLUSHALL"});
    const auto queue = Open();
    for (const TaskId id : {"a", "b", "c"}) ASSERT_TRUE(queue->Push(MakeTask(id)));
    const Claim claim = Take(*queue);
    const auto keys = Keys();
    for (int i = 0; i < 3; ++i) {
      const std::string& key = keys[rng.Below(keys.size())];
      const std::string& value = values[rng.Below(values.size())];
      const std::vector<std::string> fields = {"state",      "class",    "place",
                                               "pushed",     "until",    "deadline",
                                               "generation", "attempts", "body"};
      redis_->Do({"HSET", key, fields[rng.Below(fields.size())], value});
      redis_->Do({"ZADD", key, "-1", value});
      redis_->Do({"SADD", key, value});
      if (rng.Below(4) == 0) redis_->Do({"SET", key, value});
    }
    for (const TaskId id : {"a", "b", "c"}) {
      (void)queue->Look(id);
      (void)queue->Await(id, 0ms);
      (void)queue->Cancel(id);
      (void)queue->Push(MakeTask(id));
    }
    for (int i = 0; i < 3; ++i) (void)queue->Take({"w", {}}, 1min, 0ms);
    (void)queue->Settle(claim.lease, MakeEvaluation("a"));
    (void)queue->Count();
    (void)queue->Workers();
    (void)queue->SettledAfter(0, 10, 0ms);
    (void)queue->LastSettled();
    (void)queue->ForgetSettledBefore(SystemClock().Wall() + 1h, 10);
  }
}

}  // namespace
}  // namespace hone
