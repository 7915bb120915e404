// SPDX-License-Identifier: Apache-2.0
// What an older version stored, on disk and in Redis, is read and gone on with by this one.
#include <gmock/gmock.h>
#include <sys/utsname.h>

#include <filesystem>
#include <memory>

#include "hone/base/file.h"
#include "hone/base/http/http_client.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/testing/still_says.h"
#include "hone/testing/test_redis.h"
#include "tests/crash/killable.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

// What is said where the stored decisions come out otherwise.
constexpr const char* kOtherwise = "but the same seed and evaluations now give";

std::filesystem::path Older(const std::string& file) {
  return std::filesystem::path(HONE_SOURCE_DIR) / "tests/e2e/older" / file;
}

// What it answered, but for where its store lay.
Json ReadOlder(const std::string& file) {
  Json answer = ParseJson(ReadFile(Older(file)).value(), file).value();
  answer.erase("store");
  return answer;
}

// Decisions are the same to the last bit only where numbers are rounded alike.
bool IsMachineOfTheStore() {
  utsname name{};
  return ::uname(&name) == 0 && std::string(name.machine) == "aarch64";
}

class OlderStoreTest : public HoneTest {
 protected:
  void SetUp() override {
    auto database = Database::Open(Store());
    ASSERT_TRUE(database) << database.error().message;
    const auto done = database->Execute(ReadFile(Older("store.sql")).value());
    ASSERT_TRUE(done) << done.error().message;
  }
};

TEST_F(OlderStoreTest, ItsRunsAreListedAndShownAsBefore) {
  EXPECT_THAT(NoLongerSaid(ReadOlder("runs.json"), RunJson({"runs"}), "runs"), IsEmpty());
  EXPECT_THAT(NoLongerSaid(ReadOlder("show.json"), RunJson({"show", "toy-1"}), "show"), IsEmpty());
}

TEST_F(OlderStoreTest, AFinishedCampaignIsReplayedDecisionByDecision) {
  const Json replay = RunJson({"replay", "toy-1"});
  if (IsMachineOfTheStore()) {
    EXPECT_EQ(replay["divergence"], "");
    EXPECT_EQ(replay["reproduced"], 27);
  } else {
    EXPECT_THAT(
        replay.value("divergence", "none"),
        AnyOf(IsEmpty(), HasSubstr(kOtherwise), HasSubstr("no evaluation of it is stored")));
    EXPECT_GE(replay["reproduced"], 1);
  }
}

// Where numbers are rounded otherwise, a decision may be another one, which is said.
TEST_F(OlderStoreTest, AnUnfinishedCampaignGoesOnToItsVerdict) {
  const ProcessResult resumed = Run({"resume", "toy-2", "--quiet"});
  if (!IsMachineOfTheStore() && resumed.status == 3) {
    EXPECT_THAT(resumed.errors, HasSubstr(kOtherwise));
    return;
  }
  EXPECT_THAT(resumed.status, AnyOf(0, 1)) << resumed.errors;
  const Json show = RunJson({"show", "toy-2"});
  EXPECT_FALSE(show["verdict"].is_null()) << show.dump();
}

class OlderRedisTest : public HoneTest {
 protected:
  void SetUp() override {
    std::filesystem::copy_file(Older("redis.rdb"), Folder() / "dump.rdb");
    auto redis = TestRedis::Start(Folder());
    if (!redis && redis.error().code == Errc::kUnsupported) GTEST_SKIP() << redis.error().message;
    ASSERT_TRUE(redis) << redis.error().message;
    redis_ = std::move(*redis);
    server_ = StartHone({"serve", "--port", "0", "--no-workers", "--no-token", "--keep", "0"});
    const auto facts = ParseJson(server_->ReadLine(), "what serve says");
    ASSERT_TRUE(facts) << facts.error().message;
    url_ = *ParseHttpUrl((*facts)["url"].get<std::string>());
  }

  std::unique_ptr<Killable> StartHone(std::vector<std::string> words) const {
    words.insert(words.end(),
                 {"--redis", "unix://" + (Folder() / "redis.sock").string(), "--json"});
    return std::make_unique<Killable>(CommandFor(std::move(words)));
  }

  Json Ask(const std::string& target) {
    const auto reply =
        CallHttp({.url = url_, .method = "GET", .target = target, .headers = {}, .body = ""});
    const auto json = ParseJson(reply ? reply->body : "{}", target);
    return json ? *json : Json();
  }

  std::unique_ptr<TestRedis> redis_;
  std::unique_ptr<Killable> server_;
  HttpUrl url_;
};

TEST_F(OlderRedisTest, ASettledTaskIsShownAndAWaitingOneIsEvaluated) {
  const Json settled = Ask("/v1/tasks/old-1");
  ASSERT_EQ(settled.value("state", ""), "settled") << settled.dump();
  EXPECT_EQ(settled.value("outcome", ""), "accepted");
  const Json waiting = Ask("/v1/tasks/old-waiting");
  ASSERT_EQ(waiting.value("state", ""), "waiting") << waiting.dump();
  const auto worker = StartHone({"worker", "--workers", "1"});
  const Json end = Ask("/v1/tasks/old-waiting/wait?timeout_s=50");
  EXPECT_EQ(end.value("outcome", ""), "accepted") << end.dump();
}

}  // namespace
}  // namespace hone
