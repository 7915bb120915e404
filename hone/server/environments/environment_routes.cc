// SPDX-License-Identifier: Apache-2.0
#include "hone/server/environments/environment_routes.h"

#include <chrono>
#include <iterator>
#include <utility>

#include "hone/server/environments/environment_records.h"
#include "hone/server/service/v1_request.h"

namespace hone::server {
namespace {

// A learner cannot go on without the answer: it is waited for unless the client says otherwise.
constexpr std::chrono::milliseconds kWait{30'000};
constexpr std::chrono::milliseconds kLookOnly{0};

// What came of a task: a step, an environment that is open now, or that it is not over.
HttpResponse AnswerFor(EnvironmentBoard& board, LiveEnvironment& environment, const TaskId& task) {
  const auto progress = environment.ProgressOf(task);
  if (!progress) {
    if (environment.Look().state == EnvironmentState::kOpening) {
      board.Remove(environment, progress.error().message);  // It never was open.
    }
    return RefusalFor(progress.error());
  }
  if (!progress->is_over) return JsonResponse(202, EnvironmentLine(environment));
  if (progress->step) return JsonResponse(200, StepJson(environment, *progress->step));
  return JsonResponse(200, EnvironmentJson(environment, board.settings()));
}

// Waits for the task and answers with what came of it.
Async<HttpResponse> AnswerOnceOver(EnvironmentBoard& board, LiveEnvironment& environment,
                                   TaskId task, std::chrono::milliseconds wait,
                                   const HttpRequest& request) {
  const Clock::Monotonic until = board.service().clock().Now() + wait;
  const Asker asker = AskerOf(request);
  const Result<void> awaited = co_await board.Await(environment, task, until, request.gone, asker);
  if (!awaited) co_return RefusalFor(awaited.error());
  co_return AnswerFor(board, environment, task);
}

Async<HttpResponse> PostEnvironment(EnvironmentBoard& board, const HttpRequest& request) {
  const auto wait = ReadWait(request, "wait_s", kWait);
  if (!wait) co_return RefusalFor(wait.error());
  const auto json = ReadJsonBody(request, kMaxEnvironmentBody);
  if (!json) co_return RefusalFor(json.error());
  auto asked = ReadEnvironment(JsonReader(*json, "body"), board.service(), request.role);
  if (!asked) co_return RefusalFor(asked.error());
  const auto visit = board.Open(std::move(*asked), AskerOf(request));
  if (!visit) co_return RefusalFor(visit.error());
  LiveEnvironment& environment = **visit;
  const TaskId task = environment.LastTask();
  HttpResponse response = co_await AnswerOnceOver(board, environment, task, *wait, request);
  co_return response;
}

Async<HttpResponse> GetEnvironments(EnvironmentBoard& board, const HttpRequest& request) {
  Json list = Json::array();
  for (const auto& environment : board.List(AskerOf(request))) {
    list.push_back(EnvironmentLine(*environment));
  }
  co_return JsonResponse(200, {{"environments", std::move(list)}});
}

Async<HttpResponse> GetEnvironment(EnvironmentBoard& board, const HttpRequest& request) {
  const auto visit = board.Find(request.parts[0], AskerOf(request));
  if (!visit) co_return RefusalFor(visit.error());
  LiveEnvironment& environment = **visit;
  if (environment.Look().state == EnvironmentState::kOpening) {
    const TaskId task = environment.LastTask();
    HttpResponse response = co_await AnswerOnceOver(board, environment, task, kLookOnly, request);
    co_return response;
  }
  co_return JsonResponse(200, EnvironmentJson(environment, board.settings()));
}

Async<HttpResponse> WaitForEnvironment(EnvironmentBoard& board, const HttpRequest& request) {
  const auto wait = ReadWait(request, "timeout_s", kWait);
  if (!wait) co_return RefusalFor(wait.error());
  const auto visit = board.Find(request.parts[0], AskerOf(request));
  if (!visit) co_return RefusalFor(visit.error());
  LiveEnvironment& environment = **visit;
  const TaskId task = environment.LastTask();
  if (task.empty()) co_return JsonResponse(200, EnvironmentJson(environment, board.settings()));
  HttpResponse response = co_await AnswerOnceOver(board, environment, task, *wait, request);
  co_return response;
}

// A step that is over and that nobody asked about does not keep an episode from beginning anew.
Async<HttpResponse> PostReset(EnvironmentBoard& board, const HttpRequest& request) {
  const auto seed = ReadReset(request);
  if (!seed) co_return RefusalFor(seed.error());
  const auto visit = board.Find(request.parts[0], AskerOf(request));
  if (!visit) co_return RefusalFor(visit.error());
  LiveEnvironment& environment = **visit;
  if (const auto task = environment.AwaitedTask()) {
    const Clock::Monotonic now = board.service().clock().Now();
    const Asker asker = AskerOf(request);
    const Result<void> awaited = co_await board.Await(environment, *task, now, request.gone, asker);
    if (!awaited) co_return RefusalFor(awaited.error());
  }
  const auto start = environment.Reset(*seed);
  if (!start) co_return RefusalFor(start.error());
  co_return JsonResponse(200, EpisodeJson(environment, *start));
}

Async<HttpResponse> PostStep(EnvironmentBoard& board, const HttpRequest& request) {
  const auto wait = ReadWait(request, "wait_s", kWait);
  if (!wait) co_return RefusalFor(wait.error());
  const auto json = ReadJsonBody(request, kMaxEnvironmentBody);
  if (!json) co_return RefusalFor(json.error());
  const auto visit = board.Find(request.parts[0], AskerOf(request));
  if (!visit) co_return RefusalFor(visit.error());
  LiveEnvironment& environment = **visit;
  const auto asked = ReadStep(JsonReader(*json, "body"), environment.domain().SearchSpace());
  if (!asked) co_return RefusalFor(asked.error());
  const auto begun = environment.BeginStep(*asked);
  if (!begun) co_return RefusalFor(begun.error());
  if (begun->is_new) {
    const auto pushed = board.Push(environment, begun->task, AskerOf(request));
    if (!pushed) co_return RefusalFor(pushed.error());
  }
  const TaskId task = begun->task.id;
  HttpResponse response = co_await AnswerOnceOver(board, environment, task, *wait, request);
  co_return response;
}

Async<HttpResponse> DeleteEnvironment(EnvironmentBoard& board, const HttpRequest& request) {
  const auto visit = board.Find(request.parts[0], AskerOf(request));
  if (!visit) co_return RefusalFor(visit.error());
  board.Remove(**visit, "its client closed it");
  co_return JsonResponse(200, {{"id", (*visit)->identity().id}, {"state", "closed"}});
}

std::vector<Route> LookingRoutes(EnvironmentBoard& board) {
  const QueryFacts timeout{"timeout_s", "number", false, "How long to wait; 30 by default."};
  return {
      {.method = "GET",
       .path = "/v1/environments",
       .summary = "The environments of this token.",
       .response_schema = "Environments",
       .handler = Bind(board, GetEnvironments)},
      {.method = "GET",
       .path = "/v1/environments/{id}",
       .summary = "An environment: its spaces, its facts, where it stands.",
       .response_schema = "Environment",
       .other_statuses = {202, 404, 503},
       .handler = Bind(board, GetEnvironment)},
      {.method = "GET",
       .path = "/v1/environments/{id}/wait",
       .summary = "What the last step, or the making, came to; 202 if it is not over.",
       .response_schema = "EnvironmentStep",
       .other_statuses = {202, 400, 404, 503},
       .queries = {timeout},
       .handler = Bind(board, WaitForEnvironment)},
  };
}

std::vector<Route> ActingRoutes(EnvironmentBoard& board) {
  const QueryFacts wait{"wait_s", "number", false,
                        "Wait so many seconds for the answer; 30 by default."};
  return {
      {.method = "POST",
       .path = "/v1/environments",
       .summary = "Makes an environment of a domain and measures its baseline; 202 if that is not "
                  "over.",
       .request_schema = "EnvironmentRequest",
       .response_schema = "Environment",
       .other_statuses = {202, 400, 403, 409, 503},
       .queries = {wait},
       .handler = Bind(board, PostEnvironment)},
      {.method = "POST",
       .path = "/v1/environments/{id}/reset",
       .summary = "Begins an episode, also in the middle of one.",
       .request_schema = "EnvironmentReset",
       .response_schema = "EnvironmentEpisode",
       .other_statuses = {400, 404, 409, 503},
       .handler = Bind(board, PostReset)},
      {.method = "POST",
       .path = "/v1/environments/{id}/step",
       .summary = "Tries an action against the baseline; 202 if that is not over.",
       .request_schema = "EnvironmentAction",
       .response_schema = "EnvironmentStep",
       .other_statuses = {202, 400, 404, 409, 503},
       .queries = {wait},
       .handler = Bind(board, PostStep)},
      {.method = "DELETE",
       .path = "/v1/environments/{id}",
       .summary = "Closes an environment and cancels what it waits for.",
       .response_schema = "EnvironmentClosed",
       .other_statuses = {404},
       .handler = Bind(board, DeleteEnvironment)},
  };
}

}  // namespace

std::vector<Route> EnvironmentRoutes(EnvironmentBoard& board) {
  std::vector<Route> routes = LookingRoutes(board);
  std::vector<Route> more = ActingRoutes(board);
  std::move(more.begin(), more.end(), std::back_inserter(routes));
  return routes;
}

}  // namespace hone::server
