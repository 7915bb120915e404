// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/eval/queue/queue_words.h"

// The words of a queue as JSON, and back, for queues that store them: see base/json/records.h.
namespace hone {

Json ToJson(const WorkerCard& card);
Result<WorkerCard> ParseWorkerCard(std::string_view text);

// "cancelled", "expired", "abandoned".
std::string_view NameOf(Dropped why);
std::optional<Dropped> DroppedNamed(std::string_view name);

// The document of a task or an evaluation, if it is small enough to be read back; else
// kInvalidArgument.
Result<std::string> StorableText(const Json& json, const TaskId& task);

}  // namespace hone
