// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hone {

// A number that nobody knows: from the kernel, never derived from another one.
std::uint64_t FreshNumber();

}  // namespace hone
