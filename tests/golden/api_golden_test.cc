// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "hone/base/file.h"
#include "hone/server/dashboard_server.h"
#include "hone/server/server_for_test.h"
#include "hone/server/store_for_test.h"
#include "hone/testing/still_says.h"
#include "hone/tune/campaign/history_for_test.h"

// What the API answers about one made-up campaign, for the tests here and for those of web/.
namespace hone {
namespace {

constexpr const char* kToken = "an-admin-token-for-tests";

// What the API says otherwise than in api_1075c5b/, on purpose.
const std::vector<MeantChange> kMeantChanges = {};

Json ReadAnswer(const std::filesystem::path& path) {
  const auto text = ReadFile(path);
  if (!text) ADD_FAILURE() << text.error().message;
  return ParseJson(text.value_or(""), path.string()).value_or(Json());
}

class QuietControl final : public server::CampaignControl {
 public:
  void Pause() override { state_ = "pausing"; }
  void Resume() override { state_ = "running"; }
  void Stop() override { state_ = "stopping"; }
  void Restore() override { state_ = "stopping"; }
  std::string State() const override { return state_; }

 private:
  std::string state_ = "running";
};

class ApiGoldenTest : public testing::Test {
 protected:
  ApiGoldenTest() : story_(tune::HistoryBuilder::Gain()) {
    story_.StoreAll();
    server::DashboardSettings settings;
    settings.http.port = 0;
    settings.campaigns.store = story_.path();
    settings.campaigns.version = "0.1.0";
    settings.campaigns.forms = [](const tune::CampaignHistory&) {
      return std::vector<std::string>{"json", "csv", "report"};
    };
    settings.access.tokens = *server::TokenBook::Parse(fmt::format("admin {}\n", kToken), "tokens");
    server_ = *server::StartDashboard(SystemClock(), std::move(settings));
  }

  server::Reply Ask(const std::string& method, const std::string& target,
                    const std::string& more_headers = "") const {
    server::TestClient client(server_->port());
    client.Send(server::RequestText(method, target, "", more_headers));
    return client.Receive();
  }

  static void ExpectGolden(const std::string& name, const Json& json) {
    const auto old = std::filesystem::path(HONE_OLD_API_DIR) / (name + ".json");
    EXPECT_THAT(NoLongerSaid(ReadAnswer(old), json, name, kMeantChanges), testing::IsEmpty());
    const auto path = std::filesystem::path(HONE_GOLDEN_API_DIR) / (name + ".json");
    const std::string text = json.dump(1) + "\n";
    if (std::getenv("HONE_UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(WriteFileDurably(path, text));
      return;
    }
    const auto golden = ReadFile(path);
    ASSERT_TRUE(golden) << golden.error().message;
    EXPECT_EQ(text, *golden) << "If this is meant: see tests/golden/README.md";
  }

  server::StoredStory story_;
  std::unique_ptr<server::DashboardServer> server_;
};

TEST_F(ApiGoldenTest, About) {
  Json about = Ask("GET", "/v1/about").AsJson();
  about["now"] = "2026-11-15T11:47:27.123456Z";
  ExpectGolden("about", about);
}

TEST_F(ApiGoldenTest, Campaigns) {
  ExpectGolden("campaigns", Ask("GET", "/v1/campaigns").AsJson());
  ExpectGolden("campaign", Ask("GET", "/v1/campaigns/" + story_.id()).AsJson());
  ExpectGolden("error", Ask("GET", "/v1/campaigns/none-1").AsJson());
}

TEST_F(ApiGoldenTest, Events) {
  Json events = Json::array();
  std::istringstream lines(Ask("GET", "/v1/campaigns/" + story_.id() + "/events").body);
  Json event = Json::object();
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("id: ")) event["id"] = std::stoi(line.substr(4));
    if (line.starts_with("event: ")) event["kind"] = line.substr(7);
    if (line.starts_with("data: ")) event["data"] = Json::parse(line.substr(6));
    if (line.empty() && event.contains("kind"))
      events.push_back(std::exchange(event, Json::object()));
  }
  ExpectGolden("events", events);
}

TEST_F(ApiGoldenTest, Control) {
  server_->board().Register(story_.id(), std::make_shared<QuietControl>());
  const std::string pause = "/v1/campaigns/" + story_.id() + "/pause";
  const std::string token = fmt::format("Authorization: Bearer {}\r\n", kToken);
  ExpectGolden("control", Ask("POST", pause, token).AsJson());
  ExpectGolden("control_refused", Ask("POST", pause).AsJson());
}

}  // namespace
}  // namespace hone
