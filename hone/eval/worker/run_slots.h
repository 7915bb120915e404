// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace hone {

// Where a run is timed: CPUs that nothing else of ours uses meanwhile. Empty: anywhere.
struct RunSlot {
  std::vector<int> cpus;
};

// The slots of this machine. Building needs none, so there may be more workers than slots: while
// one times its runs, others build. Safe for concurrent use.
class RunSlots {
 public:
  explicit RunSlots(std::vector<RunSlot> slots);

  // The right to use one slot, until it is destroyed; not beyond the life of the RunSlots.
  class Hold {
   public:
    Hold(Hold&& other) noexcept;
    Hold& operator=(Hold&&) = delete;
    ~Hold();

    const RunSlot& slot() const;

   private:
    friend class RunSlots;
    Hold(RunSlots* slots, std::size_t index) : slots_(slots), index_(index) {}

    RunSlots* slots_;
    std::size_t index_;
  };

  // Waits for a slot; who came first gets the next one. nullopt: `stop` was asked for.
  std::optional<Hold> Acquire(const std::stop_token& stop);

  std::size_t size() const { return slots_.size(); }
  std::size_t waiting() const;  // How many wait now.

 private:
  struct Waiter {
    std::condition_variable called;
    std::optional<std::size_t> given;
  };

  void Release(std::size_t index);

  const std::vector<RunSlot> slots_;
  mutable std::mutex mutex_;
  std::vector<std::size_t> free_;  // Protected by mutex_, as what follows.
  std::deque<Waiter*> line_;       // Only while nothing is free.
};

}  // namespace hone
