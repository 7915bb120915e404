// SPDX-License-Identifier: Apache-2.0
// The small parts of the server, each without a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>

#include "hone/base/clock.h"
#include "hone/base/temp_dir.h"
#include "hone/server/http/async.h"
#include "hone/server/http/client_limits.h"
#include "hone/server/http/http_message.h"
#include "hone/server/http/router.h"
#include "hone/server/http/site_check.h"
#include "hone/server/http/thread_pool.h"
#include "hone/server/http/tokens.h"
#include "hone/server/kernelgym/lax_reader.h"
#include "hone/server/live/timer_queue.h"

namespace hone::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(HttpMessageTest, AnEscapedSlashDoesNotPartAPath) {
  EXPECT_THAT(*SplitPath("/v1/tasks/a%2fb"), ElementsAre("v1", "tasks", "a/b"));
  EXPECT_THAT(*SplitPath("/v1/tasks/"), ElementsAre("v1", "tasks", ""));
  EXPECT_THAT(*SplitPath("/"), ElementsAre());
}

TEST(HttpMessageTest, WhatIsNoEscapeOrNoTextIsRefused) {
  for (const char* path : {"/%", "/%4", "/%zz", "/%00", "/%ff", "/%c0%80", "/%ed%a0%80", "x"}) {
    EXPECT_FALSE(SplitPath(path)) << path;
  }
  EXPECT_TRUE(SplitPath("/%e2%82%ac"));
}

TEST(HttpMessageTest, AQueryIsDecodedInOrder) {
  EXPECT_THAT(*ParseQuery("a=1&b=x+y%26&&c"),
              ElementsAre(Pair("a", "1"), Pair("b", "x y&"), Pair("c", "")));
  std::string many;
  for (int k = 0; k < 100; ++k) many += "a=1&";
  EXPECT_FALSE(ParseQuery(many));
}

TEST(HttpMessageTest, Utf8IsToldFromWhatLooksLikeIt) {
  EXPECT_TRUE(IsUtf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* text :
       {"\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xf5\x80\x80\x80", "\x80", "\xc3("}) {
    EXPECT_FALSE(IsUtf8(text)) << text;
  }
}

TEST(TokensTest, TheFirstStartMakesAPrivateFileWithEveryRole) {
  const auto folder = TempDir::Make();
  const auto path = folder->path() / "deep" / "tokens";
  const auto book = TokenBook::LoadOrMake(path);
  ASSERT_TRUE(book) << book.error().message;
  for (const TokenRole role : {TokenRole::kSubmit, TokenRole::kWork, TokenRole::kAdmin}) {
    EXPECT_EQ(book->RoleOf(*book->TokenOf(role)), role);
  }
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  const auto again = TokenBook::LoadOrMake(path);
  EXPECT_EQ(again->TokenOf(TokenRole::kAdmin), book->TokenOf(TokenRole::kAdmin));
}

TEST(TokensTest, AFileThatOthersCanReadIsRefused) {
  const auto folder = TempDir::Make();
  const auto path = folder->path() / "tokens";
  ASSERT_TRUE(TokenBook::LoadOrMake(path));
  std::filesystem::permissions(path, std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  const auto book = TokenBook::Load(path);
  ASSERT_FALSE(book);
  EXPECT_THAT(book.error().message, HasSubstr("chmod 600"));
}

TEST(TokensTest, ATokenIsRecognisedWholeOrNotAtAll) {
  const auto book = TokenBook::Parse("# comment\nsubmit 0123456789abcdef\n", "tokens");
  ASSERT_TRUE(book);
  EXPECT_EQ(book->RoleOf("0123456789abcdef"), TokenRole::kSubmit);
  for (const char* wrong : {"", "0", "0123456789abcde", "0123456789abcdeF", "0123456789abcdef0",
                            "0123456789abcdef0123456789abcdef"}) {
    EXPECT_EQ(book->RoleOf(wrong), TokenRole::kNobody) << wrong;
  }
}

TEST(TokensTest, BrokenFilesAreExplained) {
  EXPECT_THAT(TokenBook::Parse("king 0123456789abcdef", "t").error().message, HasSubstr("line 1"));
  EXPECT_THAT(TokenBook::Parse("admin short", "t").error().message, HasSubstr("5 characters"));
  EXPECT_THAT(TokenBook::Parse("# none\n", "t").error().message, HasSubstr("no token"));
}

TEST(TokensTest, ATokenMayComeAsBearerOrAsPassword) {
  EXPECT_EQ(TokenIn("Bearer abc"), "abc");
  EXPECT_EQ(TokenIn("bearer abc"), "abc");
  EXPECT_EQ(TokenIn("Basic aG9uZTpzZWNyZXQ="), "secret");  // hone:secret
  EXPECT_EQ(TokenIn("Basic ????"), "");
  EXPECT_EQ(TokenIn("Digest abc"), "");
  EXPECT_EQ(TokenIn(""), "");
}

TEST(SiteCheckTest, OnlyKnownNamesAndAddressesMayBeTheHost) {
  const SiteCheck sites({"judge.example"});
  for (const char* host :
       {"localhost:10907", "127.0.0.1:10907", "[::1]:10907", "10.1.2.3", "Judge.Example:80", ""}) {
    EXPECT_FALSE(sites.Refusal(host, "")) << host;
  }
  for (const char* host :
       {"evil.example:10907", "127.0.0.1.evil.example", "localhost.evil.example"}) {
    EXPECT_TRUE(sites.Refusal(host, "")) << host;
  }
}

TEST(SiteCheckTest, OnlyOwnPagesMayAsk) {
  const SiteCheck sites({});
  EXPECT_FALSE(sites.Refusal("localhost:10907", "http://localhost:10907"));
  EXPECT_TRUE(sites.Refusal("localhost:10907", "http://evil.example"));
  EXPECT_TRUE(sites.Refusal("localhost:10907", "http://localhost:8000"));
  EXPECT_TRUE(sites.Refusal("localhost:10907", "null"));
}

TEST(ClientLimitsTest, ABucketEmptiesAndFills) {
  ClientLimits limits({.connections = 1, .requests_per_second = 2, .burst = 3});
  Clock::Monotonic now{seconds{100}};
  for (int k = 0; k < 3; ++k) EXPECT_EQ(limits.Ask("a", now).count(), 0);
  EXPECT_DOUBLE_EQ(limits.Ask("a", now).count(), 0.5);
  EXPECT_EQ(limits.Ask("b", now).count(), 0);
  now += milliseconds{500};
  EXPECT_EQ(limits.Ask("a", now).count(), 0);
  EXPECT_GT(limits.Ask("a", now).count(), 0);
}

TEST(ClientLimitsTest, ConnectionsAreCountedForEachClient) {
  ClientLimits limits({.connections = 2, .requests_per_second = 0, .burst = 0});
  const Clock::Monotonic now{seconds{100}};
  EXPECT_TRUE(limits.Register("a", now));
  EXPECT_TRUE(limits.Register("a", now));
  EXPECT_FALSE(limits.Register("a", now));
  EXPECT_TRUE(limits.Register("b", now));
  limits.Leave("a");
  EXPECT_TRUE(limits.Register("a", now));
}

TEST(ClientLimitsTest, ClientsThatLeftAreForgotten) {
  ClientLimits limits({.connections = 2, .requests_per_second = 10, .burst = 10});
  Clock::Monotonic now{seconds{100}};
  for (int k = 0; k < 50'000; ++k) {
    limits.Ask("client " + std::to_string(k), now);
    now += milliseconds{1};
  }
  EXPECT_LT(limits.size(), 5'000);
}

std::vector<Fault> PartsFaultsOf(const Json& json, const std::function<void(LaxReader&)>& read) {
  std::vector<Fault> faults;
  LaxReader reader(json, {"body"}, faults);
  read(reader);
  return faults;
}

TEST(LaxReaderTest, NumbersMayBeWrittenInManyWays) {
  for (const Json& seven : {Json(7), Json(7.0), Json("7"), Json(" 7 "), Json("+7"), Json("7.0")}) {
    const Json json{{"n", seven}};
    EXPECT_TRUE(PartsFaultsOf(json,
                         [](LaxReader& reader) {
                           EXPECT_EQ(reader.Integer("n", 1, {1, 9}), 7);
                         })
                    .empty())
        << json;
  }
  const std::vector<std::pair<Json, std::string>> wrong{
      {5.5, "int_from_float"}, {"x", "int_parsing"},        {"", "int_parsing"},
      {nullptr, "int_type"},   {Json::array(), "int_type"}, {0, "greater_than_equal"},
      {10, "less_than_equal"}};
  for (const auto& [value, type] : wrong) {
    const auto faults = PartsFaultsOf({{"n", value}}, [](LaxReader& reader) {
      static_cast<void>(reader.Integer("n", 1, {1, 9}));
    });
    ASSERT_EQ(faults.size(), 1) << value;
    EXPECT_EQ(faults[0].type, type) << value;
  }
}

TEST(LaxReaderTest, YesIsTrue) {
  for (const Json& yes : {Json(true), Json(1), Json("yes"), Json("ON"), Json("t"), Json(1.0)}) {
    EXPECT_TRUE(
        PartsFaultsOf({{"b", yes}}, [](LaxReader& reader) { EXPECT_TRUE(reader.Bool("b", false)); })
            .empty())
        << yes;
  }
  for (const Json& wrong : {Json("maybe"), Json(2), Json(nullptr), Json::array()}) {
    EXPECT_EQ(PartsFaultsOf({{"b", wrong}},
                       [](LaxReader& reader) { static_cast<void>(reader.Bool("b", false)); })
                  .size(),
              1)
        << wrong;
  }
}

TEST(LaxReaderTest, AStringIsAString) {
  EXPECT_EQ(PartsFaultsOf({{"s", 7}},
                     [](LaxReader& reader) { static_cast<void>(reader.RequiredString("s")); })[0]
                .type,
            "string_type");
  EXPECT_EQ(PartsFaultsOf(Json::object(),
                     [](LaxReader& reader) { static_cast<void>(reader.RequiredString("s")); })[0]
                .type,
            "missing");
}

TEST(LaxReaderTest, FaultsReadAsAPythonList) {
  EXPECT_EQ(
      ToText({{"missing", {"body", "tasks", "0", "task_id"}, "Field required"}}),
      "[{'type': 'missing', 'loc': ('body', 'tasks', 0, 'task_id'), 'msg': 'Field required'}]");
  EXPECT_EQ(ToText({{"a", {"body"}, "it's"}}),
            R"([{'type': 'a', 'loc': ('body',), 'msg': 'it\'s'}])");
}

TEST(TimerQueueTest, RingInOrderAndNotOnceCleared) {
  FakeClock clock;
  std::mutex mutex;
  std::vector<int> rung;
  const auto ring = [&](int number) {
    return [&rung, &mutex, number] {
      const std::lock_guard lock(mutex);
      rung.push_back(number);
    };
  };
  std::latch last(1);
  TimerQueue timers(clock);
  timers.Set(clock.Now() + seconds{2}, ring(2));
  timers.Set(clock.Now() + seconds{1}, ring(1));
  const auto cleared = timers.Set(clock.Now() + seconds{3}, ring(3));
  timers.Clear(cleared);
  timers.Set(clock.Now() + seconds{4}, [&last] { last.count_down(); });
  clock.AwaitWaiters(1);
  clock.Advance(seconds{10});
  last.wait();
  EXPECT_THAT(rung, ElementsAre(1, 2));
}

Async<int> Sum(Delivery<int>& first, Delivery<int>& second) {
  const int one = co_await first.Receive();
  const int two = co_await second.Receive();
  co_return one + two;
}

Async<int> Throws() {
  throw std::runtime_error("no");
  co_return 0;
}

TEST(AsyncTest, WaitsWithoutAThreadAndGoesOnInThePool) {
  ThreadPool pool(2);
  const auto post = [&pool](std::function<void()> work) { pool.Post(std::move(work)); };
  Delivery<int> first(post);
  Delivery<int> second(post);
  std::latch done(1);
  std::atomic<int> sum = 0;
  Start(Sum(first, second), [&](std::optional<int> value, const std::exception_ptr&) {
    sum = *value;
    done.count_down();
  });
  EXPECT_TRUE(second.Deliver(40));
  EXPECT_FALSE(second.Deliver(50));
  EXPECT_TRUE(first.Deliver(2));
  done.wait();
  EXPECT_EQ(sum, 42);
}

TEST(AsyncTest, AnExceptionReachesWhoStartedIt) {
  bool has_problem = false;
  Start(Throws(), [&](std::optional<int> value, const std::exception_ptr& problem) {
    has_problem = !value && problem != nullptr;
  });
  EXPECT_TRUE(has_problem);
}

TEST(RouterTest, TellsWrongPathsFromWrongMethods) {
  Route get;
  get.method = "GET";
  get.path = "/v1/tasks/{id}";
  const Router router({get});
  HttpRequest request;
  request.method = "HEAD";
  request.target = "/v1/tasks/a%20b?x=1";
  EXPECT_EQ(router.Find(request).route, &router.routes()[0]);
  EXPECT_THAT(request.parts, ElementsAre("a b"));
  EXPECT_EQ(request.Query("x"), "1");
  request.method = "PUT";
  EXPECT_EQ(router.Find(request).refusal->status, 405);
  request.target = "/v1/task/a";
  EXPECT_EQ(router.Find(request).refusal->status, 404);
  request.target = "/v1/tasks/%zz";
  EXPECT_EQ(router.Find(request).refusal->status, 400);
}

}  // namespace
}  // namespace hone::server
