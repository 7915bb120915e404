// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// What the judge sends to a runner of the cpp backend, once, through its socket (descriptor 3).
// Two descriptors come with it: the shared memory and the library. The runner answers with one
// message of one byte when it has mapped the memory, and then closes the socket: all the rest goes
// through the call block.
namespace hone::compute {

constexpr uint32_t kLoadMagic = 0x4c4f4144;
constexpr int kRunnerSocket = 3;

struct LoadMessage {
  uint32_t magic;
  uint32_t version;       // Of the call block.
  uint64_t memory_bytes;  // Of the shared memory.
  char entry_point[128];  // Empty: nothing is loaded, and only empty calls are made.
};

}  // namespace hone::compute
