// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/shared_poller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "hone/server/http/event_stream.h"
#include "hone/server/http/thread_pool.h"
#include "hone/server/live/versioned_map.h"
#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// A thing to look at, and those who watch it. Time stands still unless it is moved.
class SharedPollerTest : public testing::Test {
 protected:
  Result<VersionedMap::Items> Look() {
    if (is_broken_) return Error{Errc::kUnavailable, "broken"};
    return VersionedMap::Items{{"value", value_.load()}};
  }
  static std::string Tell(const VersionedMap::Changes& changes) {
    return EventText(changes.is_whole ? "whole" : "part", changes.items.at("value"));
  }

  // One that reads: takes the next piece, in its own time.
  class Reader {
   public:
    explicit Reader(SharedPollerTest& test) {
      HttpRequest request;
      request.gone = gone_.get_token();
      response_ = test.poller_.Watch(request);
    }
    // Begins to wait for the next piece.
    void Ask() {
      piece_.reset();
      is_there_ = false;
      Start(response_.next_piece(), [this](auto piece, std::exception_ptr) {
        piece_ = std::move(*piece);
        is_there_ = true;
      });
    }
    std::optional<std::string> Receive() {
      WaitUntil([this] { return is_there_.load(); }, "the piece is there");
      return piece_;
    }
    std::optional<std::string> Next() {
      Ask();
      return Receive();
    }
    bool is_there() const { return is_there_; }

   private:
    std::stop_source gone_;
    HttpResponse response_;
    std::optional<std::string> piece_;
    std::atomic<bool> is_there_ = false;
  };

  // Until the thread of the poller waits for the time, or for a call; the alarms' waits besides.
  void Settle() { clock_.AwaitWaiters(2); }

  FakeClock clock_;
  std::atomic<int> value_ = 1;
  std::atomic<bool> is_broken_ = false;
  ThreadPool pool_{2};
  TimerQueue timers_{clock_};
  SharedPoller poller_{clock_, timers_,
                       [this](std::function<void()> work) { pool_.Post(std::move(work)); },
                       [this] { return Look(); }, Tell};
};

TEST_F(SharedPollerTest, WithoutAnybodyNothingIsLookedAt) {
  Settle();
  poller_.Call();
  clock_.Advance(10s);
  Settle();
  EXPECT_EQ(poller_.looks(), 0U);
  {
    Reader reader(*this);
    EXPECT_EQ(reader.Next(), "event: whole\ndata: 1\n\n");
    EXPECT_EQ(poller_.looks(), 1U);
  }
  // The thread that gave the piece may be about to let go of the stream.
  WaitUntil([&] { return poller_.watchers() == 0; }, "nobody watches");
  Settle();
  poller_.Call();
  clock_.Advance(10s);
  Settle();
  EXPECT_EQ(poller_.looks(), 1U);
}

TEST_F(SharedPollerTest, OneLookServesAllAndEachGetsWhatChangedForHim) {
  std::vector<std::unique_ptr<Reader>> readers;
  for (int k = 0; k < 20; ++k) readers.push_back(std::make_unique<Reader>(*this));
  for (const auto& reader : readers) EXPECT_EQ(reader->Next(), "event: whole\ndata: 1\n\n");
  EXPECT_EQ(poller_.looks(), 1U);
  for (const auto& reader : readers) reader->Ask();
  value_ = 2;
  Settle();
  clock_.Advance(1s);
  for (const auto& reader : readers) EXPECT_EQ(reader->Receive(), "event: part\ndata: 2\n\n");
  EXPECT_EQ(poller_.looks(), 2U);
}

TEST_F(SharedPollerTest, ACallIsHeardBeforeTheNextRegularLookButNotTooOften) {
  Reader reader(*this);
  reader.Next();
  reader.Ask();
  for (int k = 2; k < 100; ++k) {
    value_ = k;
    poller_.Call();
  }
  Settle();
  EXPECT_EQ(poller_.looks(), 1U);
  clock_.Advance(500ms);
  EXPECT_EQ(reader.Receive(), "event: part\ndata: 99\n\n");
  EXPECT_EQ(poller_.looks(), 2U);
}

TEST_F(SharedPollerTest, WhoReadsSlowlyMissesWhatWasInBetweenAndNothingElse) {
  Reader slow(*this);
  Reader quick(*this);
  slow.Next();
  quick.Next();
  for (int k = 2; k <= 5; ++k) {
    quick.Ask();
    value_ = k;
    Settle();
    clock_.Advance(1s);
    EXPECT_THAT(*quick.Receive(), HasSubstr(std::to_string(k)));
  }
  EXPECT_EQ(slow.Next(), "event: part\ndata: 5\n\n");
}

TEST_F(SharedPollerTest, WithoutNewsThereIsASignOfLife) {
  Reader reader(*this);
  reader.Next();
  reader.Ask();
  for (int k = 0; k < 20 && !reader.is_there(); ++k) {
    Settle();
    clock_.Advance(1s);
  }
  EXPECT_EQ(reader.Receive(), ": still here\n\n");
}

TEST_F(SharedPollerTest, WhatCannotBeLookedAtEndsTheStream) {
  Reader reader(*this);
  reader.Next();
  reader.Ask();
  is_broken_ = true;
  Settle();
  clock_.Advance(1s);
  EXPECT_EQ(reader.Receive(), std::nullopt);
}

TEST_F(SharedPollerTest, ClosingEndsAllStreams) {
  Reader reader(*this);
  reader.Next();
  reader.Ask();
  poller_.Close();
  EXPECT_EQ(reader.Receive(), std::nullopt);
}

}  // namespace
}  // namespace hone::server
