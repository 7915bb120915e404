// SPDX-License-Identifier: Apache-2.0
#include "hone/server/newest_settled.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hone/base/clock.h"
#include "hone/eval/forwarding_queue.h"
#include "hone/eval/memory_queue.h"

namespace hone {
namespace {

// Numbers as Redis gives them: far apart, and large from the beginning.
class SparseQueue final : public ForwardingQueue {
 public:
  using ForwardingQueue::ForwardingQueue;
  Result<std::vector<Settled>> SettledAfter(std::uint64_t sequence, std::size_t most,
                                            Duration patience, std::stop_token stop) override {
    const std::uint64_t own = sequence < kFirst ? 0 : (sequence - kFirst) / kStep;
    auto feed = below().SettledAfter(own, most, patience, std::move(stop));
    if (feed) {
      for (Settled& one : *feed) one.sequence = kFirst + one.sequence * kStep;
    }
    return feed;
  }
  Result<std::uint64_t> LastSettled() override {
    const auto last = below().LastSettled();
    if (!last) return last.error();
    return *last == 0 ? 0 : kFirst + *last * kStep;
  }

 private:
  static constexpr std::uint64_t kFirst = std::uint64_t{1} << 60;
  static constexpr std::uint64_t kStep = 3'000'000'000;
};

void SettleMany(TaskQueue& queue, int count) {
  for (int i = 0; i < count; ++i) {
    Task task;
    task.id = fmt::format("t{}", i);
    task.domain = "toy";
    ASSERT_TRUE(queue.Push(task));
    ASSERT_TRUE(queue.Cancel(task.id));
  }
}

TEST(NewestSettledTest, TheLastOnesAreFoundHoweverFarApartTheirNumbersAre) {
  const auto below = MakeMemoryQueue(SystemClock());
  SparseQueue sparse(*below);
  for (TaskQueue* queue :
       {static_cast<TaskQueue*>(below.get()), static_cast<TaskQueue*>(&sparse)}) {
    if (queue == below.get()) SettleMany(*queue, 300);
    std::uint64_t before = ~std::uint64_t{0};
    int next = 299;
    while (true) {
      const auto found = NewestSettled(*queue, before, 40);
      ASSERT_TRUE(found) << found.error().message;
      if (found->empty()) break;
      EXPECT_LE(found->size(), 40U);
      for (auto one = found->rbegin(); one != found->rend(); ++one, --next) {
        ASSERT_EQ(one->task, fmt::format("t{}", next));
      }
      before = found->front().sequence;
    }
    EXPECT_EQ(next, -1);
  }
}

TEST(NewestSettledTest, ThereIsNoneWhereNothingWasSettled) {
  const auto queue = MakeMemoryQueue(SystemClock());
  EXPECT_TRUE(NewestSettled(*queue, ~std::uint64_t{0}, 10)->empty());
}

}  // namespace
}  // namespace hone
