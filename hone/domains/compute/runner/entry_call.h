// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// How a kernel's entry point is called: inputs, outputs, sizes. Plain C, for programs that hold a
// candidate's code and are linked with nothing else.
namespace hone::compute {

constexpr uint32_t kMaxParameters = 24;

// Pointers and 64-bit integers are passed alike, and the caller removes them: a function that
// takes fewer does not see the rest. `p` has kMaxParameters.
inline void CallEntry(void* entry, const uintptr_t* p, uint32_t count) {
  using P = uintptr_t;
  if (count <= 6) {
    using Six = void (*)(P, P, P, P, P, P);
    return reinterpret_cast<Six>(entry)(p[0], p[1], p[2], p[3], p[4], p[5]);
  }
  if (count <= 12) {
    using Twelve = void (*)(P, P, P, P, P, P, P, P, P, P, P, P);
    return reinterpret_cast<Twelve>(entry)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8],
                                           p[9], p[10], p[11]);
  }
  using All = void (*)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P);
  reinterpret_cast<All>(entry)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10],
                               p[11], p[12], p[13], p[14], p[15], p[16], p[17], p[18], p[19], p[20],
                               p[21], p[22], p[23]);
}

}  // namespace hone::compute
