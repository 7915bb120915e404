// SPDX-License-Identifier: Apache-2.0
// `hone serve` and `hone worker` as separate processes that meet in a Redis with a password, as on
// several machines, each of them killed once.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <thread>

#include "hone/base/clock.h"
#include "hone/base/file.h"
#include "hone/base/http/http_client.h"
#include "hone/base/json/records.h"
#include "hone/domains/toy/toy_domain.h"
#include "hone/testing/test_redis.h"
#include "tests/crash/killable.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

class RedisServiceTest : public HoneTest {
 protected:
  void SetUp() override {
    auto redis = TestRedis::Start(
        Folder(), {"requirepass", "a secret", "appendonly", "yes", "appendfsync", "always"});
    if (!redis && redis.error().code == Errc::kUnsupported) GTEST_SKIP() << redis.error().message;
    ASSERT_TRUE(redis) << redis.error().message;
    redis_ = std::move(*redis);
    ASSERT_TRUE(WriteFileDurably(Folder() / "password", "a secret\n"));
    std::filesystem::permissions(Folder() / "password", std::filesystem::perms::owner_read);
    server_ = StartHone({"serve", "--port", "0", "--no-workers"}, "server");
    const auto facts = ParseJson(server_->ReadLine(), "what serve says");
    ASSERT_TRUE(facts) << ReadLog("server");
    url_ = *ParseHttpUrl((*facts)["url"].get<std::string>());
    token_file_ = (*facts)["token_file"].get<std::string>();
    token_ = TokenIn(token_file_, "submit");
  }

  // Its standard error goes into a file of this name.
  std::unique_ptr<Killable> StartHone(std::vector<std::string> words,
                                      const std::string& log) const {
    words.insert(words.end(),
                 {"--redis", "unix://" + (Folder() / "redis.sock").string(),
                  "--redis-password-file", (Folder() / "password").string(), "--json"});
    std::vector<std::string> command{"/bin/sh", "-c", R"(exec "$@" 2>>"$0")",
                                     (Folder() / (log + ".log")).string()};
    for (std::string& word : CommandFor(std::move(words))) command.push_back(std::move(word));
    return std::make_unique<Killable>(command);
  }

  std::unique_ptr<Killable> StartWorker(const std::string& name,
                                        const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"worker", "--workers", "1", "--lease", "1s", "--name", name};
    words.insert(words.end(), more.begin(), more.end());
    auto worker = StartHone(std::move(words), name);
    EXPECT_THAT(worker->ReadLine(), HasSubstr(name)) << ReadLog(name);
    return worker;
  }

  std::string ReadLog(const std::string& name) const {
    return ReadFile(Folder() / (name + ".log")).value_or("");
  }

  static std::string TokenIn(const std::string& file, const std::string& role) {
    const std::string text = ReadFile(file).value_or("");
    const auto place = text.find(role + " ") + role.size() + 1;
    return text.substr(place, text.find('\n', place) - place);
  }

  Json Ask(const std::string& method, const std::string& target, const std::string& body = "") {
    HttpCall call{.url = url_, .method = method, .target = target, .headers = {}, .body = body};
    call.headers = {{"Authorization", "Bearer " + token_}};
    const auto reply = CallHttp(call);
    if (!reply) ADD_FAILURE() << reply.error().message << "\n" << ReadLog("server");
    const auto json = ParseJson(reply ? reply->body : "{}", target);
    return json ? *json : Json();
  }

  // A toy task whose run takes so long.
  void Submit(const std::string& id, std::chrono::milliseconds duration,
              const std::string& owner = "") {
    DomainTable table;
    table.emplace("toy", ToyDomainEntry());
    const auto toy = MakeDomain(table, "toy", {});
    Json task{{"id", id},
              {"domain", "toy"},
              {"options", {{"duration_ms", std::to_string(duration.count())}}},
              {"candidate", {{"assignment", ToJson((*toy)->Baseline().assignment)}}},
              {"most_attempts", 2}};
    if (!owner.empty()) task["owner"] = owner;
    EXPECT_EQ(Ask("POST", "/v1/tasks", Dump(task))["id"], id);
  }

  Json Await(const std::string& id) { return Ask("GET", "/v1/tasks/" + id + "/wait?timeout_s=50"); }

  static bool Soon(const std::function<bool()>& is_so) {
    const auto end = SystemClock().Now() + 50s;
    while (!is_so() && SystemClock().Now() < end) std::this_thread::sleep_for(5ms);
    return is_so();
  }

  std::unique_ptr<TestRedis> redis_;
  std::unique_ptr<Killable> server_;
  HttpUrl url_;
  std::string token_file_;
  std::string token_;
};

TEST_F(RedisServiceTest, AWorkerLeavesTheTasksOfAnOwnerWhomItWasNotToldToServe) {
  token_ = TokenIn(token_file_, "admin");
  Submit("of-ops", 1ms, "ops");
  Submit("of-all", 1ms);
  const auto ada = StartWorker("ada");
  EXPECT_EQ(Await("of-all")["outcome"], "accepted");
  const Json waiting = Ask("GET", "/v1/tasks/of-ops");
  EXPECT_EQ(waiting["state"], "waiting") << Dump(waiting);
  EXPECT_THAT(Dump(waiting["why_waiting"]), HasSubstr("hone worker --for ops"));
  const auto bob = StartWorker("bob", {"--for", "ops"});
  const Json end = Await("of-ops");
  EXPECT_EQ(end["outcome"], "accepted") << Dump(end);
  EXPECT_THAT(Dump(end["worker"]), HasSubstr("bob"));
}

TEST_F(RedisServiceTest, ATaskThatWaitedThroughARestartOfRedisIsEvaluatedByAWorker) {
  Submit("a", 1ms);
  EXPECT_EQ(Ask("GET", "/v1/tasks/a")["state"], "waiting");
  redis_->Kill();
  EXPECT_EQ(Ask("GET", "/health")["status"], "unhealthy");  // At once, not when Redis is back.
  ASSERT_TRUE(redis_->Begin());
  EXPECT_TRUE(Soon([&] {
    return ReadLog("server").find("connected again after") != std::string::npos;
  })) << ReadLog("server");
  const auto worker = StartWorker("ada");
  const Json end = Await("a");
  EXPECT_EQ(end["outcome"], "accepted") << Dump(end);
  EXPECT_THAT(Dump(end["worker"]), HasSubstr("ada"));
  EXPECT_EQ(ReadLog("server").find("a secret"), std::string::npos);
}

TEST_F(RedisServiceTest, ATaskThatRedisLostIsOfferedAgainByTheServerThatTookIt) {
  Submit("a", 1ms);
  redis_->Kill();
  std::filesystem::remove_all(Folder() / "appendonlydir");
  ASSERT_TRUE(redis_->Begin());
  const auto worker = StartWorker("ada");
  const Json end = Await("a");
  EXPECT_EQ(end["outcome"], "accepted") << Dump(end) << ReadLog("server");
  EXPECT_THAT(ReadLog("server"), HasSubstr("the queue lost it"));
}

TEST_F(RedisServiceTest, AWorkerIsThereAfterRedisWasAwayForLongerThanItsTries) {
  const auto worker = StartWorker("ada");
  redis_->Kill();
  Soon([&] { return ReadLog("ada").find("trying again") != std::string::npos; });
  ASSERT_TRUE(redis_->Begin());
  Submit("a", 1ms);
  EXPECT_EQ(Await("a")["outcome"], "accepted") << ReadLog("ada");
}

TEST_F(RedisServiceTest, ATaskThatTwoWorkersDiedOfIsAbandonedAndTheNextIsEvaluated) {
  Submit("deadly", 60s);
  for (const std::string name : {"ada", "bob"}) {
    const auto worker = StartWorker(name);
    EXPECT_TRUE(Soon([&] {
      const Json view = Ask("GET", "/v1/tasks/deadly");
      return view["state"] == "held" && Dump(view["worker"]).find(name) != std::string::npos;
    })) << ReadLog(name);
    worker->Kill();
  }
  const Json end = Await("deadly");
  EXPECT_EQ(end["dropped"]["why"], "abandoned") << Dump(end);
  EXPECT_THAT(Dump(end["dropped"]["reason"]), HasSubstr("abandoned after 2 attempts"));
  EXPECT_THAT(Dump(end["dropped"]["reason"]), HasSubstr("its worker bob"));
  Submit("harmless", 1ms);
  const auto worker = StartWorker("eve");
  EXPECT_EQ(Await("harmless")["outcome"], "accepted");
}

}  // namespace
}  // namespace hone
