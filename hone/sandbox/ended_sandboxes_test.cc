// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/ended_sandboxes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "hone/testing/wait_until.h"

namespace hone {
namespace {

// One that is gone when it is told.
class SlowlyEnding final : public RunningSandbox {
 public:
  struct Seen {
    std::atomic<bool> is_killed = false;
    std::atomic<bool> may_go = false;
    std::atomic<bool> is_gone = false;
  };

  explicit SlowlyEnding(Seen& seen) : seen_(seen) {}
  ~SlowlyEnding() override {
    try {
      WaitUntil([this] { return seen_.may_go.load(); }, "it may go");
    } catch (const std::exception& timeout) {
      ADD_FAILURE() << timeout.what();
    }
    seen_.is_gone = true;
  }

  int pidfd() const override { return -1; }
  int Threads() override { return 1; }
  void Kill() override { seen_.is_killed = true; }
  bool WaitFor(std::chrono::milliseconds) override { return seen_.is_gone; }
  const Result<SandboxResult>& Wait() override { return result_; }

 private:
  Seen& seen_;
  Result<SandboxResult> result_ = SandboxResult{};
};

// Told when the last one lets go of it, and what had become of the sandbox by then.
std::shared_ptr<void> TellsWhenLetGo(const SlowlyEnding::Seen& seen, std::atomic<int>& told) {
  return {&told, [&seen](std::atomic<int>* word) { *word = seen.is_gone ? 2 : 1; }};
}

TEST(EndedSandboxesTest, OneIsKilledAtOnceAndWhatItHoldsIsHeldUntilNothingOfItIsLeft) {
  SlowlyEnding::Seen seen;
  std::atomic<int> told = 0;
  EndedSandboxes ended;
  ended.Add(std::make_unique<SlowlyEnding>(seen), [&] { return TellsWhenLetGo(seen, told); });
  EXPECT_TRUE(seen.is_killed);
  EXPECT_FALSE(seen.is_gone);
  EXPECT_EQ(told, 0);
  seen.may_go = true;
  WaitUntil([&] { return told != 0; }, "what it held is let go");
  EXPECT_EQ(told, 2);
}

TEST(EndedSandboxesTest, NoneIsLeftBehind) {
  SlowlyEnding::Seen seen;
  std::optional<EndedSandboxes> ended(std::in_place);
  ended->Add(std::make_unique<SlowlyEnding>(seen), nullptr);
  std::thread opens([&] { seen.may_go = true; });
  ended.reset();
  EXPECT_TRUE(seen.is_gone);
  opens.join();
}

TEST(EndedSandboxesTest, NothingIsNoTrouble) {
  EndedSandboxes ended;
  ended.Add(nullptr, nullptr);
}

}  // namespace
}  // namespace hone
