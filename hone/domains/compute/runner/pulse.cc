// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/pulse.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "hone/domains/compute/runner/pinned_thread.h"

namespace hone::compute {
namespace {

constexpr int kSteps = 4000;
constexpr int kBeats = 3;  // An interrupt hits one of them.

// Four chains side by side: one alone would leave room for a neighbour and not feel it.
std::uint64_t Work(std::uint64_t seed) {
  std::uint64_t a = seed;
  std::uint64_t b = seed + 1;
  std::uint64_t c = seed + 2;
  std::uint64_t d = seed + 3;
  for (int i = 0; i < kSteps; ++i) {
    a += b ^ 3U;
    b += c ^ 5U;
    c += d ^ 7U;
    d += a ^ 9U;
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  }
  return a + b + c + d;
}

}  // namespace

double TakePulse(int cpu) {
  using BeatClock = std::chrono::steady_clock;
  const PinnedThread there(cpu);
  double min = 0;
  std::uint64_t value = 1;
  for (int i = 0; i < kBeats; ++i) {
    const auto began = BeatClock::now();
    value = Work(value);
    const std::chrono::duration<double, std::nano> took = BeatClock::now() - began;
    min = i == 0 ? took.count() : std::min(min, took.count());
  }
  return min;
}

}  // namespace hone::compute
