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
  struct Release {
    void operator()(char* block) const;
  };
  using Block = std::unique_ptr<char, Release>;

  char* AddBlock(std::size_t size);

  std::vector<Block> blocks_;
  char* free_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace hone::kconfig
