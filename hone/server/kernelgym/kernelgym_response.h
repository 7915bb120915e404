// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/task.h"
#include "hone/server/http/http_message.h"
#include "hone/server/kernelgym/kernelgym_request.h"
#include "hone/server/kernelgym/lax_reader.h"
#include "hone/server/service/service.h"

// Evaluations in the shapes that KernelGYM's clients know.
namespace hone::server {

// EvaluationResponse: all 14 keys, whatever the state.
Json KernelGymResult(const TaskView& view);

// WorkflowResponse.
Json KernelGymWorkflowResult(const TaskView& view);

// TaskStatusResponse, with error_message and error_code besides.
Json KernelGymStatus(const TaskView& view);

// EvaluationResponse of a task that was not taken into the queue.
Json KernelGymRefusal(const TaskId& task, const Error& error, WallTime now);

// BatchEvaluationResponse; `results` are EvaluationResponses.
Json KernelGymBatchResult(const std::string& batch_id, Json results, WallTime submitted,
                          WallTime now);

// 400 with X-Error-Code: VALIDATION_ERROR.
HttpResponse KernelGymFault(const std::vector<Fault>& faults, WallTime now);
HttpResponse KernelGymBadJson(std::string_view message, WallTime now);

}  // namespace hone::server
