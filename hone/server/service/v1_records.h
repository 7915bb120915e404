// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "hone/base/json/json.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/server/service/service.h"

// What /v1 answers. docs/api.md describes it.
namespace hone::server {

// With the evaluation, or why there is none, once the task is settled.
Json TaskJson(const TaskView& view);

// The same with what was asked for (candidate, options), the phases of the evaluation, and when
// what happened.
Json TaskDetails(const TaskView& view);

// One line of a list; `sequence` is the feed's, of a settled task.
Json TaskLine(const TaskView& view, std::optional<std::uint64_t> sequence);

// What is told of a settled task when it is.
Json SettledJson(const TaskView& view, std::uint64_t sequence);

Json WorkerJson(const WorkerCard& worker);
Json QueueJson(const QueueCounts& counts, WallTime now);
Json DomainJson(const OfferedDomain& domain);

}  // namespace hone::server
