// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/base/json.h"
#include "hone/eval/task_queue.h"
#include "hone/server/service.h"

// What /v1 answers. docs/api.md describes it.
namespace hone {

// With the evaluation, or why there is none, once the task is settled.
Json TaskJson(const Standing& standing);

Json WorkerJson(const WorkerCard& worker);
Json QueueJson(const QueueCounts& counts);
Json DomainJson(const OfferedDomain& domain);

}  // namespace hone
