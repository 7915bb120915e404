// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstdint>

// What Hone and the warden say to each other. The warden is a small program of its own that is the
// first process of every sandbox: it is born in new namespaces, builds the root that the program
// sees, starts the program, adopts every orphan, and ends them all when the program ends. The
// kernel ends them all when the warden ends, whatever ends it.
//
// Descriptors 0 to 2 are the program's, kWardenSocket is a SOCK_SEQPACKET socket to Hone,
// kWardenRecipe a file in memory: a WardenRecipe and what it counts. Those from kWardenGiven on are
// handed to the program as 3, 4, …; behind them are open trees that views show.
//
// Hone sends kWardenGo when the users are mapped, and kWardenEnd when the program has to end. When
// Hone's end is closed, as when Hone is killed, the warden exits. It sends one WardenReport, then,
// for each file that is kept, its index with the open file; then it exits.
namespace hone {

inline constexpr int kWardenSocket = 3;
inline constexpr int kWardenRecipe = 4;
inline constexpr int kWardenGiven = 5;
inline constexpr char kWardenGo = 'G';
inline constexpr char kWardenEnd = 'E';

inline constexpr unsigned kInsideUser = 1000;
inline constexpr unsigned kInsideGroup = 1000;

// What the warden may do without, where Hone says so; then it tells in its report.
enum WardenPart : std::uint32_t {
  kPartProc = 1,
  kPartLandlock = 2,
  kPartSeccomp = 4,
};

// The strings that follow end with a zero byte each; in this order. The filter is first.
struct WardenRecipe {
  std::uint32_t optional_parts = 0;  // WardenPart
  std::uint32_t filter_length = 0;   // sock_filter, 8 bytes each.
  std::uint32_t views = 0;           // Access ("r", "w"; "t": host is an open tree), host, inside.
  std::uint32_t links = 0;           // Path inside, where it leads.
  std::uint32_t root_files = 0;      // Path inside, size in decimal, content.
  std::uint32_t files = 0;           // Name in /scratch, size, content.
  std::uint32_t keep = 0;            // Name in /scratch.
  std::uint32_t arguments = 0;
  std::uint32_t environment = 0;
  std::uint32_t descriptors = 0;
  std::uint32_t maps_itself = 0;  // The warden maps its own user; otherwise Hone does.
  std::uint32_t outer_user = 0;
  std::uint32_t outer_group = 0;
  std::uint32_t is_trial = 0;  // Everything but the program.
  std::uint32_t is_pinned = 0;
  std::uint32_t has_fixed_addresses = 0;
  std::uint32_t has_own_name = 0;  // A UTS namespace.
  std::uint32_t writes_proc = 0;   // To the files of its own processes.
  std::int32_t processes = 0;      // The warden is one.
  std::int32_t open_files = 0;
  std::int64_t scratch_bytes = 0;
  std::int64_t file_bytes = 0;
  std::int64_t data_bytes = 0;  // Of each process, where no group limits them together; 0: none.
  cpu_set_t cpus{};
};

enum class WardenStage : std::int32_t {
  kDone,     // The program ran; the rest of the report holds.
  kSetUp,    // The warden itself could not work; errno in `number`, as in what follows.
  kUser,     // The user could not be changed.
  kView,     // The view number `index` could not be made.
  kRoot,     // The new root could not be made.
  kProc,     // /proc could not be mounted.
  kDevices,  // /dev could not be filled.
  kScratch,  // The scratch could not be made, or the files that go there: too large?
  kLimits,   // A limit could not be set.
  kCpus,     // The program could not be pinned.
  kLandlock,
  kSeccomp,
  kProgram,  // The program could not be executed.
};

struct WardenReport {
  WardenStage stage = WardenStage::kDone;
  std::int32_t number = 0;
  std::int32_t index = 0;
  std::uint32_t lacking_parts = 0;
  std::int32_t wait_status = 0;  // Of the program, as wait gives it.
  std::int32_t stragglers = 0;
  std::int32_t kept = 0;  // Files that follow.
  std::int32_t is_scratch_full = 0;
  std::int64_t wall_ns = 0;
};

}  // namespace hone
