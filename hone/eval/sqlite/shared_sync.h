// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "hone/core/result.h"

namespace hone {

// Waiting for the disk, shared: of all who wait at the same time, one does it for everybody who
// wrote before it began. Safe for concurrent use.
class SharedSync {
 public:
  // `sync` puts on disk whatever was written before it was called. It is never called twice at the
  // same time.
  explicit SharedSync(std::function<Result<void>()> sync) : sync_(std::move(sync)) {}

  // Returns when everything that was written before this call is on disk, or could not be.
  Result<void> Wait();

 private:
  const std::function<Result<void>()> sync_;
  std::mutex mutex_;
  std::condition_variable ended_;
  // State below is protected by mutex_. Syncs are numbered from 1.
  std::uint64_t begun_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t failed_ = 0;  // The last that failed, with `error_`.
  Error error_{};
};

}  // namespace hone
