// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hone/domains/compute/gpu/launch_block.h"

// What the program that calls a candidate's host code (entry_recorder_main.cc) and the judge tell
// each other, in files. Plain C.
//
// The task is text: "kernel NAME BYTES...", with the bytes of each parameter, for every kernel of
// the cubin; "attribute NUMBER VALUE" of the GPU; "inputs N", "outputs N"; "size VALUE" for each
// size; "libraries 1" where cuBLAS may be called. The recording is the header and its steps.
// Nothing in it is believed: the candidate's code could write there as well.
namespace hone::compute {

constexpr uint32_t kRecordingMagic = 0x48524543;

struct RecordingHeader {
  uint32_t magic;
  uint32_t steps;
  uint32_t streams;  // Besides the first one.
  uint32_t marks;
  uint64_t scratch_bytes;
};

constexpr uint32_t kMaxCubinKernels = 256;

// Exit status: what the host code did cannot be recorded; its error output says what.
constexpr int kCannotRecord = 3;

}  // namespace hone::compute
