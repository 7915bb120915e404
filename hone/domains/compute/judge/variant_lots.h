// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "hone/core/rng.h"

namespace hone::compute {

// Which of a problem's distributions the next pair has: each as often as every other, in an order
// that nobody knows. Safe for concurrent use.
class VariantLots {
 public:
  explicit VariantLots(std::size_t variants) : variants_(variants) {}

  std::size_t Next(Rng& rng);

  // The pair that had it did not count, so that another one has it.
  void Again(std::size_t variant);

 private:
  const std::size_t variants_;
  std::mutex mutex_;
  std::vector<std::size_t> left_;  // Protected by mutex_.
};

}  // namespace hone::compute
