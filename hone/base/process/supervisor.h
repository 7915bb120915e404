// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What RunProcess and its supervisor say to each other. The supervisor is a program of its own, so
// that it is small, single-threaded and free to wait for any child: it adopts every orphan beneath
// it (PR_SET_CHILD_SUBREAPER), and ends them all before it reports.
//
// Arguments: limit in milliseconds, CPUs as "0,3" or "", folder or "", path of the program, then
// the program's own arguments. Descriptors 0 to 2 are the program's; kSupervisorSocket is a
// SOCK_SEQPACKET socket on which the supervisor sends one SupervisorReport. Its other end, closed
// for writing or with the process that held it, stops the program. The only thing that is sent to
// it is kSupervisorTerminate: SIGTERM to the program's process group. One that was not read when
// the supervisor ended resets the connection, once; the report can be read after that.
namespace hone {

inline constexpr int kSupervisorSocket = 3;
inline constexpr char kSupervisorTerminate = 'T';

enum class SupervisorStage : std::int32_t {
  kDone,       // The program ran; the rest of the report holds.
  kSetUp,      // The supervisor itself could not work; errno in `number`, as in what follows.
  kFolder,     // The folder could not be entered.
  kCpus,       // The program could not be pinned.
  kProgram,    // The program could not be executed.
  kUnkillable  // Processes are left that belong to somebody else.
};

enum class SupervisorEnd : std::int32_t { kEnded, kTimedOut, kStopped };

struct SupervisorReport {
  SupervisorStage stage = SupervisorStage::kDone;
  std::int32_t number = 0;
  SupervisorEnd end = SupervisorEnd::kEnded;
  std::int32_t wait_status = 0;  // Of the program, as wait gives it.
  std::int32_t stragglers = 0;
  std::int64_t wall_ns = 0;
  std::int64_t user_us = 0;
  std::int64_t system_us = 0;
  std::int64_t peak_memory_kib = 0;
  std::int64_t context_switches = 0;
  std::int64_t page_faults = 0;
  std::int64_t major_faults = 0;
};

}  // namespace hone
