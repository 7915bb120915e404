// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/text_arena.h"

#include <cstdlib>
#include <cstring>

#include "hone/kconfig/language/large_memory.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kFirstBlock = 256 << 10;
constexpr std::size_t kBlockSize = kHugePage;

}  // namespace

void TextArena::Release::operator()(char* block) const { std::free(block); }

char* TextArena::AddBlock(std::size_t size) {
  return blocks_.emplace_back(static_cast<char*>(AllocateLarge(size))).get();
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
