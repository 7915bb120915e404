// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "hone/base/temp_dir.h"
#include "hone/server/campaigns/training_board.h"
#include "hone/server/dashboard_for_test.h"
#include "hone/server/http/thread_pool.h"
#include "hone/server/page/openapi.h"

namespace hone::server {
namespace {

using testing::HasSubstr;

constexpr std::size_t kAll = 1 << 30;

Json TrainingJson(const std::string& state = "training") {
  return {{"algorithm", "ppo"}, {"environment", "CartPole-v1"},
          {"seed", 1},          {"steps", 0},
          {"total_steps", 100}, {"settings", {{"gamma", "0.9"}}},
          {"columns", {"a"}},   {"began", "2026-11-15T00:00:00.000Z"},
          {"is_live", true},    {"state", state},
          {"folder", ""},       {"score", nullptr},
          {"message", ""}};
}

Json UpdateJson(int number) { return {{"at_s", number}, {"values", {number}}}; }

class TrainingBoardTest : public testing::Test {
 protected:
  std::vector<SentEvent> Since(TrainingBoard::Cursor& cursor) const {
    return EventsIn(board_.Since(cursor, kAll));
  }

  ThreadPool pool_{1};
  TimerQueue timers_{SystemClock()};
  TrainingBoard board_{SystemClock(), timers_,
                       [this](std::function<void()> work) { pool_.Post(std::move(work)); }};
};

TEST_F(TrainingBoardTest, BeforeATrainingThereIsNothing) {
  TrainingBoard::Cursor cursor;
  EXPECT_THAT(Since(cursor), testing::IsEmpty());
  EXPECT_EQ(board_.Training().error().code, Errc::kNotFound);
  EXPECT_EQ(board_.Stop().error().code, Errc::kConflict);
}

TEST_F(TrainingBoardTest, EveryUpdateIsToldOnceAndInOrder) {
  board_.Begin(TrainingJson(), [] {});
  TrainingBoard::Cursor cursor;
  board_.Add(UpdateJson(1));
  board_.Add(UpdateJson(2));
  auto events = Since(cursor);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].kind, "training");
  EXPECT_THAT(events[2].data, HasSubstr("[2]"));
  EXPECT_LT(std::stoull(events[1].id), std::stoull(events[2].id));
  EXPECT_THAT(Since(cursor), testing::IsEmpty());
  board_.Show(TrainingJson());  // The same again.
  EXPECT_THAT(Since(cursor), testing::IsEmpty());
  board_.Show(TrainingJson("evaluating"));
  board_.Add(UpdateJson(3));
  EXPECT_EQ(Since(cursor).size(), 2U);
}

TEST_F(TrainingBoardTest, WhoComesBackIsToldWhatHeMissed) {
  board_.Begin(TrainingJson(), [] {});
  for (int i = 1; i <= 5; ++i) board_.Add(UpdateJson(i));
  TrainingBoard::Cursor first;
  const auto events = Since(first);
  TrainingBoard::Cursor again;
  again.update = std::stoull(events[3].id);
  const auto rest = Since(again);
  ASSERT_EQ(rest.size(), 3U);
  EXPECT_THAT(rest[1].data, HasSubstr("[4]"));
}

TEST_F(TrainingBoardTest, PiecesAreSmallAndTogetherEverything) {
  board_.Begin(TrainingJson(), [] {});
  for (int i = 1; i <= 50; ++i) board_.Add(UpdateJson(i));
  board_.End();
  TrainingBoard::Cursor cursor;
  std::string joined;
  for (int i = 0; i < 100 && !cursor.has_ended; ++i) joined += board_.Since(cursor, 1);
  TrainingBoard::Cursor whole;
  EXPECT_EQ(joined, board_.Since(whole, kAll));
  EXPECT_EQ(EventsIn(joined).back().kind, "end");
}

TEST_F(TrainingBoardTest, ALongTrainingIsThinnedAndItsLastUpdateStays) {
  board_.Begin(TrainingJson(), [] {});
  const int count = static_cast<int>(2 * TrainingBoard::kMaxUpdates + 1);
  for (int i = 1; i <= count; ++i) board_.Add(UpdateJson(i));
  TrainingBoard::Cursor cursor;
  const auto events = Since(cursor);
  EXPECT_LE(events.size(), TrainingBoard::kMaxUpdates + 1);
  EXPECT_GE(events.size(), TrainingBoard::kMaxUpdates / 2);
  EXPECT_THAT(events.back().data, HasSubstr(fmt::format("[{}]", count)));
  for (std::size_t i = 2; i < events.size(); ++i) {
    ASSERT_LT(std::stoull(events[i - 1].id), std::stoull(events[i].id));
  }
}

TEST_F(TrainingBoardTest, AnotherTrainingIsToldWholeToWhoSawTheFirst) {
  board_.Begin(TrainingJson(), [] {});
  board_.Add(UpdateJson(1));
  TrainingBoard::Cursor cursor;
  Since(cursor);
  board_.End();
  board_.Begin(TrainingJson("stopping"), [] {});
  board_.Add(UpdateJson(7));
  const auto events = Since(cursor);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, "training");
  EXPECT_THAT(events[1].data, HasSubstr("[7]"));
}

TEST_F(TrainingBoardTest, StopReachesTheTrainingUntilItEnds) {
  int stops = 0;
  board_.Begin(TrainingJson(), [&] { ++stops; });
  EXPECT_TRUE(board_.Stop());
  EXPECT_EQ(stops, 1);
  board_.End();
  EXPECT_EQ(board_.Stop().error().message, "training: it has ended");
  EXPECT_EQ(stops, 1);
}

class TrainingRoutesTest : public testing::Test {
 protected:
  TrainingBoard& board() { return dashboard_.server().training(); }
  static Json Error(const Reply& reply) { return reply.AsJson()["error"]; }

  TempDir folder_ = *TempDir::Make();
  RunningDashboard dashboard_{folder_.path() / "hone.db", {.has_training = true}};
};

TEST_F(TrainingRoutesTest, TheServerSaysThatItTrains) {
  EXPECT_TRUE(dashboard_.Ask("GET", "/v1/about").AsJson()["has_training"]);
  RunningDashboard other(folder_.path() / "other.db");
  EXPECT_FALSE(other.Ask("GET", "/v1/about").AsJson()["has_training"]);
  EXPECT_EQ(other.Ask("GET", "/v1/training").status, 404);
}

TEST_F(TrainingRoutesTest, ItIsDescribedAsTheDescriptionSays) {
  EXPECT_EQ(dashboard_.Ask("GET", "/v1/training").status, 404);
  board().Begin(TrainingJson(), [] {});
  const Reply reply = dashboard_.Ask("GET", "/v1/training");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.AsJson(), TrainingJson());
}

TEST_F(TrainingRoutesTest, WhoWatchesIsToldUntilTheEnd) {
  board().Begin(TrainingJson(), [] {});
  std::jthread trainer([this] {
    for (int i = 1; i <= 200; ++i) board().Add(UpdateJson(i));
    board().Show(TrainingJson("done"));
    board().End();
  });
  const auto events = EventsIn(dashboard_.Ask("GET", "/v1/training/events").body);
  int updates = 0;
  for (const SentEvent& event : events) updates += event.kind == "update" ? 1 : 0;
  EXPECT_EQ(updates, 200);
  EXPECT_EQ(events.back().kind, "end");
}

TEST_F(TrainingRoutesTest, OnlyAnAdminStopsIt) {
  int stops = 0;
  board().Begin(TrainingJson(), [&] { ++stops; });
  const auto stop = [&](const std::string& headers) {
    return dashboard_.Ask("POST", "/v1/training/stop", headers).status;
  };
  EXPECT_EQ(stop(""), 401);
  EXPECT_EQ(stop(Bearer(kSubmitToken)), 403);
  EXPECT_EQ(stops, 0);
  EXPECT_EQ(stop(Bearer(kAdminToken)), 202);
  EXPECT_EQ(stops, 1);
  board().End();
  EXPECT_EQ(stop(Bearer(kAdminToken)), 409);
}

TEST_F(TrainingRoutesTest, ANumberThatIsNoneIsRefused) {
  EXPECT_EQ(dashboard_.Ask("GET", "/v1/training/events?after=x").status, 400);
}

}  // namespace
}  // namespace hone::server
