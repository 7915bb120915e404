// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hone::llm {

struct LearntMerge {
  std::int32_t left = 0;
  std::int32_t right = 0;
};

// Learns merges from words and how often each is there (Sennrich et al., 2016): the most frequent
// pair of neighbours becomes a token, again and again; of equally frequent ones that of the smaller
// ids. Ids under 256 are bytes, the k-th merge makes 256 + k. Ends early where no pair is there
// `min_count` times.
std::vector<LearntMerge> LearnMerges(
    const std::vector<std::pair<std::string, std::uint64_t>>& words, std::size_t max_merges,
    std::uint64_t min_count);

}  // namespace hone::llm
