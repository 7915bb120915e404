// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/text_arena.h"

#include <cstring>

namespace hone::kconfig {
namespace {

constexpr std::size_t kBlockSize = 1 << 20;

}  // namespace

char* TextArena::Reserve(std::size_t size) {
  if (size > kBlockSize / 4) {  // Its own block; the current one stays in use.
    return blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(size)).get();
  }
  if (size > left_) {
    free_ = blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(kBlockSize)).get();
    left_ = kBlockSize;
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
