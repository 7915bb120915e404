// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone::compute {

// In a loop that waits: leaves the core to its other thread for a moment.
inline void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // `yield` does nothing on processors without threads of their own.
#endif
}

}  // namespace hone::compute
