// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::sysctl {

// Where things stand in the text of a configuration with "key value;" and blocks in braces.
struct ConfigPlaces {
  struct Directive {
    std::string block;  // "http/server".
    std::string key;
    std::size_t begin = 0;  // Of the value, in the text.
    std::size_t end = 0;
  };
  struct Block {
    std::string path;
    std::size_t inside = 0;  // After its brace.
  };
  std::vector<Directive> directives;
  std::vector<Block> blocks;
};

// kInvalidArgument: braces or quotes that do not match, or a statement without an end.
Result<ConfigPlaces> FindPlaces(std::string_view text);

}  // namespace hone::sysctl
