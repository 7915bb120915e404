// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/eval/queue/task_queue.h"

namespace hone {

// A queue in a SQLite file, which it may share with other tables and which any number of processes
// of one machine may have open. What a call has stored or told when it returns survives a power
// cut, save that a lease may be forgotten and its task offered again. Settled evaluations stay, for
// evaluation_store.h to read, until they are forgotten; a server, which forgets all old ones,
// should have a file of its own. Beside the file lies `<file>.bell`, by which the processes wake
// each other.
//
// Leases and deadlines are wall-clock times, the one clock that all processes share. Should it
// jump forward, leases run out early and work is done again; should it jump back, a dead worker's
// task waits that much longer. Generations keep settling exactly once in either case.
//
// Evaluations and tasks beyond JsonLimits are refused: they could not be read back.
// `clock` outlives the queue.
Result<std::unique_ptr<TaskQueue>> MakeSqliteQueue(const std::filesystem::path& path, Clock& clock);

// Forgets all tasks of one owner in such a file, with their evaluations. Nobody works for that
// owner meanwhile. Returns how many there were.
Result<std::int64_t> ForgetTasksOf(const std::filesystem::path& path, const std::string& owner,
                                   Clock& clock);

}  // namespace hone
