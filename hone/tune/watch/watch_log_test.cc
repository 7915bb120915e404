// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/tune/watch/watch_for_test.h"

namespace hone::tune {
namespace {

using testing::HasSubstr;

class WatchLogTest : public testing::Test {
 protected:
  WatchLogTest() : folder_(TempDir::Make("hone-watch")) {}

  std::filesystem::path Path() const { return folder_->path() / "deep" / "watch.jsonl"; }
  void AppendRaw(const std::string& text) const {
    std::ofstream(Path(), std::ios::app | std::ios::binary) << text;
  }

 private:
  Result<TempDir> folder_;
};

WatchEvent EventOf(std::int64_t round) {
  WatchEvent event;
  event.kind = WatchEvent::Kind::kAdopted;
  event.round = round;
  event.time = WallTime{std::chrono::microseconds{1'800'000'000'000'000 + round}};
  event.what = "x 0.5 -> 0.55";
  event.reason = "it is surely better";
  event.candidate.assignment = {{"x", 0.55}, {"mode", std::string("a\nb")}};
  event.in_force = event.candidate;
  event.gain = WatchGain{0.03, {.low = 0.01}, 12};
  event.metrics = {{"rate", 0.1}};
  return event;
}

TEST_F(WatchLogTest, WhatWasWrittenReadsBackOverSeveralLives) {
  for (std::int64_t life = 0; life < 3; ++life) {
    auto log = WatchLog::Open(Path());
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_TRUE(log->Append(EventOf(2 * life)));
    ASSERT_TRUE(log->Append(EventOf(2 * life + 1)));
  }
  const auto events = ReadWatchLog(Path());
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 6U);
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ((*events)[static_cast<std::size_t>(i)], EventOf(i));
  }
}

TEST_F(WatchLogTest, AWholeWatchReadsBack) {
  FakeService service(TwoRanges(), [](const Assignment& values, std::int64_t) {
    return FakeService::Metrics{{"rate", 1000 + 300 * std::get<double>(values.at("x"))}};
  });
  WatchSettings settings;
  settings.max_rounds = 20;
  ASSERT_TRUE(service.Watch(settings));
  auto log = WatchLog::Open(Path());
  ASSERT_TRUE(log);
  for (const WatchEvent& event : service.events) ASSERT_TRUE(log->Append(event));
  const auto events = ReadWatchLog(Path());
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(*events, service.events);
}

TEST_F(WatchLogTest, AnUnfinishedLastLineIsLeftOutAndCutOffByTheNextLife) {
  ASSERT_TRUE(WatchLog::Open(Path())->Append(EventOf(1)));
  AppendRaw("{\"kind\":\"ado");
  ASSERT_EQ(ReadWatchLog(Path())->size(), 1U);
  ASSERT_TRUE(WatchLog::Open(Path())->Append(EventOf(2)));
  const auto events = ReadWatchLog(Path());
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(events->size(), 2U);
}

TEST_F(WatchLogTest, AnotherFaultNamesTheLine) {
  ASSERT_TRUE(WatchLog::Open(Path())->Append(EventOf(1)));
  AppendRaw("not JSON\n");
  const auto events = ReadWatchLog(Path());
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().code, Errc::kCorrupt);
  EXPECT_THAT(events.error().message, HasSubstr("watch.jsonl:2"));
}

TEST_F(WatchLogTest, AnUnknownKindIsRefused) {
  Json json = ToJson(EventOf(1));
  json["kind"] = "eaten";
  const auto event = ReadWatchEvent(json, "line");
  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().message, HasSubstr("/kind: no such kind of event"));
}

TEST_F(WatchLogTest, TwoWatchesCannotWriteToOneLog) {
  const auto first = WatchLog::Open(Path());
  ASSERT_TRUE(first);
  const auto second = WatchLog::Open(Path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kStale);
  EXPECT_THAT(second.error().message, HasSubstr("another watch writes to it"));
}

}  // namespace
}  // namespace hone::tune
