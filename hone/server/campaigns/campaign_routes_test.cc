// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "hone/server/campaigns/campaign_log.h"
#include "hone/server/dashboard_for_test.h"
#include "hone/server/page/openapi.h"
#include "hone/server/server_for_test.h"
#include "hone/server/store_for_test.h"
#include "hone/testing/wait_until.h"
#include "hone/tune/campaign/campaign_json.h"
#include "hone/tune/campaign/history_for_test.h"

namespace hone::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FakeControl final : public CampaignControl {
 public:
  void Pause() override { state = "pausing"; }
  void Resume() override { state = "running"; }
  void Stop() override { state = "stopping"; }
  void Restore() override { state = "stopping"; }
  std::string State() const override { return state; }

  std::string state = "running";
};

TEST(CampaignLogTest, ReadAfterEveryStepItIsWhatItIsAfterARestart) {
  StoredStory story(tune::HistoryBuilder::Gain());
  const auto live = CampaignLog::Open(story.path(), story.id(), SystemClock());
  ASSERT_TRUE(live) << live.error().message;
  std::string told;
  std::uint64_t last = 0;
  do {
    ASSERT_TRUE((*live)->Refresh(0));
    const CampaignLog::Page page = (*live)->After(last, 1 << 20);
    told += page.text;
    last = page.last;
  } while (story.Next());
  ASSERT_TRUE((*live)->Refresh(0));
  const CampaignLog::Page rest = (*live)->After(last, 1 << 20);
  told += rest.text;
  EXPECT_TRUE(rest.is_end);

  const auto restarted = CampaignLog::Open(story.path(), story.id(), SystemClock());
  ASSERT_TRUE((*restarted)->Refresh(0));
  EXPECT_EQ((*restarted)->After(0, 1 << 30).text, told);
  EXPECT_EQ(EventsIn(told).size(), 16U);
}

TEST(CampaignLogTest, EveryPlaceCanBeGoneOnFromWithoutALossOrADouble) {
  StoredStory story(tune::HistoryBuilder::Gain());
  story.StoreAll();
  const auto log = CampaignLog::Open(story.path(), story.id(), SystemClock());
  ASSERT_TRUE((*log)->Refresh(0));
  const std::string whole = (*log)->After(0, 1 << 30).text;
  for (std::uint64_t id = 0; id <= 16; ++id) {
    std::string joined = whole.substr(0, whole.find(fmt::format("id: {}\n", id + 1)));
    for (std::uint64_t last = id;;) {
      const auto page = (*log)->After(last, 1);  // The smallest pieces.
      joined += page.text;
      last = page.last;
      if (page.is_end) break;
    }
    EXPECT_EQ(joined, whole) << "after " << id;
  }
}

TEST(CampaignRoutesTest, AFinishedCampaignGivesAllItsEventsThenEnds) {
  StoredStory story(tune::HistoryBuilder::Gain());
  story.StoreAll();
  RunningDashboard dashboard(story.path());
  const auto events = dashboard.Events(story.id());
  ASSERT_EQ(events.size(), 17U);
  for (std::size_t k = 0; k < 16; ++k) EXPECT_EQ(events[k].id, std::to_string(k + 1));
  EXPECT_EQ(events[15].kind, "verdict");
  EXPECT_EQ(events[16], (SentEvent{"", "end", "{}"}));
  for (std::size_t k = 0; k <= 16; ++k) {
    const auto rest = dashboard.Events(story.id(), std::to_string(k));
    EXPECT_EQ(rest, std::vector<SentEvent>(events.begin() + static_cast<long>(k), events.end()));
  }
  RunningDashboard restarted(story.path());
  EXPECT_EQ(restarted.Events(story.id()), events);
}

TEST(CampaignRoutesTest, WhatAnotherStoresIsToldAtOnce) {
  StoredStory story(tune::HistoryBuilder::Gain());
  RunningDashboard dashboard(story.path());
  TestClient client(dashboard.server().port());
  client.Send(RequestText("GET", "/v1/campaigns/" + story.id() + "/events"));
  std::string text = client.ReceiveSome();
  EXPECT_THAT(text, HasSubstr("text/event-stream"));
  const auto begin = std::chrono::steady_clock::now();
  story.StoreAll();
  while (text.find("event: end") == text.npos) {
    const std::string more = client.ReceiveSome();
    ASSERT_FALSE(more.empty()) << text;
    text += more;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);  // The heartbeat is at 15.
}

TEST(CampaignRoutesTest, HostileTextsStayOneLineOfJson) {
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  const std::string hostile =
      "x\nevent: end\ndata: {}\n\n</script><img src=x onerror=alert(1)>\r\n\xff";
  history.blocks[5].evaluation.reason = hostile;
  history.blocks[5].evaluation.outcome = Outcome::kCrashed;
  StoredStory story(std::move(history));
  story.StoreAll();
  RunningDashboard dashboard(story.path());
  const auto events = dashboard.Events(story.id());
  ASSERT_EQ(events.size(), 17U);
  const auto found = std::find_if(events.begin(), events.end(), [](const SentEvent& event) {
    return event.data.find("onerror") != event.data.npos;
  });
  ASSERT_NE(found, events.end());
  const auto json = ParseJson(found->data, "event");
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_THAT((*json)["reason"].get<std::string>(), StartsWith("x\nevent: end"));
}

TEST(CampaignRoutesTest, ListsAndDescribesWhatIsStored) {
  StoredStory story(tune::HistoryBuilder::Gain());
  story.StoreAll();
  RunningDashboard dashboard(story.path());
  const Json list = dashboard.Ask("GET", "/v1/campaigns").AsJson();
  ASSERT_EQ(list["campaigns"].size(), 1U);
  EXPECT_EQ(list["campaigns"][0]["id"], story.id());
  EXPECT_EQ(list["campaigns"][0]["state"], "done");
  EXPECT_EQ(list["campaigns"][0]["trials"], 5);
  const Json campaign = dashboard.Ask("GET", "/v1/campaigns/" + story.id()).AsJson();
  EXPECT_EQ(campaign["line"], list["campaigns"][0]);
  EXPECT_EQ(campaign["is_live"], false);
  EXPECT_EQ(campaign["ablation"].size(), 2U);
  EXPECT_EQ(campaign["parameters"][0]["name"], "threads");
  EXPECT_EQ(dashboard.Ask("GET", "/v1/campaigns/none-1").status, 404);
  EXPECT_EQ(dashboard.Ask("GET", "/v1/campaigns/none-1/events").status, 404);
}

TEST(CampaignRoutesTest, TheListIsToldOnceAndThenWhatChangesInIt) {
  StoredStory story(tune::HistoryBuilder::Gain());
  RunningDashboard dashboard(story.path());
  TestStream list(dashboard.server().port(), "/v1/campaigns/events");
  const SentEvent first = list.Next();
  EXPECT_EQ(first.kind, "campaigns");
  EXPECT_EQ(*ParseJson(first.data, "event"), dashboard.Ask("GET", "/v1/campaigns").AsJson());
  EXPECT_EQ((*ParseJson(first.data, "event"))["campaigns"][0]["state"], "stopped");
  story.StoreAll();
  Json line;
  while (line["state"] != "done") {
    const SentEvent event = list.Next();
    ASSERT_EQ(event.kind, "campaign");
    line = *ParseJson(event.data, "event");
  }
  EXPECT_EQ(line, dashboard.Ask("GET", "/v1/campaigns").AsJson()["campaigns"][0]);
  ASSERT_TRUE(story.store().Create(tune::HistoryBuilder::Gain().campaign.start));
  const SentEvent fresh = list.Next();
  EXPECT_EQ(fresh.kind, "campaign");
  EXPECT_NE((*ParseJson(fresh.data, "event"))["id"], story.id());
}

TEST(CampaignRoutesTest, ANewLabelIsToldInTheListAndItsNoteWithTheCampaign) {
  StoredStory story(tune::HistoryBuilder::Gain());
  story.StoreAll();
  RunningDashboard dashboard(story.path());
  TestStream list(dashboard.server().port(), "/v1/campaigns/events");
  EXPECT_THAT(list.Next().data, HasSubstr(R"("label":"")"));
  ASSERT_TRUE(story.store().SetLabel(story.id(), {"new disk", "The fans are loud."}));
  EXPECT_THAT(list.Next().data, HasSubstr(R"("label":"new disk")"));
  const Json campaign = dashboard.Ask("GET", "/v1/campaigns/" + story.id()).AsJson();
  EXPECT_EQ(campaign["line"]["label"], "new disk");
  EXPECT_EQ(campaign["note"], "The fans are loud.");
}

TEST(CampaignRoutesTest, TheListTellsOfAProcessThatTookACampaignUp) {
  StoredStory story(tune::HistoryBuilder::Gain());
  RunningDashboard dashboard(story.path());
  TestStream list(dashboard.server().port(), "/v1/campaigns/events");
  EXPECT_EQ(list.Next().kind, "campaigns");
  const auto lock = story.store().Lock(story.id());  // Nothing is stored, no bell is rung.
  ASSERT_TRUE(lock);
  EXPECT_THAT(list.Next().data, HasSubstr(R"("state":"running")"));
}

TEST(CampaignRoutesTest, AListWithoutAStoreIsEmptyAndFillsWhenThereIsOne) {
  const auto folder = TempDir::Make();
  const auto path = folder->path() / "late.db";
  RunningDashboard dashboard(path);
  TestStream list(dashboard.server().port(), "/v1/campaigns/events");
  EXPECT_EQ(list.Next().data, R"({"campaigns":[]})");
  auto store = tune::CampaignStore::Open(path, SystemClock());
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->Create(tune::HistoryBuilder::Gain().campaign.start));
  EXPECT_EQ(list.Next().kind, "campaign");
}

TEST(CampaignRoutesTest, ACampaignIsDescribedAtEveryStepAsItsWholeHistoryIs) {
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  for (tune::HistoryBlock& block : history.blocks) {
    for (Sample& sample : block.evaluation.samples) sample.observations["page_faults"] = 7;
  }
  StoredStory story(history);
  RunningDashboard dashboard(story.path());
  CampaignBoard& board = dashboard.server().board();
  do {
    auto described = board.Describe(story.id());
    ASSERT_TRUE(described) << described.error().message;
    EXPECT_EQ((*described)["is_read"], true);
    for (const char* more : {"is_live", "is_read", "exports"}) described->erase(more);
    const std::string state = (*described)["line"]["state"];
    EXPECT_EQ(*described, tune::CampaignJson(*board.Load(story.id()), state));
  } while (story.Next());
}

TEST(CampaignRoutesTest, AnEmptyStoreIsAnEmptyList) {
  const auto folder = TempDir::Make();
  RunningDashboard dashboard(folder->path() / "none.db");
  EXPECT_EQ(dashboard.Ask("GET", "/v1/campaigns").body, R"({"campaigns":[]})");
  EXPECT_FALSE(std::filesystem::exists(folder->path() / "none.db"));
}

TEST(CampaignRoutesTest, ARunsOwnOutputCanBeOpened) {
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  history.blocks[1].evaluation.samples[0].output = "throughput: 7\n";
  StoredStory story(history);
  story.StoreAll();
  RunningDashboard dashboard(story.path());
  const std::string base = "/v1/campaigns/" + story.id();
  const auto answer =
      ParseJson(dashboard.Ask("GET", base + "/runs?block=" + history.blocks[1].name).body, "runs");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ((*answer)["runs"].size(), history.blocks[1].evaluation.samples.size());
  EXPECT_EQ((*answer)["runs"][0]["output"], "throughput: 7\n");
  EXPECT_EQ(dashboard.Ask("GET", base + "/runs?block=trial/99/0").status, 404);
}

TEST(CampaignRoutesTest, ExportsAreFilesToKeep) {
  StoredStory story(tune::HistoryBuilder::Gain());
  story.StoreAll();
  RunningDashboard dashboard(story.path());
  const std::string base = "/v1/campaigns/" + story.id();
  const Reply file = dashboard.Ask("GET", base + "/export?as=json");
  EXPECT_EQ(file.body, "{}\n");
  EXPECT_THAT(file.Header("content-disposition"), HasSubstr(story.id() + ".json"));
  EXPECT_EQ(dashboard.Ask("GET", base + "/export?as=nothing").status, 400);
  EXPECT_EQ(dashboard.Ask("GET", base + "/export?as=json&pick=2").body, "point 2\n");
  EXPECT_EQ(dashboard.Ask("GET", base + "/export?as=json&pick=two").status, 400);
  const Reply report = dashboard.Ask("GET", base + "/report");
  EXPECT_THAT(report.body, HasSubstr("<!DOCTYPE html>"));
}

TEST(CampaignRoutesTest, ALiveCampaignShowsItsStateAndItsLastLines) {
  StoredStory story(tune::HistoryBuilder::Gain());
  RunningDashboard dashboard(story.path());
  const auto live =
      dashboard.server().board().Register(story.id(), std::make_shared<FakeControl>());
  live->Show("progress", {{"phase", "search"}});
  for (int k = 0; k < 700; ++k) live->Log("info", fmt::format("line {}", k));
  TestClient client(dashboard.server().port());
  client.Send(RequestText("GET", "/v1/campaigns/" + story.id() + "/events"));
  std::string text;
  while (text.find("line 699\"") == text.npos) {
    const std::string more = client.ReceiveSome();
    ASSERT_FALSE(more.empty());
    text += more;
  }
  EXPECT_THAT(text, HasSubstr("event: progress\ndata: {\"phase\":\"search\"}"));
  EXPECT_THAT(text, HasSubstr("line 200\""));
  EXPECT_THAT(text, Not(HasSubstr("line 199\"")));
  live->Show("progress", {{"phase", "proof"}});
  EXPECT_THAT(client.ReceiveSome(), HasSubstr("proof"));
}

TEST(CampaignRoutesTest, WhatIsShownLastIsSentBeforeTheServerGoes) {
  StoredStory story(tune::HistoryBuilder::Gain());
  for (int round = 0; round < 20; ++round) {
    auto dashboard = std::make_unique<RunningDashboard>(story.path());
    const auto live =
        dashboard->server().board().Register(story.id(), std::make_shared<FakeControl>());
    TestStream stream(dashboard->server().port(), "/v1/campaigns/" + story.id() + "/events");
    live->Show("journal", {{"changed", 3}});
    EXPECT_EQ(stream.Next().kind, "journal");
    live->Show("journal", {{"changed", 0}});
    dashboard.reset();
    EXPECT_EQ(stream.Next().data, R"({"changed":0})");
  }
}

TEST(CampaignRoutesTest, AClientThatNeverReadsCostsTheCampaignNothing) {
  StoredStory story(tune::HistoryBuilder::Gain());
  RunningDashboard dashboard(story.path());
  const auto live =
      dashboard.server().board().Register(story.id(), std::make_shared<FakeControl>());
  const auto show = [&] {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < 5000; ++k) {
      live->Show("progress", {{"done", k}, {"message", std::string(2000, 'x')}});
      live->Log("info", std::string(2000, 'y'));
    }
    return std::chrono::steady_clock::now() - begin;
  };
  const auto alone = show();
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int k = 0; k < 8; ++k) {
    clients.push_back(std::make_unique<TestClient>(dashboard.server().port()));
    clients.back()->Send(RequestText("GET", "/v1/campaigns/" + story.id() + "/events"));
  }
  for (const auto& client : clients) {  // Each is served; from now on none of them reads.
    ASSERT_NE(client->ReceiveSome(kTestTimeout), "");
  }
  const auto watched = show();
  EXPECT_LT(watched, 10 * alone + 500ms);
  EXPECT_EQ(dashboard.Ask("GET", "/v1/about").status, 200);  // Others are served.
}

TEST(CampaignRoutesTest, OnlyAnAdminControlsAndOnlyALiveCampaign) {
  StoredStory story(tune::HistoryBuilder::Gain());
  RunningDashboard dashboard(story.path());
  const auto control = std::make_shared<FakeControl>();
  const std::string base = "/v1/campaigns/" + story.id();
  const auto post = [&](const char* verb, const std::string& headers) {
    return dashboard.Ask("POST", base + "/" + verb, headers);
  };
  Reply refused = post("stop", Bearer(kAdminToken));
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("hone resume " + story.id()));
  dashboard.server().board().Register(story.id(), control);
  for (const char* verb : {"pause", "resume", "stop", "restore"}) {
    EXPECT_EQ(post(verb, "").status, 401) << verb;
    EXPECT_EQ(post(verb, Bearer("wrong")).status, 401) << verb;
    EXPECT_EQ(post(verb, Bearer(kSubmitToken)).status, 403) << verb;
    EXPECT_EQ(dashboard.Ask("GET", base + "/" + verb, Bearer(kAdminToken)).status, 405) << verb;
  }
  EXPECT_EQ(control->state, "running");
  const Reply paused = post("pause", Bearer(kAdminToken));
  EXPECT_EQ(paused.status, 202);
  EXPECT_EQ(paused.body, R"({"control":"pausing"})");
  EXPECT_EQ(post("resume", Bearer(kAdminToken)).body, R"({"control":"running"})");
  EXPECT_EQ(post("stop", Bearer(kAdminToken)).body, R"({"control":"stopping"})");
  control->state = "done";
  EXPECT_EQ(post("stop", Bearer(kAdminToken)).status, 409);
  EXPECT_EQ(dashboard.Ask("POST", "/v1/campaigns/none-1/stop", Bearer(kAdminToken)).status, 404);
}

TEST(CampaignRoutesTest, ACampaignOfAnotherProcessIsStoppedThere) {
  StoredStory story(tune::HistoryBuilder::Gain());
  RunningDashboard dashboard(story.path());
  const auto lock = story.store().Lock(story.id());
  ASSERT_TRUE(lock);
  const std::string base = "/v1/campaigns/" + story.id();
  EXPECT_EQ(dashboard.Ask("GET", base).AsJson()["line"]["state"], "running");
  const Reply refused = dashboard.Ask("POST", base + "/pause", Bearer(kAdminToken));
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("Ctrl-C"));
}

// `hone serve` over a store in which a client of `hone mcp` started a campaign.
class ServedCampaignTest : public testing::Test {
 protected:
  static constexpr const char* kAda = "ada-token-for-tests-1";
  static constexpr const char* kBob = "bob-token-for-tests-1";

  static tune::CampaignHistory OfAda() {
    tune::CampaignHistory history = tune::HistoryBuilder::Gain();
    history.campaign.start.submitter = SubmitterOf(kAda);
    return history;
  }

  RunningApi::Choice Choice() const {
    RunningApi::Choice choice;
    choice.api.access.tokens = *TokenBook::Parse(
        fmt::format("submit {}\nsubmit {}\nadmin {}\n", kAda, kBob, kAdminToken), "tokens");
    choice.api.campaigns.emplace();
    choice.api.campaigns->store = story_.path();
    choice.api.campaigns->make = [](const tune::CampaignHistory&, const std::string&,
                                    std::optional<std::size_t>) {
      return Result<ExportedFile>(ExportedFile{"x.json", "text/x", "{}"});
    };
    return choice;
  }

  StoredStory story_{OfAda()};
};

TEST_F(ServedCampaignTest, AnotherTokenReadsNothingOfIt) {
  story_.StoreAll();
  const RunningApi api(Choice());
  const std::string runs = "/runs?block=" + OfAda().blocks[1].name;
  for (const std::string& id : {story_.id(), std::string("last")}) {
    for (const std::string& what : {std::string(), std::string("/events"), std::string("/export"),
                                    std::string("/report"), runs}) {
      const std::string target = "/v1/campaigns/" + id + what;
      const Reply refused = api.Ask("GET", target, "", Bearer(kBob));
      EXPECT_EQ(refused.status, 404) << target << refused.body;
      EXPECT_EQ(api.Ask("GET", target, "", Bearer(kAda)).status, 200) << target;
      EXPECT_EQ(api.Ask("GET", target, "", Bearer(kAdminToken)).status, 200) << target;
    }
  }
}

TEST_F(ServedCampaignTest, TheListHasItForItsTokenAndForAnAdmin) {
  story_.StoreAll();
  const RunningApi api(Choice());
  const auto listed = [&](const char* token) {
    return api.Ask("GET", "/v1/campaigns", "", Bearer(token)).AsJson()["campaigns"].size();
  };
  const auto streamed = [&](const char* token) {
    TestStream stream(api.port(), "/v1/campaigns/events", Bearer(token));
    return stream.Next().data;
  };
  for (const char* const token : {kAda, kAdminToken}) {
    EXPECT_EQ(listed(token), 1U);
    EXPECT_THAT(streamed(token), HasSubstr(story_.id()));
  }
  EXPECT_EQ(listed(kBob), 0U);
  EXPECT_EQ(streamed(kBob), R"({"campaigns":[]})");
}

TEST_F(ServedCampaignTest, WhatNobodyInParticularStartedIsForEveryToken) {
  StoredStory open(tune::HistoryBuilder::Gain());
  open.StoreAll();
  RunningApi::Choice choice = Choice();
  choice.api.campaigns->store = open.path();
  const RunningApi api(std::move(choice));
  EXPECT_EQ(api.Ask("GET", "/v1/campaigns/last", "", Bearer(kBob)).status, 200);
  EXPECT_EQ(api.Ask("GET", "/v1/campaigns/last", "").status, 401);
}

// It shows the store of whoever started it, to whoever reaches it on this machine.
TEST_F(ServedCampaignTest, ADashboardShowsAllCampaigns) {
  story_.StoreAll();
  RunningDashboard dashboard(story_.path());
  EXPECT_EQ(dashboard.Ask("GET", "/v1/campaigns").AsJson()["campaigns"].size(), 1U);
  EXPECT_EQ(dashboard.Ask("GET", "/v1/campaigns/last").status, 200);
}

TEST(CampaignRoutesTest, PagesOfOthersAreRefused) {
  StoredStory story(tune::HistoryBuilder::Gain());
  RunningDashboard dashboard(story.path());
  const std::string stop = "/v1/campaigns/" + story.id() + "/stop";
  EXPECT_EQ(dashboard.Ask("POST", stop, "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(dashboard.Ask("GET", "/v1/campaigns", "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(
      dashboard
          .Ask("GET", "/v1/campaigns", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n")
          .status,
      403);
  EXPECT_EQ(dashboard.Ask("GET", "/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n")
                .Header("content-security-policy")
                .empty(),
            false);
}

TEST(CampaignRoutesTest, AboutSaysWhatTheTokenMayDo) {
  StoredStory story(tune::HistoryBuilder::Gain());
  RunningDashboard dashboard(story.path());
  const Json nobody = dashboard.Ask("GET", "/v1/about").AsJson();
  EXPECT_EQ(nobody["role"], "nobody");
  EXPECT_EQ(nobody["reads_need_token"], false);
  EXPECT_EQ(nobody["controls_need_token"], true);
  EXPECT_EQ(nobody["has_service"], false);
  EXPECT_EQ(dashboard.Ask("GET", "/v1/about", Bearer(kAdminToken)).AsJson()["role"], "admin");
}

TEST(CampaignRoutesTest, ADashboardForOthersIsRefused) {
  DashboardSettings settings;
  settings.http.address = "0.0.0.0";
  settings.http.port = 0;
  EXPECT_EQ(StartDashboard(SystemClock(), settings).error().code, Errc::kInvalidArgument);
}

}  // namespace
}  // namespace hone::server
