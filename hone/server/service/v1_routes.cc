// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/v1_routes.h"

#include <chrono>
#include <iterator>
#include <memory>
#include <utility>

#include "hone/base/json/parse_values.h"
#include "hone/server/http/event_stream.h"
#include "hone/server/service/v1_records.h"
#include "hone/server/service/v1_request.h"

namespace hone::server {
namespace {

constexpr std::chrono::milliseconds kPollWait{30'000};  // Of a long poll that says nothing.
constexpr std::size_t kMaxEvents = 256;                 // In one piece of a stream.

// Why a task that waits may wait for long.
Json Explained(Service& service, const TaskView& view) {
  Json json = TaskJson(view);
  if (view.state != TaskState::kWaiting) return json;
  const auto nobody = service.ExplainNoWorker(view.task);
  if (nobody && !nobody->empty()) json["why_waiting"] = *nobody;
  return json;
}

HttpResponse TaskStatusResponse(Service& service, const Result<TaskView>& view) {
  if (!view) return RefusalFor(view.error());
  return JsonResponse(view->settlement ? 200 : 202, Explained(service, *view));
}

Async<HttpResponse> PostTask(Service& service, const HttpRequest& request) {
  const auto json = ReadJsonBody(request);
  if (!json) co_return RefusalFor(json.error());
  const auto wait = ReadWait(request, "wait_s", std::chrono::milliseconds{0});
  if (!wait) co_return RefusalFor(wait.error());
  const auto submission = ReadSubmission(JsonReader(*json, "body"), service, request.role);
  if (!submission) co_return RefusalFor(submission.error());
  const Asker asker = AskerOf(request);
  const auto submitted = service.Submit(submission->task, submission->is_fresh, asker);
  if (!submitted) co_return RefusalFor(submitted.error());
  const Result<TaskView> view = co_await service.Wait(
      submission->task.id, service.clock().Now() + *wait, request.gone, asker);
  co_return TaskStatusResponse(service, view);
}

Async<HttpResponse> PostTasks(Service& service, const HttpRequest& request) {
  const auto json = ReadJsonBody(request);
  if (!json) co_return RefusalFor(json.error());
  const auto wait = ReadWait(request, "wait_s", std::chrono::milliseconds{0});
  if (!wait) co_return RefusalFor(wait.error());
  const auto submissions = ReadSubmissions(*json, service, request.role);
  if (!submissions) co_return RefusalFor(submissions.error());
  const Asker asker = AskerOf(request);
  for (const Submission& one : *submissions) {
    const auto submitted = service.Submit(one.task, one.is_fresh, asker);
    if (!submitted) co_return RefusalFor(submitted.error());
  }
  const Clock::Monotonic until = service.clock().Now() + *wait;
  Json tasks = Json::array();
  bool are_settled = true;
  for (const Submission& one : *submissions) {
    const Result<TaskView> view = co_await service.Wait(one.task.id, until, request.gone, asker);
    if (!view) co_return RefusalFor(view.error());
    are_settled = are_settled && view->settlement != nullptr;
    tasks.push_back(Explained(service, *view));
  }
  co_return JsonResponse(are_settled ? 200 : 202, {{"tasks", std::move(tasks)}});
}

Async<HttpResponse> GetTask(Service& service, const HttpRequest& request) {
  const auto view = service.Look(request.parts[0], AskerOf(request));
  if (!view) co_return RefusalFor(view.error());
  Json json = Explained(service, *view);
  json.update(TaskDetails(*view));
  co_return JsonResponse(200, json);
}

Async<HttpResponse> WaitTask(Service& service, const HttpRequest& request) {
  const auto wait = ReadWait(request, "timeout_s", kPollWait);
  if (!wait) co_return RefusalFor(wait.error());
  const Asker asker = AskerOf(request);
  const auto known = service.Look(request.parts[0], asker);
  if (!known || known->settlement) co_return TaskStatusResponse(service, known);
  const Result<TaskView> view =
      co_await service.Wait(request.parts[0], service.clock().Now() + *wait, request.gone, asker);
  co_return TaskStatusResponse(service, view);
}

Async<HttpResponse> CancelTask(Service& service, const HttpRequest& request) {
  const Asker asker = AskerOf(request);
  auto cancelled = service.Cancel(request.parts[0], asker);
  if (!cancelled) co_return RefusalFor(cancelled.error());
  const auto view = service.Look(request.parts[0], asker);
  if (!view) co_return RefusalFor(view.error());
  co_return JsonResponse(200, TaskJson(*view));
}

Async<HttpResponse> GetWorkers(Service& service, const HttpRequest&) {
  const auto beat = service.pulse().Feel();
  if (!beat) co_return RefusalFor(beat.error());
  Json list = Json::array();
  for (const WorkerCard& worker : beat->workers) list.push_back(WorkerJson(worker));
  co_return JsonResponse(200, {{"workers", std::move(list)}});
}

Async<HttpResponse> GetQueue(Service& service, const HttpRequest&) {
  const auto beat = service.pulse().Feel();
  if (!beat) co_return RefusalFor(beat.error());
  co_return JsonResponse(200, QueueJson(beat->counts, service.clock().Wall()));
}

Async<HttpResponse> GetDomains(Service& service, const HttpRequest&) {
  Json list = Json::array();
  for (const OfferedDomain& domain : service.settings().domains) {
    list.push_back(DomainJson(domain));
  }
  co_return JsonResponse(200, {{"domains", std::move(list)}});
}

// Where a stream of events stands.
struct SettledStream {
  std::uint64_t sequence = 0;
  std::stop_token gone;
  Asker asker;
};

// Empty for what is not this asker's.
std::string SettledText(Service& service, const Settled& settled, const Asker& asker) {
  const auto view = service.queue().Look(settled.task);
  if (!asker.sees_all && (!view || !asker.Sees(view->task.submitter))) return "";
  const Json data = view ? SettledJson(*view, settled.sequence)
                         : Json{{"task", settled.task},  // Forgotten meanwhile.
                                {"outcome", nullptr},
                                {"sequence", settled.sequence}};
  return EventText("settled", data, settled.sequence);
}

// The next events, or a comment if there was none for a while; nullopt at the end.
Async<std::optional<std::string>> NextSettledPiece(Service& service,
                                                   std::shared_ptr<SettledStream> stream) {
  const auto waiter = service.waiters().RegisterForAny();
  auto settled =
      service.queue().SettledAfter(stream->sequence, kMaxEvents, std::chrono::milliseconds{0});
  if (settled && settled->empty()) {
    const auto woken = co_await waiter->Wait(service.clock().Now() + kHeartbeat, stream->gone);
    const bool is_over = woken == WakeReason::kGone || woken == WakeReason::kClosing;
    if (is_over) co_return std::nullopt;
    if (woken == WakeReason::kTimeout) co_return std::string(kSignOfLife);
    settled =
        service.queue().SettledAfter(stream->sequence, kMaxEvents, std::chrono::milliseconds{0});
  }
  if (!settled) co_return std::nullopt;
  std::string text;
  for (const Settled& one : *settled) {
    text += SettledText(service, one, stream->asker);
    stream->sequence = one.sequence;
  }
  co_return text;
}

// After the event that the client saw last, or from now on.
Result<std::uint64_t> FirstSequence(Service& service, const HttpRequest& request) {
  const auto last = LastEventId(request);
  if (!last) return last.error();
  return *last ? Result<std::uint64_t>(**last) : service.queue().LastSettled();
}

Async<HttpResponse> GetSettledEvents(Service& service, const HttpRequest& request) {
  const auto first = FirstSequence(service, request);
  if (!first) co_return RefusalFor(first.error());
  const auto stream =
      std::make_shared<SettledStream>(SettledStream{*first, request.gone, AskerOf(request)});
  co_return StreamResponse([&service, stream] { return NextSettledPiece(service, stream); });
}

std::vector<Route> TaskRoutes(Service& service) {
  const QueryFacts wait{"wait_s", "number", false,
                        "Wait so many seconds for the verdict; 0: none."};
  const QueryFacts timeout{"timeout_s", "number", false, "How long to wait; 30 by default."};
  return {
      {.method = "POST",
       .path = "/v1/tasks",
       .summary = "Submits a task.",
       .request_schema = "Task",
       .response_schema = "TaskView",
       .other_statuses = {202, 400, 403, 409, 503},
       .queries = {wait},
       .handler = Bind(service, PostTask)},
      {.method = "POST",
       .path = "/v1/tasks/batch",
       .summary = "Submits up to 1000 tasks.",
       .request_schema = "TaskBatch",
       .response_schema = "TaskViewBatch",
       .other_statuses = {202, 400, 403, 409, 503},
       .queries = {wait},
       .handler = Bind(service, PostTasks)},
      {.method = "GET",
       .path = "/v1/tasks/{id}",
       .summary = "Where a task stands, and its result.",
       .response_schema = "TaskView",
       .other_statuses = {403, 404},
       .handler = Bind(service, GetTask)},
      {.method = "GET",
       .path = "/v1/tasks/{id}/wait",
       .summary = "Waits until the task is settled; 202 if it was not.",
       .response_schema = "TaskView",
       .other_statuses = {202, 403, 404, 503},
       .queries = {timeout},
       .handler = Bind(service, WaitTask)},
      {.method = "DELETE",
       .path = "/v1/tasks/{id}",
       .summary = "Cancels a task, whatever its state.",
       .response_schema = "TaskView",
       .other_statuses = {403, 404},
       .handler = Bind(service, CancelTask)},
  };
}

std::vector<Route> OverviewRoutes(Service& service) {
  const QueryFacts after{"after", "integer", false, "As Last-Event-ID."};
  return {
      {.method = "GET",
       .path = "/v1/workers",
       .access = Access::kAnyToken,
       .summary = "The workers.",
       .response_schema = "Workers",
       .handler = Bind(service, GetWorkers),
       .is_quick = true},
      {.method = "GET",
       .path = "/v1/queue",
       .access = Access::kAnyToken,
       .summary = "How many tasks wait.",
       .response_schema = "Queue",
       .handler = Bind(service, GetQueue),
       .is_quick = true},
      {.method = "GET",
       .path = "/v1/domains",
       .access = Access::kAnyToken,
       .summary = "What can be evaluated.",
       .response_schema = "Domains",
       .handler = Bind(service, GetDomains),
       .is_quick = true},
      {.method = "GET",
       .path = "/v1/events",
       .access = Access::kAnyToken,
       .summary = "Server-sent events: a task of this token was settled. Last-Event-ID goes on "
                  "after that one.",
       .other_statuses = {400},
       .queries = {after},
       .handler = Bind(service, GetSettledEvents)},
  };
}

}  // namespace

std::vector<Route> V1Routes(Service& service) {
  std::vector<Route> routes = TaskRoutes(service);
  std::vector<Route> more = OverviewRoutes(service);
  std::move(more.begin(), more.end(), std::back_inserter(routes));
  return routes;
}

}  // namespace hone::server
