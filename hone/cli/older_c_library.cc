// SPDX-License-Identifier: Apache-2.0
// What the static libstdc++ of a new system asks of a C library that is older: only in a bundle.
#include <cstdint>

#include "hone/base/fresh_number.h"

// Since glibc 2.36; std::random_device, which every program with exceptions brings along, calls it.
extern "C" std::uint32_t arc4random() noexcept {
  return static_cast<std::uint32_t>(hone::FreshNumber());
}
