// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/word_cache.h"

#include <cstring>
#include <functional>
#include <utility>

namespace hone::llm {
namespace {

constexpr std::size_t kCacheSlots = 1 << 16;
constexpr std::size_t kMaxCachedWords = kCacheSlots / 2;
constexpr std::size_t kMaxWordBytes = 64;  // Longer ones hardly come again.
constexpr std::size_t kMaxFreeCaches = 16;

}  // namespace

WordCache::WordCache() : slots_(kCacheSlots) {}

std::size_t WordCache::SlotOf(std::string_view word, std::uint64_t hash) const {
  std::size_t slot = hash & (kCacheSlots - 1);
  while (slots_[slot].word_size != 0) {
    const Entry& entry = slots_[slot];
    if (entry.hash == hash && entry.word_size == word.size() &&
        std::memcmp(words_.data() + entry.word_at, word.data(), word.size()) == 0) {
      break;
    }
    slot = (slot + 1) & (kCacheSlots - 1);
  }
  return slot;
}

std::span<const std::int32_t> WordCache::Find(std::string_view word) const {
  if (word.empty() || word.size() > kMaxWordBytes) return {};
  const Entry& entry = slots_[SlotOf(word, std::hash<std::string_view>{}(word))];
  if (entry.word_size == 0) return {};
  return {tokens_.data() + entry.tokens_at, entry.token_count};
}

void WordCache::Add(std::string_view word, std::span<const std::int32_t> tokens) {
  if (word.empty() || word.size() > kMaxWordBytes) return;
  if (count_ == kMaxCachedWords) *this = WordCache();
  const std::uint64_t hash = std::hash<std::string_view>{}(word);
  Entry& entry = slots_[SlotOf(word, hash)];
  entry = {hash, static_cast<std::uint32_t>(words_.size()), static_cast<std::uint32_t>(word.size()),
           static_cast<std::uint32_t>(tokens_.size()), static_cast<std::uint32_t>(tokens.size())};
  words_.insert(words_.end(), word.begin(), word.end());
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  ++count_;
}

std::unique_ptr<WordCache> WordCaches::Take() {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) return std::make_unique<WordCache>();
  auto cache = std::move(free_.back());
  free_.pop_back();
  return cache;
}

void WordCaches::GiveBack(std::unique_ptr<WordCache> cache) {
  const std::scoped_lock lock(mutex_);
  if (free_.size() < kMaxFreeCaches) free_.push_back(std::move(cache));
}

}  // namespace hone::llm
