// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/variant_lots.h"

#include <utility>

namespace hone::compute {
namespace {

constexpr int kOfEach = 2;  // More than one: else the last of them would be known beforehand.

}  // namespace

std::size_t VariantLots::Next(Rng& rng) {
  const std::lock_guard lock(mutex_);
  if (left_.empty()) {
    for (std::size_t variant = 0; variant < variants_; ++variant) {
      left_.insert(left_.end(), kOfEach, variant);
    }
  }
  std::swap(left_[rng.Below(left_.size())], left_.back());
  const std::size_t variant = left_.back();
  left_.pop_back();
  return variant;
}

void VariantLots::Again(std::size_t variant) {
  const std::lock_guard lock(mutex_);
  left_.push_back(variant);
}

}  // namespace hone::compute
