// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hone/domains/compute/runner/call_block.h"
#include "hone/domains/compute/runner/load_message.h"

// The runner's side of call_block.h, for runners that are programs of ours. Plain C, and all of it
// here: a runner is linked with nothing else.
namespace hone::compute {

constexpr int kBadStart = 96;  // Exit status: it was not started by a judge.

inline uint32_t LoadWord(const uint32_t* word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

inline int64_t NowNs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

// The one message of the judge and its descriptors; false if there is none.
template <typename Message, size_t kCount>
bool ReceiveLoad(Message& message, int (&descriptors)[kCount]) {
  iovec part{&message, sizeof(message)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(descriptors))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  if (::recvmsg(kRunnerSocket, &header, 0) != ssize_t{sizeof(message)}) return false;
  const cmsghdr* first = CMSG_FIRSTHDR(&header);
  if (first == nullptr || first->cmsg_len != CMSG_LEN(sizeof(descriptors))) return false;
  memcpy(descriptors, CMSG_DATA(first), sizeof(descriptors));
  return message.version == kBlockVersion;
}

// Waits for another turn than the one that was seen: asleep, or spinning where nobody wakes it.
inline uint32_t AwaitTurn(CallBlock& block, uint32_t seen, bool spins) {
  for (;;) {
    const uint32_t turn = LoadWord(&block.turn);
    if (turn != seen) return turn;
    if (!spins) ::syscall(SYS_futex, &block.turn, FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }
}

inline void Answer(CallBlock& block, uint32_t call, uint32_t what) {
  __atomic_store_n(&block.answer, call << 2 | what, __ATOMIC_SEQ_CST);
  if (LoadWord(&block.judge_sleeps) != 0) {
    ::syscall(SYS_futex, &block.answer, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
}

// Why it failed, cut to what fits; the reason of the next kAnswerFailed.
inline void SayError(CallBlock& block, const char* text) {
  size_t bytes = strlen(text);
  if (bytes > sizeof(block.error)) bytes = sizeof(block.error);
  memcpy(block.error, text, bytes);
  block.error_bytes = static_cast<uint32_t>(bytes);
}

// Takes its turns for ever: `prepare` comes before "ready", when no clock runs; `run` makes the
// call and says whether it went well. `spins_for_call`: awake from "ready" to the
// call.
template <typename Prepare, typename Run>
[[noreturn]] void TakeTurns(CallBlock& block, bool spins_for_call, const Prepare& prepare,
                            const Run& run) {
  uint32_t seen = kTurnRest;
  for (;;) {
    seen = AwaitTurn(block, seen, spins_for_call && (seen & 3) == kTurnArm);
    const uint32_t call = seen >> 2;
    switch (seen & 3) {
      case kTurnArm:
        prepare();
        Answer(block, call, kAnswerReady);
        break;
      case kTurnCall:
        Answer(block, call, run() ? kAnswerDone : kAnswerFailed);
        break;
      case kTurnEnd:
        ::_exit(0);
      default:
        break;
    }
  }
}

}  // namespace hone::compute
