// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/bpe_trainer.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace hone::llm {
namespace {

constexpr std::int32_t kByteTokens = 256;

using TokenPair = std::pair<std::int32_t, std::int32_t>;

struct CountedWord {
  std::vector<std::int32_t> tokens;
  std::uint64_t count = 0;
};

struct CountedPair {
  std::uint64_t count = 0;
  std::vector<std::size_t> words;  // In which it was once; it may be gone, or be there twice.
};

// A pair and its count when it was put there; the count may have changed since.
struct Candidate {
  std::uint64_t count;
  TokenPair pair;

  bool operator<(const Candidate& other) const {
    return std::tie(count, other.pair) < std::tie(other.count, pair);
  }
};

class MergeLearner {
 public:
  explicit MergeLearner(const std::vector<std::pair<std::string, std::uint64_t>>& words) {
    for (const auto& [text, count] : words) {
      CountedWord word{{}, count};
      for (const char byte : text) word.tokens.push_back(static_cast<unsigned char>(byte));
      words_.push_back(std::move(word));
    }
    for (std::size_t k = 0; k < words_.size(); ++k) Count(k, true);
    for (const auto& [pair, counted] : pairs_) candidates_.push({counted.count, pair});
  }

  std::vector<LearntMerge> Learn(std::size_t max_merges, std::uint64_t min_count) {
    std::vector<LearntMerge> merges;
    while (merges.size() < max_merges && !candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      const std::uint64_t count = pairs_[best.pair].count;
      if (count != best.count) {
        if (count > 0) candidates_.push({count, best.pair});
        continue;
      }
      if (count < min_count) break;
      Merge(best.pair, kByteTokens + static_cast<std::int32_t>(merges.size()));
      merges.push_back({best.pair.first, best.pair.second});
    }
    return merges;
  }

 private:
  void Count(std::size_t number, bool is_added) {
    const CountedWord& word = words_[number];
    for (std::size_t k = 0; k + 1 < word.tokens.size(); ++k) {
      const TokenPair pair(word.tokens[k], word.tokens[k + 1]);
      CountedPair& counted = pairs_[pair];
      if (!is_added) {
        counted.count -= word.count;
        continue;
      }
      counted.count += word.count;
      if (counted.words.empty() || counted.words.back() != number) counted.words.push_back(number);
      touched_.push_back(pair);
    }
  }

  void Merge(TokenPair pair, std::int32_t merged) {
    std::vector<std::size_t> where = std::move(pairs_[pair].words);
    std::sort(where.begin(), where.end());
    where.erase(std::unique(where.begin(), where.end()), where.end());
    touched_.clear();
    for (const std::size_t number : where) {
      Count(number, false);
      std::vector<std::int32_t>& tokens = words_[number].tokens;
      std::size_t to = 0;
      for (std::size_t from = 0; from < tokens.size(); ++from, ++to) {
        const bool is_pair = from + 1 < tokens.size() && tokens[from] == pair.first &&
                             tokens[from + 1] == pair.second;
        tokens[to] = is_pair ? merged : tokens[from];
        if (is_pair) ++from;
      }
      tokens.resize(to);
      Count(number, true);
    }
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const TokenPair& fresh : touched_) {
      if (fresh.first == merged || fresh.second == merged) {
        candidates_.push({pairs_[fresh].count, fresh});
      }
    }
  }

  std::vector<CountedWord> words_;
  std::map<TokenPair, CountedPair> pairs_;
  std::priority_queue<Candidate> candidates_;
  std::vector<TokenPair> touched_;
};

}  // namespace

std::vector<LearntMerge> LearnMerges(
    const std::vector<std::pair<std::string, std::uint64_t>>& words, std::size_t max_merges,
    std::uint64_t min_count) {
  return MergeLearner(words).Learn(max_merges, min_count);
}

}  // namespace hone::llm
