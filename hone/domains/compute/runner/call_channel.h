// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"
#include "hone/domains/compute/runner/call_block.h"

namespace hone::compute {

// The judge's end of the shared memory. Not safe for concurrent use.
class CallChannel {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `arena_bytes` is the room for arrays behind the block.
  static Result<CallChannel> Make(std::size_t arena_bytes);

  CallChannel(CallChannel&& other) noexcept;
  CallChannel& operator=(CallChannel&&) = delete;
  ~CallChannel();

  int descriptor() const { return file_.get(); }
  std::size_t bytes() const { return bytes_; }
  CallBlock& block() { return *reinterpret_cast<CallBlock*>(memory_); }
  std::byte* at(std::uint64_t offset) { return memory_ + offset; }

  // Hands the turn over, and wakes who sleeps on it.
  void SetTurn(std::uint32_t call, std::uint32_t turn, bool wakes);
  std::uint32_t turn() const;
  std::uint32_t answer() const;

  // Waits until the answer is not `seen`: first spinning, if `spins`, then asleep. `is_over` is
  // asked now and then whether to give up; false: it gave up.
  bool AwaitOtherThan(std::uint32_t seen, bool spins, const std::function<bool()>& is_over);

 private:
  CallChannel(Descriptor file, std::byte* memory, std::size_t bytes)
      : file_(std::move(file)), memory_(memory), bytes_(bytes) {}

  Descriptor file_;
  std::byte* memory_;
  std::size_t bytes_;
};

}  // namespace hone::compute
