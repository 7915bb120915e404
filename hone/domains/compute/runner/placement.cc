// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/placement.h"

#include <unistd.h>

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

std::size_t RoundUp(std::size_t bytes, std::size_t unit = kAlignment) {
  return (bytes + unit - 1) / unit * unit;
}

std::size_t Footprint(std::size_t bytes) { return RoundUp(bytes + kCanaryBytes) + kCanaryBytes; }

std::size_t GuardedFootprint(std::size_t bytes) {
  return RoundUp(bytes, PageBytes()) + 2 * PageBytes();
}

template <typename OfOne>
std::size_t Total(std::span<const std::size_t> array_bytes, const OfOne& footprint) {
  std::size_t total = 0;
  for (const std::size_t bytes : array_bytes) total += footprint(bytes);
  return total;
}

// Where the footprints begin: in order, with what is left over between them by lot.
template <typename OfOne>
std::optional<std::vector<std::size_t>> Scatter(std::span<const std::size_t> array_bytes,
                                                std::size_t arena_bytes, std::size_t unit,
                                                const OfOne& footprint, Rng& rng) {
  const std::size_t total = Total(array_bytes, footprint);
  if (total > arena_bytes) return std::nullopt;
  const std::size_t slack = (arena_bytes - total) / unit;
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < array_bytes.size(); ++i) begins.push_back(rng.Below(slack + 1));
  std::ranges::sort(begins);
  std::size_t used = 0;
  for (std::size_t i = 0; i < array_bytes.size(); ++i) {
    begins[i] = used + begins[i] * unit;
    used += footprint(array_bytes[i]);
  }
  return begins;
}

}  // namespace

std::size_t ArenaBytesFor(std::span<const std::size_t> array_bytes) {
  const std::size_t total = Total(array_bytes, Footprint);
  return std::max(total + std::max({kMinSlack, std::min(3 * total, kWideSlack), total / 4}),
                  Total(array_bytes, GuardedFootprint));
}

std::optional<std::vector<Place>> PlaceArrays(std::span<const std::size_t> array_bytes,
                                              std::size_t arena_bytes, Rng& rng) {
  const auto begins = Scatter(array_bytes, arena_bytes, kAlignment, Footprint, rng);
  if (!begins) return std::nullopt;
  std::vector<Place> places;
  for (std::size_t i = 0; i < array_bytes.size(); ++i) {
    places.push_back({(*begins)[i] + kCanaryBytes, array_bytes[i]});
  }
  return places;
}

std::optional<std::vector<Place>> PlaceAgainstGuards(std::span<const std::size_t> array_bytes,
                                                     std::size_t arena_bytes, Rng& rng) {
  const std::size_t page = PageBytes();
  const auto begins = Scatter(array_bytes, arena_bytes, page, GuardedFootprint, rng);
  if (!begins) return std::nullopt;
  std::vector<Place> places;
  for (std::size_t i = 0; i < array_bytes.size(); ++i) {
    const std::size_t end = (*begins)[i] + page + RoundUp(array_bytes[i], page);
    places.push_back({end - RoundUp(array_bytes[i]), array_bytes[i]});
  }
  return places;
}

std::array<std::uint64_t, 2> GuardsOf(const Place& place) {
  const std::size_t page = PageBytes();
  return {place.offset / page * page - page, RoundUp(place.offset + place.bytes, page)};
}

std::size_t PageBytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

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
