// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone::sysctl {

// The right to work in a transaction's folder. It is shared with the guardian, so it lasts until
// both are gone: between the death of a tuner and the end of its guardian nobody else comes in.
// That is why this is not a FileLock.
class TransactionLock {
 public:
  // kStale: another process has it; the message names the process and its reason. Waits up to
  // `wait_timeout` for who is about to end, and for a guardian that is putting things back.
  static Result<TransactionLock> Take(
      const std::filesystem::path& folder,
      std::chrono::milliseconds wait_timeout = std::chrono::seconds(3));

  int descriptor() const { return file_.get(); }

 private:
  explicit TransactionLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace hone::sysctl
