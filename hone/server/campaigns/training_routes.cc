// SPDX-License-Identifier: Apache-2.0
#include "hone/server/campaigns/training_routes.h"

#include <memory>
#include <utility>

#include "hone/server/http/event_stream.h"

namespace hone::server {
namespace {

// Where the stream of one client stands.
struct TrainingStream {
  TrainingBoard::Cursor cursor;
  std::stop_token gone;
};

// The next events, or a comment if there was none for a while; nullopt at the end.
Async<std::optional<std::string>> NextTrainingPiece(TrainingBoard& board,
                                                    std::shared_ptr<TrainingStream> stream) {
  if (stream->cursor.has_ended) co_return std::nullopt;
  const auto waiter = board.wakes().Register();
  std::string text = board.Since(stream->cursor, kPieceBytes);
  if (!text.empty()) co_return text;
  const WakeReason reason = co_await waiter->Wait(board.clock().Now() + kHeartbeat, stream->gone);
  if (reason == WakeReason::kGone) co_return std::nullopt;
  text = board.Since(stream->cursor, kPieceBytes);  // When it closes, for the last time.
  if (text.empty() && reason == WakeReason::kClosing) co_return std::nullopt;
  if (text.empty() && reason == WakeReason::kTimeout) co_return std::string(kSignOfLife);
  co_return text;
}

Async<HttpResponse> GetTraining(TrainingBoard& board, const HttpRequest&) {
  const auto training = board.Training();
  co_return training ? JsonResponse(200, *training) : NativeError(training.error());
}

Async<HttpResponse> GetTrainingEvents(TrainingBoard& board, const HttpRequest& request) {
  const auto last = LastEventId(request);
  if (!last) co_return NativeError(last.error());
  auto stream = std::make_shared<TrainingStream>();
  stream->cursor.update = last->value_or(0);
  stream->gone = request.gone;
  co_return StreamResponse([&board, stream] { return NextTrainingPiece(board, stream); });
}

Async<HttpResponse> PostStop(TrainingBoard& board, const HttpRequest&) {
  if (const auto training = board.Training(); !training) co_return NativeError(training.error());
  if (const auto stopped = board.Stop(); !stopped) co_return NativeError(stopped.error());
  co_return JsonResponse(202, {{"control", "stopping"}});
}

}  // namespace

std::vector<Route> TrainingRoutes(TrainingBoard& board, Access reading) {
  return {
      {.method = "GET",
       .path = "/v1/training",
       .access = reading,
       .summary = "The training that runs in this process, or ran last.",
       .response_schema = "Training",
       .other_statuses = {404},
       .handler = Bind(board, GetTraining)},
      {.method = "GET",
       .path = "/v1/training/events",
       .access = reading,
       .summary = "Server-sent events: every update, then those that come. Last-Event-ID goes on "
                  "after that one.",
       .other_statuses = {400},
       .queries = {{"after", "integer", false, "As Last-Event-ID."}},
       .handler = Bind(board, GetTrainingEvents)},
      {.method = "POST",
       .path = "/v1/training/stop",
       .access = Access::kAdmin,
       .summary = "Ends after the current update; what was learnt is saved.",
       .response_schema = "Control",
       .other_statuses = {202, 401, 403, 404, 409},
       .handler = Bind(board, PostStop)},
  };
}

}  // namespace hone::server
