// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// What the judge and a runner share: a file in memory, sealed against growing and shrinking. First
// this block, then the arena with the arrays; a runner may map the two apart. Plain C types,
// because runners are written in several languages (harness/ has the same offsets in Python); every
// field lies where call_block_test says.
//
// One publication is one call, however short: of several, all could be computed together. Number s:
//   judge   turn = s << 2 | kTurnArm; wakes the runner (futex)
//   runner  prepares what every call needs; answer = s << 2 | kAnswerReady; sleeps on `turn`
//   (futex) judge   sees that all of the runner sleeps; writes the arrays and the table; sees that
//   it used no
//           processor time meanwhile; takes its time; turn = s << 2 | kTurnCall; wakes the runner
//   runner  calls the kernel; answer = s << 2 | kAnswerDone (or kAnswerFailed, with `error`); wakes
//           the judge if `judge_sleeps`; sleeps
//   judge   takes its time again, sees that all of the runner sleeps, and copies the outputs
// Nothing of the inputs is there while the runner works, until the clock runs; and who works after
// "done" is charged for it. A runner that decides on its outputs is told before "arm" where its
// inputs will lie, and says with "done" where its outputs lie in its own memory. So it makes its
// tensors before the clock runs, and the judge copies them after: what lies between is the source's
// own work, but for some microseconds.
// Loading is publication 0: the runner answers kAnswerDone or kAnswerFailed when it has loaded.
// Nothing that a runner writes here is believed: the judge checks every value that it uses.
namespace hone::compute {

constexpr uint32_t kBlockMagic = 0x484f4e45;
constexpr uint32_t kBlockVersion = 5;
constexpr uint64_t kBlockBytes = 65536;  // The arena begins here.
// Memory as large as this is not filled beforehand: only what is used of it costs anything.
constexpr uint64_t kSparseBytes = 1 << 30;
constexpr uint32_t kMaxTensors = 64;  // Of inputs and outputs together.
constexpr uint32_t kMaxDimensions = 8;
constexpr uint32_t kMaxSizes = 16;
constexpr uint32_t kMaxGuards = 2 * kMaxTensors;  // Before and behind every array.

constexpr uint32_t kTurnRest = 0;
constexpr uint32_t kTurnArm = 1;
constexpr uint32_t kTurnCall = 2;
constexpr uint32_t kTurnEnd = 3;  // Leave, by _exit(0).

constexpr uint32_t kAnswerNone = 0;
constexpr uint32_t kAnswerReady = 1;
constexpr uint32_t kAnswerDone = 2;
constexpr uint32_t kAnswerFailed = 3;

// What a call asks for.
constexpr uint32_t kCallKernel = 0;      // The kernel itself.
constexpr uint32_t kCallNothing = 1;     // The way there and back, for its time.
constexpr uint32_t kCallMakeInputs = 2;  // Its outputs are inputs, made from `seed` (torch).
constexpr uint32_t kCallSpoil = 3;       // What kernels have for themselves is written over (GPU).

struct BlockTensor {
  uint64_t offset;  // From the beginning of the file. Of an output that the runner decided on: its
                    // address there, where it lies dense and in row-major order.
  uint64_t bytes;   // There.
  uint32_t dtype;   // DType.
  uint32_t rank;
  int64_t shape[kMaxDimensions];
};

struct CallBlock {
  uint32_t magic;
  uint32_t version;
  // Futex words, each on a cache line of its own.
  alignas(64) uint32_t turn;
  alignas(64) uint32_t answer;
  alignas(64) uint32_t judge_sleeps;
  alignas(64) uint32_t what;  // kCall…
  uint32_t inputs;            // The first so many of `tensors`.
  uint32_t outputs;           // The next ones; 0 if the runner decides on them: it writes this and
                              // their entries.
  uint32_t sizes;
  uint32_t stack_shift;  // Bytes by which the stack is moved for this call.
  int64_t size[kMaxSizes];
  uint64_t seed;        // Of the inputs of kCallMakeInputs, and of what a kernel draws (torch).
  uint64_t free_bytes;  // Outputs that the runner decides on may have so many, together.
  // Written by the runner.
  alignas(64) int64_t began_ns;  // CLOCK_MONOTONIC
  int64_t ended_ns;
  uint32_t error_bytes;
  char error[8192];  // Why it failed: an exception's text, what dlopen said.
  alignas(64) BlockTensor tensors[kMaxTensors];
  // Written by the judge before "arm": where nothing may be touched while the call runs, from the
  // beginning of the file, each so long. A runner whose arrays lie elsewhere has none.
  uint32_t guards;
  uint32_t guard_bytes;
  uint64_t guard[kMaxGuards];
  // Written by the runner when it dies of touching this memory: where; 0 if it did not.
  uint64_t fault_offset;
};

static_assert(sizeof(CallBlock) <= kBlockBytes);

}  // namespace hone::compute
