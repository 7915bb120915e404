// SPDX-License-Identifier: Apache-2.0
// What a static libstdc++ of this system asks of a C library that is older: only in a bundle, and
// in the program itself, since the linker comes to libstdc++ last.
#include <cstdint>

#include "hone/base/fresh_number.h"

// Since glibc 2.36; std::random_device, which every program with exceptions brings along, calls it.
extern "C" std::uint32_t arc4random() noexcept {
  return static_cast<std::uint32_t>(hone::FreshNumber());
}
