// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/byte_image.h"

#include <bit>

namespace hone::kconfig {

// Each step maps the state one to one, so a changed word cannot be made up for by itself. Four
// states, because one would wait for its multiplication.
std::uint64_t ChecksumOf(std::string_view bytes) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  const auto mixed = [](std::uint64_t state, std::uint64_t word) {
    return std::rotl((state ^ word) * kFactor, 29);
  };
  std::uint64_t states[4] = {1, 2, 3, 4};
  const std::uint64_t size = bytes.size();
  while (bytes.size() >= sizeof states) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data(), sizeof words);
    for (int i = 0; i < 4; ++i) states[i] = mixed(states[i], words[i]);
    bytes.remove_prefix(sizeof words);
  }
  std::uint64_t sum = size;
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), count);
    sum = mixed(sum, word);
    bytes.remove_prefix(count);
  }
  for (const std::uint64_t state : states) sum = mixed(sum, state);
  return sum ^ (sum >> 32);
}

}  // namespace hone::kconfig
