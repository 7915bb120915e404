// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace hone::llm {

// What words of a text were encoded to. Forgets all when it is full. For one thread at a time.
class WordCache {
 public:
  WordCache();

  // Null size if it is not known: a word has at least one token.
  std::span<const std::int32_t> Find(std::string_view word) const;
  void Add(std::string_view word, std::span<const std::int32_t> tokens);

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t word_at = 0;
    std::uint32_t word_size = 0;  // 0: an empty slot.
    std::uint32_t tokens_at = 0;
    std::uint32_t token_count = 0;
  };

  std::size_t SlotOf(std::string_view word, std::uint64_t hash) const;

  std::vector<Entry> slots_;
  std::vector<char> words_;
  std::vector<std::int32_t> tokens_;
  std::size_t count_ = 0;
};

// Lends caches to threads, so that none waits for another. Safe for concurrent use.
class WordCaches {
 public:
  std::unique_ptr<WordCache> Take();
  void GiveBack(std::unique_ptr<WordCache> cache);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<WordCache>> free_;
};

}  // namespace hone::llm
