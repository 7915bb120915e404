// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace hone::kconfig {

// Text that stays where it is as long as the arena lives.
class TextArena {
 public:
  // Room for that many bytes.
  char* Reserve(std::size_t size);
  std::string_view Copy(std::string_view text);

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace hone::kconfig
