// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <thread>

#include "hone/base/file.h"
#include "hone/base/http/http_client.h"
#include "hone/base/process/running_process.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// A campaign that shows itself, and the address at which it does.
class DashboardTest : public HoneTest {
 protected:
  // Returns when it has said where it listens. Its standard error goes to a file.
  void Begin(const std::vector<std::string>& arguments) {
    Command command;
    command.arguments = {"/bin/sh", "-c", "exec \"$@\" 2>" + ErrorFile().string(), "sh"};
    const auto words = CommandFor(arguments);
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.limit = 120s;
    auto process = RunningProcess::Start(command);
    ASSERT_TRUE(process) << process.error().message;
    process_ = std::move(*process);
    for (int look = 0; look < 3000 && url_.empty(); ++look) {
      std::this_thread::sleep_for(20ms);
      const std::string errors = Errors();
      const auto place = errors.find("http://127.0.0.1:");
      if (place == errors.npos || errors.find('\n', place) == errors.npos) continue;
      url_ = errors.substr(place, errors.find('/', place + 8) - place);
    }
    ASSERT_FALSE(url_.empty()) << Errors();
  }

  std::filesystem::path ErrorFile() const { return Folder() / "errors"; }
  std::string Errors() const { return ReadFile(ErrorFile()).value_or(""); }

  Result<HttpReply> Call(const std::string& method, const std::string& target,
                         const std::string& token = "") const {
    HttpCall call;
    call.url = *ParseHttpUrl(url_);
    call.method = method;
    call.target = target;
    if (!token.empty()) call.headers = {{"Authorization", "Bearer " + token}};
    return CallHttp(call);
  }

  std::string Port() const { return std::to_string(ParseHttpUrl(url_)->port); }

  Json Get(const std::string& target) const {
    const auto reply = Call("GET", target);
    return reply ? ParseJson(reply->body, target, {.bytes = 64 << 20}).value_or(Json()) : Json();
  }

  std::string AdminToken() const {
    std::istringstream lines(*ReadFile(Folder() / "tokens"));
    for (std::string role, token; lines >> role;) {
      if (role == "admin" && lines >> token) return token;
      std::getline(lines, token);
    }
    return "";
  }

  void AwaitControl(const std::string& id, const std::string& state) const {
    for (int look = 0; look < 600; ++look) {
      const auto reply = Call("POST", "/v1/campaigns/" + id + "/pause", AdminToken());
      if (reply && reply->body.find(state) != reply->body.npos) return;
      std::this_thread::sleep_for(50ms);
    }
    FAIL() << "never " << state;
  }

  // What was measured before a pause may still be decided on, for a moment.
  std::size_t AwaitNoDecisions() const {
    std::size_t before = CountDecisions();
    for (int look = 0; look < 10; ++look) {
      std::this_thread::sleep_for(300ms);
      const std::size_t now = CountDecisions();
      if (now == before) return now;
      before = now;
    }
    ADD_FAILURE() << "it goes on, though it is paused";
    return before;
  }

  std::unique_ptr<RunningProcess> process_;
  std::string url_;
};

const std::vector<std::string> kSlow{
    "tune",     "toy", "--engine",      "random",        "--trials",      "400",   "-o",
    "gain=0.3", "-o",  "duration_ms=5", "--no-ablation", "--dashboard=0", "--json"};

// Ids of all durable events, in order, as a client of its own gets them.
std::vector<std::string> IdsIn(const std::string& text) {
  std::vector<std::string> ids;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("id: ")) ids.push_back(line.substr(4));
  }
  return ids;
}

TEST_F(DashboardTest, ACampaignIsPausedResumedAndStoppedFromOutside) {
  Begin(kSlow);
  const std::string base = "/v1/campaigns/toy-1";
  EXPECT_EQ(Get("/v1/about")["has_campaigns"], true);
  for (int look = 0; look < 200 && CountDecisions() < 6; ++look) std::this_thread::sleep_for(20ms);
  EXPECT_EQ(Get(base)["is_live"], true);
  EXPECT_EQ(Get(base)["line"]["state"], "running");
  EXPECT_EQ(Call("POST", base + "/pause")->status, 401);

  AwaitControl("toy-1", "\"paused\"");
  const std::size_t paused = AwaitNoDecisions();
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(CountDecisions(), paused);

  EXPECT_EQ(Call("POST", base + "/resume", AdminToken())->status, 202);
  for (int look = 0; look < 400 && CountDecisions() <= paused; ++look) {
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_GT(CountDecisions(), paused);

  AwaitControl("toy-1", "\"paused\"");  // A stop works in a pause too.
  EXPECT_EQ(Call("POST", base + "/stop", AdminToken())->status, 202);
  const auto& ended = process_->Wait();
  ASSERT_TRUE(ended);
  EXPECT_THAT(ended->status, testing::AnyOf(0, 4)) << Errors();  // Few were tried by then.
  const auto verdict = ParseJson(ended->output, "verdict");
  ASSERT_TRUE(verdict) << ended->output;
  EXPECT_THAT(Dump((*verdict)["verdict"]), HasSubstr("The search was interrupted after"));
}

TEST_F(DashboardTest, RestoreEndsAtOnceAndTheCampaignCanGoOn) {
  Begin(kSlow);
  for (int look = 0; look < 200 && CountDecisions() < 6; ++look) std::this_thread::sleep_for(20ms);
  EXPECT_EQ(Call("POST", "/v1/campaigns/toy-1/restore", AdminToken())->status, 202);
  const auto& ended = process_->Wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->status, 3) << Errors();
  EXPECT_THAT(Errors(), HasSubstr("hone resume toy-1"));
  EXPECT_THAT(Run({"runs"}).output, HasSubstr("unfinished"));
}

TEST_F(DashboardTest, AnotherProcessShowsTheSameEventsAsTheOneThatRuns) {
  const ProcessResult tune =
      Run({"tune", "toy", "--engine", "random", "--trials", "12", "-o", "gain=0.3", "-q"});
  ASSERT_LE(tune.status, 1) << tune.errors;
  Begin({"dashboard", "--port", "0"});
  const auto whole = Call("GET", "/v1/campaigns/toy-1/events");
  ASSERT_TRUE(whole);
  const auto ids = IdsIn(whole->body);
  ASSERT_GT(ids.size(), 20U);
  for (std::size_t k = 0; k < ids.size(); ++k) EXPECT_EQ(ids[k], std::to_string(k + 1));
  EXPECT_THAT(whole->body, HasSubstr("event: verdict"));
  const auto rest = Call("GET", fmt::format("/v1/campaigns/toy-1/events?after={}", ids.size() - 3));
  EXPECT_EQ(IdsIn(rest->body).size(), 3U);
  const auto report = Call("GET", "/v1/campaigns/toy-1/report");
  EXPECT_THAT(report->body, HasSubstr("toy-1"));
  EXPECT_LT(report->body.size(), 2'000'000U);
  const auto csv = Call("GET", "/v1/campaigns/toy-1/export?as=csv");
  EXPECT_THAT(csv->body, HasSubstr("block,phase,trial"));
  EXPECT_EQ(Call("GET", "/v1/campaigns/toy-1/export?as=sysctl.d")->status, 400);
}

TEST_F(DashboardTest, ATakenPortIsSaidBeforeAnythingIsMeasured) {
  Begin({"dashboard", "--port", "0"});
  const Json about = Get("/v1/about");
  ASSERT_EQ(about["has_campaigns"], true);
  const std::string port = Port();
  const ProcessResult tune = Run({"tune", "toy", "--dashboard=" + port});
  EXPECT_EQ(tune.status, 3);
  EXPECT_THAT(tune.errors, HasSubstr("another server listens there"));
  EXPECT_EQ(Run({"runs", "--ids"}).output, "");
}

}  // namespace
}  // namespace hone
