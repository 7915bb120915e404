// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/text_arena.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace hone::kconfig {
namespace {

constexpr std::size_t kFirstBlock = 256 << 10;
constexpr std::size_t kBlockSize = 2 << 20;  // A huge page.

}  // namespace

void TextArena::Release::operator()(char* block) const { std::free(block); }

char* TextArena::AddBlock(std::size_t size) {
  const std::size_t alignment = size >= kBlockSize ? kBlockSize : alignof(std::max_align_t);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  Block block(static_cast<char*>(std::aligned_alloc(alignment, rounded)));
  if (block == nullptr) throw std::bad_alloc();
  if (size >= kBlockSize) madvise(block.get(), rounded, MADV_HUGEPAGE);
  return blocks_.emplace_back(std::move(block)).get();
}

char* TextArena::Reserve(std::size_t size) {
  const std::size_t next = blocks_.empty() ? kFirstBlock : kBlockSize;
  if (size > next / 4) return AddBlock(size);  // The current one stays in use.
  if (size > left_) {
    free_ = AddBlock(next);
    left_ = next;
  }
  char* room = free_;
  free_ += size;
  left_ -= size;
  return room;
}

std::string_view TextArena::Copy(std::string_view text) {
  if (text.empty()) return {};
  char* room = Reserve(text.size());
  std::memcpy(room, text.data(), text.size());
  return {room, text.size()};
}

}  // namespace hone::kconfig
