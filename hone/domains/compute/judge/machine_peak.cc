// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/machine_peak.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace hone::compute {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kBufferBytes = 512 << 10;  // Fits into the second-level cache of most.
constexpr int kRounds = 16;
constexpr int kFlopRounds = 20'000;

#if defined(__aarch64__)
// One register, and half of the registers: what is wider or more goes through memory.
constexpr std::size_t kWideBytes = 16;
constexpr int kChains = 16;
#else
// As wide as the widest vectors of today; the compiler splits it where the machine has less.
constexpr std::size_t kWideBytes = 64;
constexpr int kChains = 12;
#endif
using Wide = float __attribute__((vector_size(kWideBytes)));
using WideBits = std::uint64_t __attribute__((vector_size(kWideBytes)));

constexpr int kLanes = kWideBytes / sizeof(float);

template <typename Work>
double BestNs(int tries, Work work) {
  double best = 1e18;
  for (int i = 0; i < tries; ++i) {
    const auto began = SteadyClock::now();
    work();
    best = std::min(best,
                    std::chrono::duration<double, std::nano>(SteadyClock::now() - began).count());
  }
  return best;
}

// The loops are inlined into functions for one instruction set each.
[[gnu::always_inline]] inline std::uint64_t ReadLoop(const std::byte* from) {
  WideBits sums[4] = {};
  for (std::size_t i = 0; i < kBufferBytes; i += 4 * sizeof(WideBits)) {
    for (std::size_t j = 0; j < 4; ++j) {
      WideBits next;
      std::memcpy(&next, from + i + j * sizeof(WideBits), sizeof(next));
      sums[j] ^= next;
    }
  }
  const WideBits sum = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
  return sum[0] ^ sum[kLanes / 2 - 1];
}

[[gnu::always_inline]] inline void MultiplyAdd(Wide& sum, const Wide& factor, const Wide& term) {
#if defined(__aarch64__)
  sum = vfmaq_f32(sum, factor, term);  // The register that it writes is the one that it adds to.
#else
  sum = sum * factor + term;
#endif
}

[[gnu::always_inline]] inline float AddLoop() {
  Wide sums[kChains] = {};
  Wide factor = Wide{} + 0.999F;
  Wide term = Wide{} + 0.001F;
  asm volatile("" : "+m"(factor), "+m"(term));
  for (int i = 0; i < kFlopRounds; ++i) {
    for (Wide& sum : sums) MultiplyAdd(sum, factor, term);
  }
  float total = 0;
  for (const Wide& sum : sums) total += sum[0];
  return total;
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512dq,fma")]] std::uint64_t Read512(const std::byte* from) {
  return ReadLoop(from);
}
[[gnu::target("avx512f,avx512dq,fma")]] float Add512() { return AddLoop(); }
[[gnu::target("avx2,fma")]] std::uint64_t Read256(const std::byte* from) { return ReadLoop(from); }
[[gnu::target("avx2,fma")]] float Add256() { return AddLoop(); }
#endif
std::uint64_t ReadPlain(const std::byte* from) { return ReadLoop(from); }
float AddPlain() { return AddLoop(); }

struct Loops {
  std::uint64_t (*read)(const std::byte*);
  float (*add)();
};

Loops LoopsOfThisMachine() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    return {Read512, Add512};
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {Read256, Add256};
#endif
  return {ReadPlain, AddPlain};
}

MachinePeak Measure() {
  const Loops loops = LoopsOfThisMachine();
  const std::vector<std::byte> buffer(kBufferBytes, std::byte{1});
  volatile std::uint64_t keep = 0;
  volatile float keep_sum = 0;
  const double read = BestNs(kRounds, [&] { keep = keep + loops.read(buffer.data()); });
  const double add = BestNs(kRounds, [&] { keep_sum = keep_sum + loops.add(); });
  return {static_cast<double>(kBufferBytes) / read,
          2.0 * kChains * kLanes * static_cast<double>(kFlopRounds) / add};
}

struct Remembered {
  std::mutex mutex;
  std::optional<MachinePeak> peak;
};

Remembered& OfThisMachine() {
  static Remembered remembered;
  return remembered;
}

}  // namespace

MachinePeak MinOf(const MachinePeak& one, const MachinePeak& other) {
  return {std::min(one.bytes_per_ns, other.bytes_per_ns),
          std::min(one.operations_per_ns, other.operations_per_ns)};
}

MachinePeak MaxOf(const MachinePeak& one, const MachinePeak& other) {
  return {std::max(one.bytes_per_ns, other.bytes_per_ns),
          std::max(one.operations_per_ns, other.operations_per_ns)};
}

MachinePeak MeasuredPeak() {
  Remembered& remembered = OfThisMachine();
  const std::lock_guard lock(remembered.mutex);
  if (!remembered.peak) remembered.peak = Measure();
  return *remembered.peak;
}

MachinePeak RaiseMeasuredPeak() {
  Remembered& remembered = OfThisMachine();
  const std::lock_guard lock(remembered.mutex);
  remembered.peak = MaxOf(remembered.peak.value_or(MachinePeak{}), Measure());
  return *remembered.peak;
}

}  // namespace hone::compute
