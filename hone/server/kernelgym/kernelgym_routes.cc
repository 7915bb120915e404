// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/kernelgym_routes.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "hone/base/fresh_number.h"
#include "hone/server/kernelgym/kernelgym_check.h"
#include "hone/server/kernelgym/kernelgym_request.h"
#include "hone/server/kernelgym/kernelgym_response.h"

namespace hone::server {
namespace {

constexpr std::chrono::seconds kGrace{30};  // For the queue to settle a task past its deadline.

// kUnsupported stands for "not with this token" here.
HttpResponse Refused(const Error& error) {
  return error.code == Errc::kUnsupported ? DetailError(403, error.message) : DetailError(error);
}

// A service failure, in the shape that /evaluate has for it.
HttpResponse EvaluateFailure(const Error& error) {
  HttpResponse response = Refused(error);
  if (response.status >= 500) response.headers.emplace_back("x-error-code", "SYSTEM_ERROR");
  if (response.status == 503) response.headers.emplace_back("retry-after", "5");
  return response;
}

// What is wrong with the problem that the request describes is the client's to know at once, not a
// worker's to find out.
Result<void> CheckProblem(Service& service, const Task& task) {
  const OfferedDomain* const domain = service.FindDomain(task.domain);
  if (domain == nullptr) return {};
  const auto needs = service.Check(*domain, task.options);
  if (needs || needs.error().code != Errc::kInvalidArgument) return {};
  return needs.error();
}

// As this server judges it.
KernelGymRequest Adapted(const Service& service, KernelGymRequest request) {
  const ServiceSettings& settings = service.settings();
  const auto found = settings.backends.find(request.backend);
  if (found != settings.backends.end()) request.backend = found->second;
  if (!request.tolerance) request.tolerance = settings.tolerance;
  return request;
}

// A task that nobody can take now waits for a worker as long as it may take: its client would wait
// no longer for a verdict.
Result<void> ConsiderNobody(Service& service, const KernelGymRequest& request, const Asker& asker,
                            Task& task) {
  const auto nobody = service.ExplainNoWorker(task);
  if (!nobody) return nobody.error();
  if (nobody->empty()) return {};
  task.deadline = service.clock().Wall() + request.timeout;
  if (!service.settings().refuses_unserved) return {};
  const auto known = service.Look(task.id, asker);  // An old result needs no worker.
  const bool is_settled = known && known->state == TaskState::kSettled && !request.force_refresh;
  if (is_settled) return {};
  return Error{Errc::kUnavailable, *nobody};
}

// The task of the request, in the queue.
Result<TaskId> Submit(Service& service, const KernelGymRequest& asked, const Asker& asker) {
  const KernelGymRequest request = Adapted(service, asked);
  Task task = TaskOf(request, service.clock().Wall(), service.settings().max_queued, FreshNumber());
  if (const std::string why = WhyNotJudged(request); !why.empty()) {
    if (auto rejected = service.Reject(task, why, request.force_refresh, asker); !rejected) {
      return rejected.error();
    }
    return task.id;
  }
  if (const auto checked = CheckProblem(service, task); !checked) return checked.error();
  if (auto considered = ConsiderNobody(service, request, asker, task); !considered) {
    return considered.error();
  }
  const auto submitted = service.Submit(task, request.force_refresh, asker);
  if (!submitted) return submitted.error();
  return task.id;
}

Clock::Monotonic EndOf(Service& service, const KernelGymRequest& request) {
  return service.clock().Now() + request.timeout + service.settings().max_queued + kGrace;
}

Async<HttpResponse> Evaluate(Service& service, KernelGymRequest request, std::stop_token gone,
                             Asker asker, Json (*shape)(const TaskView&)) {
  const Result<TaskId> id = Submit(service, request, asker);
  if (!id) co_return EvaluateFailure(id.error());
  const Result<TaskView> view =
      co_await service.Wait(*id, EndOf(service, request), std::move(gone), asker);
  if (!view) co_return EvaluateFailure(view.error());
  if (!view->settlement) {
    co_return EvaluateFailure(
        {Errc::kUnavailable, fmt::format("task {}: it is not settled yet", *id)});
  }
  co_return JsonResponse(200, shape(*view));
}

// Reads the body with `read`; the 400 response if it cannot be.
template <typename T, typename Read>
std::optional<HttpResponse> ReadInto(Service& service, const HttpRequest& request, T& value,
                                     Read read) {
  const auto json = ParseJson(request.body, "body", {.bytes = request.body.size()});
  const WallTime now = service.clock().Wall();
  if (!json) return KernelGymBadJson(json.error().message, now);
  std::vector<Fault> faults;
  value = read(*json, faults);
  if (!faults.empty()) return KernelGymFault(faults, now);
  return std::nullopt;
}

KernelGymRequest ReadBody(const Json& json, std::vector<Fault>& faults) {
  return ReadKernelGymRequest(json, {"body"}, faults);
}

Async<HttpResponse> PostEvaluate(Service& service, const HttpRequest& request) {
  KernelGymRequest asked;
  if (auto refusal = ReadInto(service, request, asked, ReadBody)) co_return std::move(*refusal);
  co_return co_await Evaluate(service, std::move(asked), request.gone, AskerOf(request),
                              KernelGymResult);
}

Async<HttpResponse> PostWorkflow(Service& service, const HttpRequest& request) {
  KernelGymRequest asked;
  if (auto refusal = ReadInto(service, request, asked, ReadKernelGymWorkflow)) {
    co_return std::move(*refusal);
  }
  co_return co_await Evaluate(service, std::move(asked), request.gone, AskerOf(request),
                              KernelGymWorkflowResult);
}

// The verdict on one task of a batch; what was refused fails alone.
Async<Json> ResultInBatch(Service& service, const KernelGymRequest& one, Result<TaskId> id,
                          std::stop_token gone, Asker asker) {
  if (!id) co_return KernelGymRefusal(one.task_id, id.error(), service.clock().Wall());
  const Result<TaskView> view =
      co_await service.Wait(*id, EndOf(service, one), std::move(gone), asker);
  if (!view) co_return KernelGymRefusal(one.task_id, view.error(), service.clock().Wall());
  co_return KernelGymResult(*view);
}

// All tasks are in the queue before the first is waited for.
Async<HttpResponse> PostEvaluateBatch(Service& service, const HttpRequest& request) {
  KernelGymBatch batch;
  if (auto refusal = ReadInto(service, request, batch, ReadKernelGymBatch)) {
    co_return std::move(*refusal);
  }
  const WallTime submitted = service.clock().Wall();
  const Asker asker = AskerOf(request);
  std::vector<Result<TaskId>> ids;
  ids.reserve(batch.tasks.size());
  for (const KernelGymRequest& one : batch.tasks) {
    ids.push_back(Submit(service, one, asker));
  }
  Json results = Json::array();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    results.push_back(co_await ResultInBatch(service, batch.tasks[k], ids[k], request.gone, asker));
  }
  co_return JsonResponse(200, KernelGymBatchResult(batch.batch_id, std::move(results), submitted,
                                                   service.clock().Wall()));
}

// Of the request as this server would judge it, and of the problem in it.
Async<HttpResponse> PostValidate(Service& service, const HttpRequest& request) {
  KernelGymRequest asked;
  if (auto refusal = ReadInto(service, request, asked, ReadBody)) co_return std::move(*refusal);
  const KernelGymRequest judged = Adapted(service, asked);
  Json validation = KernelGymValidation(judged);
  const Task task = TaskOf(judged, service.clock().Wall(), service.settings().max_queued, 0);
  if (const auto checked = CheckProblem(service, task); !checked) {
    validation["valid"] = false;
    validation["errors"].push_back(checked.error().message);
  }
  co_return JsonResponse(200, validation);
}

// A task that waits says why, where nobody could take it.
Async<HttpResponse> GetStatus(Service& service, const HttpRequest& request) {
  const Result<TaskView> view = service.Look(request.parts[0], AskerOf(request));
  if (!view) co_return Refused(view.error());
  Json json = KernelGymStatus(*view);
  if (view->state == TaskState::kWaiting) {
    const auto nobody = service.ExplainNoWorker(view->task);
    if (nobody && !nobody->empty()) json["error_message"] = "it waits: " + *nobody;
  }
  co_return JsonResponse(200, json);
}

Async<HttpResponse> GetResult(Service& service, const HttpRequest& request,
                              Json (*shape)(const TaskView&)) {
  const Result<TaskView> view = service.Look(request.parts[0], AskerOf(request));
  if (!view) co_return Refused(view.error());
  if (!view->settlement) {
    co_return DetailError(404, fmt::format("task {}: it has no result yet", request.parts[0]));
  }
  co_return JsonResponse(200, shape(*view));
}

Async<HttpResponse> DeleteTask(Service& service, const HttpRequest& request) {
  const TaskId& id = request.parts[0];
  const Asker asker = AskerOf(request);
  const auto view = service.Look(id, asker);
  if (!view) co_return Refused(view.error());
  if (view->state == TaskState::kSettled) {
    co_return DetailError(404, fmt::format("task {}: it is finished already", id));
  }
  if (auto cancelled = service.Cancel(id, asker); !cancelled) {
    co_return Refused(cancelled.error());
  }
  co_return JsonResponse(200, {{"message", fmt::format("task {} is cancelled", id)}});
}

Route Posting(std::string path, std::string summary, std::string in, std::string out,
              Handler handler) {
  return {.method = "POST",
          .path = std::move(path),
          .summary = std::move(summary),
          .request_schema = std::move(in),
          .response_schema = std::move(out),
          .other_statuses = {400, 409, 503},
          .handler = std::move(handler)};
}

Route Giving(std::string method, std::string path, std::string summary, std::string out,
             Handler handler) {
  return {.method = std::move(method),
          .path = std::move(path),
          .summary = std::move(summary),
          .response_schema = std::move(out),
          .other_statuses = {403, 404},
          .handler = std::move(handler)};
}

}  // namespace

std::vector<Route> KernelGymRoutes(Service& service) {
  const auto result = [&service](Json (*shape)(const TaskView&)) {
    return Bind(service, [shape](Service& from, const HttpRequest& request) {
      return GetResult(from, request, shape);
    });
  };
  return {
      Posting("/evaluate", "Judges a kernel and waits for the verdict.", "EvaluationRequest",
              "EvaluationResponse", Bind(service, PostEvaluate)),
      Posting("/evaluate/batch", "Judges up to 100 kernels side by side.", "BatchEvaluationRequest",
              "BatchEvaluationResponse", Bind(service, PostEvaluateBatch)),
      Posting("/workflow/submit", "As /evaluate, with the request in a payload.", "WorkflowRequest",
              "WorkflowResponse", Bind(service, PostWorkflow)),
      Posting("/debug/validate", "Checks a request without running it.", "EvaluationRequest", "",
              Bind(service, PostValidate)),
      Giving("GET", "/workflow/results/{task_id}", "The verdict, as /workflow/submit gives it.",
             "WorkflowResponse", result(KernelGymWorkflowResult)),
      Giving("GET", "/status/{task_id}", "Where a task stands, from the moment of submission.",
             "TaskStatusResponse", Bind(service, GetStatus)),
      Giving("GET", "/results/{task_id}", "The verdict, once there is one.", "EvaluationResponse",
             result(KernelGymResult)),
      Giving("DELETE", "/tasks/{task_id}", "Cancels a task that is not finished.", "Message",
             Bind(service, DeleteTask)),
  };
}

}  // namespace hone::server
