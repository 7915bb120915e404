// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/http/http_client.h"
#include "hone/base/process/running_process.h"
#include "hone/testing/wait_until.h"
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
    WaitUntil([this] { return IsListening(); }, "it says where it listens");
  }

  bool IsListening() {
    const std::string errors = Errors();
    const auto place = errors.find("http://127.0.0.1:");
    if (place == errors.npos || errors.find('\n', place) == errors.npos) return false;
    url_ = errors.substr(place, errors.find('/', place + 8) - place);
    return true;
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
    const auto is_so = [&] {
      const auto reply = Call("POST", "/v1/campaigns/" + id + "/pause", AdminToken());
      return reply && reply->body.find(state) != reply->body.npos;
    };
    WaitUntil(is_so, id + " is " + state);
  }

  void AwaitDecisions(std::size_t count) const {
    WaitUntil([&] { return CountDecisions() >= count; },
              std::to_string(count) + " decisions are stored");
  }

  // What was measured before a pause may still be decided on, for a moment. Nothing tells when that
  // is over but that nothing more comes: for 300 ms, in which a campaign of 5 ms a run decides
  // much.
  std::size_t AwaitNoDecisions() const {
    std::size_t last = CountDecisions();
    auto since = std::chrono::steady_clock::now();
    const auto is_quiet = [&] {
      const auto now = std::chrono::steady_clock::now();
      const std::size_t count = CountDecisions();
      if (std::exchange(last, count) != count) since = now;
      return now - since >= 300ms;
    };
    WaitUntil(is_quiet, "nothing more is decided in the pause");
    return last;
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
  AwaitDecisions(6);
  EXPECT_EQ(Get(base)["is_live"], true);
  EXPECT_EQ(Get(base)["line"]["state"], "running");
  EXPECT_EQ(Call("POST", base + "/pause")->status, 401);

  AwaitControl("toy-1", "\"paused\"");
  const std::size_t paused = AwaitNoDecisions();

  EXPECT_EQ(Call("POST", base + "/resume", AdminToken())->status, 202);
  AwaitDecisions(paused + 1);

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
  AwaitDecisions(6);
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
