// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/exchange_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/chat/scripted_model_for_test.h"
#include "hone/base/temp_dir.h"
#include "hone/testing/fake_clock.h"

namespace hone::agent {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class ExchangeLogTest : public testing::Test {
 protected:
  ExchangeLog Open(const std::string& campaign = "toy-1") {
    return std::move(ExchangeLog::Open(path_, campaign, clock_).value());
  }

  FakeClock clock_;
  Result<TempDir> folder_ = TempDir::Make("exchanges");
  std::filesystem::path path_ = folder_->path() / "hone.db";
  Json request_ = ToJson(ChatRequest{.messages = {{.text = "what?"}}});
};

TEST_F(ExchangeLogTest, WhatWasFinishedIsReadBackWholeAndInOrder) {
  ChatAnswer answer = TextAnswer("this, \xE2\x80\xA6");
  answer.message.reasoning = "hm";
  answer.message.calls = {{"1", "f", "{}"}};
  answer.usage = {1, 2, 1};
  answer.end = ChatEnd::kToolCalls;
  {
    ExchangeLog log = Open();
    const auto first = log.Begin(request_, {});
    const auto second = log.Begin(request_, {});
    ASSERT_TRUE(log.Finish(*second, Error{Errc::kUnavailable, "gone"}, {}));
    ASSERT_TRUE(log.Finish(*first, answer, {}));
  }
  const auto exchanges = Open().Read();
  ASSERT_TRUE(exchanges) << exchanges.error().message;
  ASSERT_THAT(*exchanges, SizeIs(2));
  EXPECT_EQ(exchanges->front().request, request_);
  const Result<ChatAnswer>& stored = exchanges->front().outcome->answer;
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->message, answer.message);
  EXPECT_EQ(stored->usage, answer.usage);
  EXPECT_EQ(stored->end, answer.end);
  EXPECT_EQ(stored->model, answer.model);
  EXPECT_EQ(exchanges->back().outcome->answer.error().message, "gone");
  EXPECT_EQ(exchanges->back().outcome->answer.error().code, Errc::kUnavailable);
}

TEST_F(ExchangeLogTest, CampaignsAreApart) {
  ExchangeLog log = Open();
  ASSERT_TRUE(log.Finish(*log.Begin(request_, {}), TextAnswer("x"), {.tokens = 70}));
  ExchangeLog other = Open("toy-2");
  EXPECT_THAT(*other.Read(), IsEmpty());
  EXPECT_EQ(other.TakeOver()->tokens, 0);
  EXPECT_EQ(log.TakeOver()->tokens, 70);
}

TEST_F(ExchangeLogTest, WhatAKilledProcessHadAskedForCountsWithTheMostItMayHaveCost) {
  const ChatSpending one{.tokens = 30, .money = Money{300}};
  const ChatSpending at_most{.tokens = 130, .money = Money{1300}};
  {
    ExchangeLog log = Open();
    const auto lost = log.Begin(request_, {});
    const auto done = log.Begin(request_, {});
    ASSERT_TRUE(lost);
    ASSERT_TRUE(log.NoteAtMost({.tokens = 230, .money = Money{2300}}));  // Both are under way.
    ASSERT_TRUE(log.NoteAtMost(at_most));                                // One cost less.
    ASSERT_TRUE(log.Finish(*done, TextAnswer("x"), one));
  }
  for (int life = 0; life < 3; ++life) EXPECT_EQ(*Open().TakeOver(), at_most);
  ExchangeLog log = Open();
  ASSERT_THAT(*log.Read(), SizeIs(1));  // What was lost has no answer.
  ASSERT_TRUE(log.Finish(*log.Begin(request_, at_most), TextAnswer("y"),
                         {.tokens = 150, .money = Money{1500}}));
  EXPECT_EQ(log.TakeOver()->tokens, 150);
}

TEST_F(ExchangeLogTest, AStoreWithoutExchangesCanBeRead) {
  { ASSERT_TRUE(Database::Open(path_)); }
  auto log = ExchangeLog::Open(path_, "toy-1", clock_, Database::Mode::kReadOnly);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_THAT(*log->Read(), IsEmpty());
}

TEST_F(ExchangeLogTest, DamagedRowsAreCorruptAndNamed) {
  ExchangeLog log = Open();
  ASSERT_TRUE(log.Begin(request_, {}));
  auto database = Database::Open(path_);
  ASSERT_TRUE(database->Execute("UPDATE exchanges SET outcome = '{\"answer\":{}}'"));
  const auto read = log.Read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kCorrupt);
  EXPECT_THAT(read.error().message, testing::HasSubstr("exchange 0 of toy-1"));
}

}  // namespace
}  // namespace hone::agent
