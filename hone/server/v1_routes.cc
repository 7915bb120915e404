// SPDX-License-Identifier: Apache-2.0
#include "hone/server/v1_routes.h"

#include <chrono>
#include <memory>
#include <utility>

#include "hone/base/parse_values.h"
#include "hone/server/event_stream.h"
#include "hone/server/v1_records.h"
#include "hone/server/v1_request.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kPollWait{30'000};  // Of a long poll that says nothing.
constexpr std::size_t kMostEvents = 256;                // In one piece of a stream.

// kUnsupported stands for "not with this token" here.
HttpResponse Refusal(const Error& error) {
  if (error.code == Errc::kUnsupported) return NativeError(403, "forbidden", error.message);
  HttpResponse response = NativeError(error);
  if (response.status == 503) response.headers.emplace_back("retry-after", "5");
  return response;
}

// Why a task that waits may wait for long.
Json Explained(Service& service, const Standing& standing) {
  Json json = TaskJson(standing);
  if (standing.view.state != TaskState::kWaiting) return json;
  const auto nobody = service.WhyNobody(standing.view.task.needs);
  if (nobody && !nobody->empty()) json["why_waiting"] = *nobody;
  return json;
}

HttpResponse StandingResponse(Service& service, const Result<Standing>& standing) {
  if (!standing) return Refusal(standing.error());
  return JsonResponse(standing->settlement ? 200 : 202, Explained(service, *standing));
}

Result<Json> ReadJsonBody(const HttpRequest& request) {
  return ParseJson(request.body, "body", {.bytes = request.body.size()});
}

Async<HttpResponse> PostTask(Service& service, const HttpRequest& request) {
  const auto json = ReadJsonBody(request);
  if (!json) co_return Refusal(json.error());
  const auto wait = ReadWait(request, "wait_s", std::chrono::milliseconds{0});
  if (!wait) co_return Refusal(wait.error());
  const auto submission = ReadSubmission(JsonReader(*json, "body"), service, request.role);
  if (!submission) co_return Refusal(submission.error());
  const auto submitted = service.Submit(submission->task, submission->is_fresh);
  if (!submitted) co_return Refusal(submitted.error());
  const Result<Standing> standing =
      co_await service.Wait(submission->task.id, service.clock().Now() + *wait, request.gone);
  co_return StandingResponse(service, standing);
}

Async<HttpResponse> PostBatch(Service& service, const HttpRequest& request) {
  const auto json = ReadJsonBody(request);
  if (!json) co_return Refusal(json.error());
  const auto wait = ReadWait(request, "wait_s", std::chrono::milliseconds{0});
  if (!wait) co_return Refusal(wait.error());
  const auto submissions = ReadSubmissions(*json, service, request.role);
  if (!submissions) co_return Refusal(submissions.error());
  for (const Submission& one : *submissions) {
    const auto submitted = service.Submit(one.task, one.is_fresh);
    if (!submitted) co_return Refusal(submitted.error());
  }
  const Clock::Monotonic until = service.clock().Now() + *wait;
  Json tasks = Json::array();
  bool are_settled = true;
  for (const Submission& one : *submissions) {
    const Result<Standing> standing = co_await service.Wait(one.task.id, until, request.gone);
    if (!standing) co_return Refusal(standing.error());
    are_settled = are_settled && standing->settlement != nullptr;
    tasks.push_back(Explained(service, *standing));
  }
  co_return JsonResponse(are_settled ? 200 : 202, {{"tasks", std::move(tasks)}});
}

Async<HttpResponse> GetTask(Service& service, const HttpRequest& request) {
  const auto standing = service.Look(request.parts[0]);
  if (!standing) co_return Refusal(standing.error());
  Json json = Explained(service, *standing);
  json.update(TaskDetails(*standing));
  co_return JsonResponse(200, json);
}

Async<HttpResponse> WaitTask(Service& service, const HttpRequest& request) {
  const auto wait = ReadWait(request, "timeout_s", kPollWait);
  if (!wait) co_return Refusal(wait.error());
  const Result<Standing> standing =
      co_await service.Wait(request.parts[0], service.clock().Now() + *wait, request.gone);
  co_return StandingResponse(service, standing);
}

Async<HttpResponse> CancelTask(Service& service, const HttpRequest& request) {
  auto cancelled = service.queue().Cancel(request.parts[0]);
  if (!cancelled) co_return Refusal(cancelled.error());
  const auto standing = service.Look(request.parts[0]);
  if (!standing) co_return Refusal(standing.error());
  co_return JsonResponse(200, TaskJson(*standing));
}

Async<HttpResponse> GetWorkers(Service& service, const HttpRequest&) {
  const auto workers = service.queue().Workers();
  if (!workers) co_return Refusal(workers.error());
  Json list = Json::array();
  for (const WorkerCard& worker : *workers) list.push_back(WorkerJson(worker));
  co_return JsonResponse(200, {{"workers", std::move(list)}});
}

Async<HttpResponse> GetQueue(Service& service, const HttpRequest&) {
  const auto counts = service.queue().Count();
  if (!counts) co_return Refusal(counts.error());
  co_return JsonResponse(200, QueueJson(*counts, service.clock().Wall()));
}

Async<HttpResponse> GetDomains(Service& service, const HttpRequest&) {
  Json list = Json::array();
  for (const OfferedDomain& domain : service.settings().domains) {
    list.push_back(DomainJson(domain));
  }
  co_return JsonResponse(200, {{"domains", std::move(list)}});
}

// Where a stream of events stands.
struct Stream {
  std::uint64_t sequence = 0;
  std::stop_token gone;
};

std::string SettledText(Service& service, const Settled& settled) {
  const auto standing = service.Look(settled.task);
  const Json data = standing ? SettledJson(*standing, settled.sequence)
                             : Json{{"task", settled.task},  // Forgotten meanwhile.
                                    {"outcome", nullptr},
                                    {"sequence", settled.sequence}};
  return EventText("settled", data, settled.sequence);
}

// The next events, or a comment if there was none for a while; nullopt at the end.
Async<std::optional<std::string>> NextPiece(Service& service, std::shared_ptr<Stream> stream) {
  const auto ticket = service.waiters().EnterForAny();
  auto settled =
      service.queue().SettledAfter(stream->sequence, kMostEvents, std::chrono::milliseconds{0});
  if (settled && settled->empty()) {
    const Woken woken = co_await ticket->Wait(service.clock().Now() + kHeartbeat, stream->gone);
    if (woken.why == Woken::Why::kGone || woken.why == Woken::Why::kClosing) co_return std::nullopt;
    if (woken.why == Woken::Why::kTimeout) co_return std::string(kSignOfLife);
    settled =
        service.queue().SettledAfter(stream->sequence, kMostEvents, std::chrono::milliseconds{0});
  }
  if (!settled) co_return std::nullopt;
  std::string text;
  for (const Settled& one : *settled) {
    text += SettledText(service, one);
    stream->sequence = one.sequence;
  }
  co_return text;
}

// After the event that the client saw last, or from now on.
Result<std::uint64_t> FirstSequence(Service& service, const HttpRequest& request) {
  std::string last(request.Header("last-event-id"));
  if (last.empty()) last = request.Query("after").value_or("");
  if (last.empty()) return service.queue().LastSettled();
  return ParseSeed("last-event-id", last);
}

Async<HttpResponse> GetEvents(Service& service, const HttpRequest& request) {
  const auto first = FirstSequence(service, request);
  if (!first) co_return Refusal(first.error());
  const auto stream = std::make_shared<Stream>(Stream{*first, request.gone});
  co_return StreamResponse([&service, stream] { return NextPiece(service, stream); });
}

Route Line(std::string method, std::string path, Access access, std::string summary, std::string in,
           std::string out, std::vector<int> others) {
  Route route;
  route.method = std::move(method);
  route.path = std::move(path);
  route.access = access;
  route.summary = std::move(summary);
  route.request_schema = std::move(in);
  route.response_schema = std::move(out);
  route.other_statuses = std::move(others);
  return route;
}

}  // namespace

std::vector<Route> V1Routes(Service& service) {
  Service* const shared = &service;
  const QueryFacts wait{"wait_s", "number", false,
                        "Wait so many seconds for the verdict; 0: none."};
  const auto with = [shared](Route route, auto function, std::vector<QueryFacts> queries = {}) {
    route.queries = std::move(queries);
    route.handler = [shared, function](const HttpRequest& request) {
      return function(*shared, request);
    };
    return route;
  };
  return {
      with(Line("POST", "/v1/tasks", Access::kSubmit, "Submits a task.", "Task", "TaskView",
                {202, 400, 403, 409, 503}),
           PostTask, {wait}),
      with(Line("POST", "/v1/tasks/batch", Access::kSubmit, "Submits up to 1000 tasks.",
                "TaskBatch", "TaskViewBatch", {202, 400, 403, 409, 503}),
           PostBatch, {wait}),
      with(Line("GET", "/v1/tasks/{id}", Access::kSubmit, "Where a task stands, and its result.",
                "", "TaskView", {404}),
           GetTask),
      with(Line("GET", "/v1/tasks/{id}/wait", Access::kSubmit,
                "Waits until the task is settled; 202 if it was not.", "", "TaskView",
                {202, 404, 503}),
           WaitTask, {{"timeout_s", "number", false, "How long to wait; 30 by default."}}),
      with(Line("DELETE", "/v1/tasks/{id}", Access::kSubmit, "Cancels a task, whatever its state.",
                "", "TaskView", {404}),
           CancelTask),
      with(Line("GET", "/v1/workers", Access::kAnyToken, "The workers.", "", "Workers", {}),
           GetWorkers),
      with(Line("GET", "/v1/queue", Access::kAnyToken, "How many tasks wait.", "", "Queue", {}),
           GetQueue),
      with(Line("GET", "/v1/domains", Access::kAnyToken, "What can be evaluated.", "", "Domains",
                {}),
           GetDomains),
      with(Line("GET", "/v1/events", Access::kAnyToken,
                "Server-sent events: a task was settled. Last-Event-ID goes on after that one.", "",
                "", {400}),
           GetEvents, {{"after", "integer", false, "As Last-Event-ID."}}),
  };
}

}  // namespace hone
