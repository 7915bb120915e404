// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/work_board.h"

#include <gtest/gtest.h>

#include <atomic>

#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone::agent {
namespace {

Result<ToolAnswer> UntilStopped(const ToolRun& run) {
  WaitForStop(run.wrap_up);
  if (run.abandon.stop_requested()) return Error{Errc::kUnavailable, "given up"};
  return ToolAnswer{"wrapped up", nullptr, ""};
}

const WorkBoard::Watcher kNobody = [](const WorkView&, bool) {};

class WorkBoardTest : public testing::Test {
 protected:
  WorkState StateOf(WorkBoard& board, const std::string& handle) {
    const auto view = board.Look(handle, {});
    return view ? view->state : WorkState::kFailed;
  }
  std::string Start(WorkBoard& board, WorkBoard::Use use) {
    return board.Start("tool", std::move(use), {}, std::nullopt, kNobody)->handle;
  }
  void AwaitState(WorkBoard& board, const std::string& handle, WorkState state) {
    WaitUntil([&] { return StateOf(board, handle) == state; }, std::string(NameOf(state)));
  }

  FakeClock clock_;
};

TEST_F(WorkBoardTest, SomeRunTheOthersWaitForTheirTurn) {
  WorkBoard board({.running = 1, .waiting = 2, .kept = 9}, clock_);
  const auto first = Start(board, UntilStopped);
  AwaitState(board, first, WorkState::kRunning);
  const auto second = Start(board, UntilStopped);
  const auto third = Start(board, UntilStopped);
  EXPECT_EQ(StateOf(board, second), WorkState::kWaiting);
  EXPECT_EQ(board.Start("tool", UntilStopped, {}, std::nullopt, kNobody).error().code,
            Errc::kUnavailable);
  EXPECT_TRUE(board.Stop(third, {}, false));
  EXPECT_EQ(StateOf(board, third), WorkState::kStopped) << "it never began";
  EXPECT_TRUE(board.Stop(first, {}, false));
  AwaitState(board, first, WorkState::kDone);
  AwaitState(board, second, WorkState::kRunning);
}

TEST_F(WorkBoardTest, WhatIsGivenUpIsStoppedAndWhatThrowsHasFailed) {
  WorkBoard board({}, clock_);
  const auto given_up = Start(board, UntilStopped);
  AwaitState(board, given_up, WorkState::kRunning);
  EXPECT_TRUE(board.Stop(given_up, {}, true));
  AwaitState(board, given_up, WorkState::kStopped);
  const auto thrown =
      Start(board, [](const ToolRun&) -> Result<ToolAnswer> { throw std::runtime_error("oh"); });
  WaitUntil([&] { return board.Look(thrown, {})->HasEnded(); }, "it ends");
  EXPECT_EQ(board.Look(thrown, {})->error->message, "unexpected: oh");
  EXPECT_EQ(board.Stop("w-1", {}, true).error().code, Errc::kNotFound);
}

TEST_F(WorkBoardTest, OnlyTheLatestThatEndedAreKept) {
  WorkBoard board({.running = 8, .waiting = 64, .kept = 2}, clock_);
  const auto quick = [](const ToolRun&) -> Result<ToolAnswer> { return ToolAnswer{}; };
  const auto running = Start(board, UntilStopped);
  std::vector<std::string> handles;
  for (int k = 0; k < 5; ++k) {
    handles.push_back(Start(board, quick));
    WaitUntil(
        [&] {
          return !board.Look(handles.back(), {}) || board.Look(handles.back(), {})->HasEnded();
        },
        "it ends");
  }
  WaitUntil([&] { return board.List({}).size() == 3; }, "old ones are forgotten");
  EXPECT_FALSE(board.Look(handles.front(), {}));
  EXPECT_TRUE(board.Look(handles.back(), {}));
  EXPECT_TRUE(board.Look(running, {})) << "what runs is never forgotten";
}

TEST_F(WorkBoardTest, AWatcherIsCalledALastTimeAtTheEndOrAtItsDeadline) {
  WorkBoard board({}, clock_);
  std::atomic<int> lasts = 0;
  std::atomic<int> ended = 0;
  const auto watcher = [&](const WorkView& view, bool is_last) {
    ended += view.HasEnded() ? 1 : 0;
    lasts += is_last ? 1 : 0;
  };
  const auto begun =
      board.Start("tool", UntilStopped, {}, clock_.Now() + std::chrono::seconds(5), watcher);
  ASSERT_TRUE(begun);
  AwaitState(board, begun->handle, WorkState::kRunning);
  WaitUntil(
      [&] {
        clock_.Advance(std::chrono::seconds(6));
        return lasts == 1;
      },
      "the deadline is over");
  EXPECT_EQ(ended, 0);
  ASSERT_TRUE(board.Follow(begun->handle, {}, std::nullopt, watcher));
  const auto unwatched = board.Follow(begun->handle, {}, std::nullopt, watcher);
  board.Unwatch(*unwatched);
  EXPECT_TRUE(board.Stop(begun->handle, {}, false));
  WaitUntil([&] { return lasts == 2; }, "the end is told");
  AwaitState(board, begun->handle, WorkState::kDone);
  EXPECT_EQ(ended, 1);
}

TEST_F(WorkBoardTest, HandlesCannotBeGuessed) {
  WorkBoard board({}, clock_);
  const auto quick = [](const ToolRun&) -> Result<ToolAnswer> { return ToolAnswer{}; };
  const auto one = Start(board, quick);
  const auto other = Start(board, quick);
  EXPECT_EQ(one.size(), 34U);
  EXPECT_NE(one.substr(0, 18), other.substr(0, 18));
}

// A handle is a secret; who has seen another's still cannot use it.
TEST_F(WorkBoardTest, WhatOneCallerStartsIsNobodyElses) {
  WorkBoard board({}, clock_);
  const ToolCaller one{.name = "one"};
  const ToolCaller other{.name = "other"};
  const ToolCaller admin{.name = "admin", .sees_all = true};
  const auto handle = board.Start("tool", UntilStopped, one, std::nullopt, kNobody).value().handle;
  EXPECT_FALSE(board.Look(handle, other));
  EXPECT_FALSE(board.Look(handle, {}));
  EXPECT_EQ(board.Follow(handle, other, std::nullopt, kNobody).error().code, Errc::kNotFound);
  EXPECT_EQ(board.Stop(handle, other, true).error().code, Errc::kNotFound);
  EXPECT_TRUE(board.List(other).empty());
  EXPECT_EQ(board.List(one).size(), 1U);
  EXPECT_EQ(board.List(admin).size(), 1U);
  WaitUntil([&] { return board.Look(handle, one)->state == WorkState::kRunning; }, "it runs on");
  EXPECT_TRUE(board.Stop(handle, admin, false));
  WaitUntil([&] { return board.Look(handle, one)->state == WorkState::kDone; }, "it ends");
}

}  // namespace
}  // namespace hone::agent
