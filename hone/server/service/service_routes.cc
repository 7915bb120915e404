// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/service_routes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "hone/base/json/parse_values.h"
#include "hone/server/service/v1_records.h"

namespace hone::server {
namespace {

constexpr std::int64_t kMaxTasks = 1000;
constexpr std::int64_t kUsualTasks = 100;
constexpr std::size_t kStride = 256;  // Of the feed, read backwards.
constexpr int kMaxStrides = 64;       // In one request: a rare outcome may need the next one.

struct ListOrder {
  std::size_t limit = kUsualTasks;
  std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
  std::string outcome;  // Empty: any.
};

Result<ListOrder> ReadListOrder(const HttpRequest& request) {
  ListOrder order;
  if (const auto text = request.Query("limit")) {
    const auto limit = ParseCount("limit", *text, 1, kMaxTasks);
    if (!limit) return limit.error();
    order.limit = static_cast<std::size_t>(*limit);
  }
  if (const auto text = request.Query("before")) {
    const auto before = ParseSeed("before", *text);
    if (!before) return before.error();
    order.before = *before;
  }
  order.outcome = request.Query("outcome").value_or("");
  return order;
}

// The tasks that wait or run, as far as this server took them.
void AddOpen(Service& service, const ListOrder& order, const Asker& asker, Json& tasks) {
  for (const TaskId& id : service.history().Open(order.limit)) {
    const auto view = service.queue().Look(id);
    const bool is_seen = view && asker.Sees(view->task.submitter);
    if (is_seen && !view->settlement) tasks.push_back(TaskLine(*view, std::nullopt));
  }
}

// Settled tasks, newest first. Returns where to go on; nullopt at the end.
Result<std::optional<std::uint64_t>> AddSettled(Service& service, const ListOrder& order,
                                                const Asker& asker, Json& tasks) {
  std::uint64_t end = order.before;  // The first that is not wanted.
  for (int stride = 0; stride < kMaxStrides; ++stride) {
    const auto feed = service.queue().SettledBefore(end, kStride);
    if (!feed) return feed.error();
    if (feed->empty()) return std::optional<std::uint64_t>();
    for (const Settled& one : *feed) {
      if (tasks.size() >= order.limit) return std::optional(one.sequence + 1);
      const auto view = service.queue().Look(one.task);
      if (!view || !view->settlement) continue;  // Forgotten, or begun anew.
      if (!asker.Sees(view->task.submitter)) continue;
      if (!order.outcome.empty() && WordFor(*view->settlement) != order.outcome) continue;
      tasks.push_back(TaskLine(*view, one.sequence));
    }
    end = feed->back().sequence;
  }
  return std::optional(end);
}

Async<HttpResponse> GetTasks(Service& service, const HttpRequest& request) {
  const auto order = ReadListOrder(request);
  if (!order) co_return NativeError(order.error());
  Json tasks = Json::array();
  const bool is_first = order->before == std::numeric_limits<std::uint64_t>::max();
  if (is_first && order->outcome.empty()) AddOpen(service, *order, AskerOf(request), tasks);
  const auto next = AddSettled(service, *order, AskerOf(request), tasks);
  if (!next) co_return NativeError(next.error());
  Json answer{{"tasks", std::move(tasks)}, {"next", nullptr}};
  if (*next) answer["next"] = **next;
  co_return JsonResponse(200, answer);
}

Async<HttpResponse> GetHistory(Service& service, const HttpRequest&) {
  co_return JsonResponse(200, service.history().ToJson());
}

Async<HttpResponse> GetServiceEvents(ServiceWatch& watch, const HttpRequest& request) {
  co_return watch.Watch(request);
}

}  // namespace

std::vector<Route> ServiceRoutes(Service& service, ServiceWatch& watch) {
  return {
      {.method = "GET",
       .path = "/v1/tasks",
       .access = Access::kAnyToken,
       .summary =
           "Tasks of this token: those that wait or run, then the settled ones, newest first.",
       .response_schema = "TaskLines",
       .other_statuses = {400},
       .queries = {{"limit", "integer", false, "At most so many; 100 by default."},
                   {"before", "integer", false, "Only those settled before this sequence."},
                   {"outcome", "string", false, "Only those that ended so."}},
       .handler = Bind(service, GetTasks)},
      {.method = "GET",
       .path = "/v1/service/history",
       .access = Access::kAnyToken,
       .summary = "The last hour in steps of ten seconds, as this server saw it.",
       .response_schema = "ServiceHistory",
       .handler = Bind(service, GetHistory)},
      {.method = "GET",
       .path = "/v1/service/events",
       .access = Access::kAnyToken,
       .summary = "Server-sent events: the queue, the workers, the last hour and the last tasks, "
                  "then what changes of them.",
       .handler = Bind(watch, GetServiceEvents)},
  };
}

}  // namespace hone::server
