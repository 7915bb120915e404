// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "hone/base/json.h"
#include "hone/eval/task_queue.h"
#include "hone/server/service.h"

// What /v1 answers. docs/api.md describes it.
namespace hone {

// With the evaluation, or why there is none, once the task is settled.
Json TaskJson(const Standing& standing);

// The same with what was asked for (candidate, options), the phases of the evaluation, and when
// what happened.
Json TaskDetails(const Standing& standing);

// One line of a list; `sequence` is the feed's, of a settled task.
Json TaskLine(const Standing& standing, std::optional<std::uint64_t> sequence);

// What is told of a settled task when it is.
Json SettledJson(const Standing& standing, std::uint64_t sequence);

Json WorkerJson(const WorkerCard& worker);
Json QueueJson(const QueueCounts& counts, WallTime now);
Json DomainJson(const OfferedDomain& domain);

}  // namespace hone
