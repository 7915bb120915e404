// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hone/core/rng.h"
#include "hone/domains/compute/runner/runner.h"
#include "hone/domains/compute/tensor.h"

// Where the arrays of one call lie in the arena, and what lies around them.
namespace hone::compute {

constexpr std::size_t kCanaryBytes = 128;  // Before and behind every array.
constexpr std::size_t kAlignment = 64;

struct Place {
  std::uint64_t offset = 0;  // In the arena.
  std::size_t bytes = 0;
};

// Room for these arrays, with space to move, and with guards.
std::size_t ArenaBytesFor(std::span<const std::size_t> array_bytes);

// Random places, in order, each with room for canaries around it. Nullopt if they do not fit.
std::optional<std::vector<Place>> PlaceArrays(std::span<const std::size_t> array_bytes,
                                              std::size_t arena_bytes, Rng& rng);

// Places of which each ends where a page does, as near to that as its alignment lets it, between
// two pages that nobody may touch: GuardsOf. Nullopt if they do not fit.
std::optional<std::vector<Place>> PlaceAgainstGuards(std::span<const std::size_t> array_bytes,
                                                     std::size_t arena_bytes, Rng& rng);
// The offset in the arena of the page before such a place, and of the one behind it.
std::array<std::uint64_t, 2> GuardsOf(const Place& place);
std::size_t PageBytes();

// A pattern that is a NaN as a float and as a double, another one for every secret.
std::uint64_t PoisonFrom(std::uint64_t secret);
void FillPattern(std::byte* at, std::size_t bytes, std::uint64_t pattern);

// The number of the first byte that is not of the pattern.
std::optional<std::size_t> FirstChanged(const std::byte* at, std::size_t bytes,
                                        std::uint64_t pattern);

// Elements whose bytes are all of the pattern.
std::int64_t CountUntouched(const Tensor& tensor, std::uint64_t pattern);

// Writes back and drops every cache line of the range, on all cores.
void FlushLines(const std::byte* at, std::size_t bytes);

}  // namespace hone::compute
