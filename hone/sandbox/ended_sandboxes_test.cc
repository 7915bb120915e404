// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/ended_sandboxes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

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
    seen_.may_go.wait(false);
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

void LetGo(SlowlyEnding::Seen& seen) {
  seen.may_go = true;
  seen.may_go.notify_all();
}

// Told when the last one lets go of it, and what had become of the sandbox by then.
std::shared_ptr<void> TellsWhenLetGo(const SlowlyEnding::Seen& seen, std::atomic<int>& told) {
  return {&told, [&seen](std::atomic<int>* word) {
            *word = seen.is_gone ? 2 : 1;
            word->notify_all();
          }};
}

TEST(EndedSandboxesTest, OneIsKilledAtOnceAndWhatItHoldsIsHeldUntilNothingOfItIsLeft) {
  SlowlyEnding::Seen seen;
  std::atomic<int> told = 0;
  EndedSandboxes ended;
  ended.Add(std::make_unique<SlowlyEnding>(seen), [&] { return TellsWhenLetGo(seen, told); });
  EXPECT_TRUE(seen.is_killed);
  EXPECT_FALSE(seen.is_gone);
  EXPECT_EQ(told, 0);
  LetGo(seen);
  told.wait(0);
  EXPECT_EQ(told, 2);
}

TEST(EndedSandboxesTest, NoneIsLeftBehind) {
  SlowlyEnding::Seen seen;
  std::optional<EndedSandboxes> ended(std::in_place);
  ended->Add(std::make_unique<SlowlyEnding>(seen), nullptr);
  std::thread opens([&] { LetGo(seen); });
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
