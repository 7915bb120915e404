// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/placement.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace hone::compute {
namespace {

constexpr std::size_t kMinSlack = 64 << 10;
constexpr std::size_t kWideSlack = 4 << 20;  // Small arrays get room for several other places.

std::size_t RoundUp(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::size_t Footprint(std::size_t bytes) { return RoundUp(bytes + kCanaryBytes) + kCanaryBytes; }

std::size_t TotalFootprint(std::span<const std::size_t> array_bytes) {
  std::size_t total = 0;
  for (const std::size_t bytes : array_bytes) total += Footprint(bytes);
  return total;
}

}  // namespace

std::size_t ArenaBytesFor(std::span<const std::size_t> array_bytes) {
  const std::size_t total = TotalFootprint(array_bytes);
  return total + std::max({kMinSlack, std::min(3 * total, kWideSlack), total / 4});
}

std::optional<std::vector<Place>> PlaceArrays(std::span<const std::size_t> array_bytes,
                                              std::size_t arena_bytes, Rng& rng) {
  const std::size_t total = TotalFootprint(array_bytes);
  if (total > arena_bytes) return std::nullopt;
  const std::size_t slack = (arena_bytes - total) / kAlignment;
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; i < array_bytes.size(); ++i) cuts.push_back(rng.Below(slack + 1));
  std::ranges::sort(cuts);
  std::vector<Place> places;
  std::size_t used = 0;
  for (std::size_t i = 0; i < array_bytes.size(); ++i) {
    places.push_back({used + cuts[i] * kAlignment + kCanaryBytes, array_bytes[i]});
    used += Footprint(array_bytes[i]);
  }
  return places;
}

std::uint64_t PoisonFrom(std::uint64_t secret) {
  return 0x7ff80000'7fc00000U | (secret & 0x0007ffff'003fffffU) | 1U;
}

void FillPattern(std::byte* at, std::size_t bytes, std::uint64_t pattern) {
  std::size_t i = 0;
  for (; i + sizeof(pattern) <= bytes; i += sizeof(pattern)) {
    std::memcpy(at + i, &pattern, sizeof(pattern));
  }
  std::memcpy(at + i, &pattern, bytes - i);
}

std::optional<std::size_t> FirstChanged(const std::byte* at, std::size_t bytes,
                                        std::uint64_t pattern) {
  const auto* const wanted = reinterpret_cast<const std::byte*>(&pattern);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (at[i] != wanted[i % sizeof(pattern)]) return i;
  }
  return std::nullopt;
}

std::int64_t CountUntouched(const Tensor& tensor, std::uint64_t pattern) {
  const std::size_t size = SizeOf(tensor.spec.dtype);
  const auto* const wanted = reinterpret_cast<const std::byte*>(&pattern);
  std::int64_t count = 0;
  for (std::size_t i = 0; i + size <= tensor.bytes.size(); i += size) {
    if (std::memcmp(tensor.bytes.data() + i, wanted + i % sizeof(pattern), size) == 0) ++count;
  }
  return count;
}

void FlushLines(const std::byte* at, std::size_t bytes) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < bytes; i += kAlignment) _mm_clflush(at + i);
  _mm_mfence();
#elif defined(__aarch64__)
  for (std::size_t i = 0; i < bytes; i += kAlignment) {
    asm volatile("dc civac, %0" ::"r"(at + i) : "memory");
  }
  asm volatile("dsb ish" ::: "memory");
#else
  (void)at;
  (void)bytes;
#endif
}

}  // namespace hone::compute
