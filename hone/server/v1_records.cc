// SPDX-License-Identifier: Apache-2.0
#include "hone/server/v1_records.h"

#include "hone/base/records.h"
#include "hone/server/kernelgym_response.h"

namespace hone {
namespace {

const char* NameOf(TaskState state) {
  switch (state) {
    case TaskState::kWaiting:
      return "waiting";
    case TaskState::kHeld:
      return "held";
    case TaskState::kSettled:
      return "settled";
  }
  return "";
}

Json TimeOrNull(const std::optional<WallTime>& time) {
  return time ? Json(IsoTime(*time)) : Json();
}

}  // namespace

Json TaskJson(const Standing& standing) {
  const TaskView& view = standing.view;
  Json json{{"id", view.task.id},
            {"domain", view.task.domain},
            {"state", NameOf(view.state)},
            {"priority", view.task.priority},
            {"needs", ToJson(view.task.needs)},
            {"pushed_at", IsoTime(view.pushed)},
            {"taken_at", TimeOrNull(view.taken)},
            {"settled_at", TimeOrNull(view.settled)},
            {"deadline_at", TimeOrNull(view.task.deadline)},
            {"attempts", view.attempts},
            {"worker", view.worker.empty() ? Json() : Json(view.worker)},
            {"ahead", view.state == TaskState::kWaiting ? Json(view.ahead) : Json()},
            {"outcome", nullptr}};
  if (!standing.settlement) return json;
  if (const auto* evaluation = std::get_if<Evaluation>(&standing.settlement->end)) {
    json["outcome"] = NameOf(evaluation->outcome);
    json["evaluation"] = ToJson(*evaluation);
  } else {
    const auto& drop = std::get<Settlement::Drop>(standing.settlement->end);
    json["dropped"] = {{"why", NameOf(drop.why)}, {"reason", drop.reason}};
  }
  return json;
}

Json WorkerJson(const WorkerCard& worker) {
  return {{"name", worker.name},
          {"host", worker.host},
          {"version", worker.version},
          {"has", ToJson(worker.has)},
          {"since", IsoTime(worker.since)},
          {"seen", IsoTime(worker.seen)},
          {"facts", worker.facts}};
}

Json QueueJson(const QueueCounts& counts) {
  Json levels = Json::array();
  std::int64_t waiting = 0;
  for (const auto& level : counts.waiting) {
    waiting += level.waiting;
    levels.push_back({{"priority", level.priority},
                      {"waiting", level.waiting},
                      {"oldest", IsoTime(level.oldest)}});
  }
  return {{"waiting", waiting},
          {"held", counts.held},
          {"settled", counts.settled},
          {"levels", std::move(levels)}};
}

Json DomainJson(const OfferedDomain& domain) {
  Json options = Json::array();
  for (const OfferedOption& option : domain.options) {
    options.push_back({{"name", option.name},
                       {"default", option.default_value},
                       {"description", option.description}});
  }
  return {{"name", domain.name},
          {"summary", domain.summary},
          {"needs_role", domain.needs_admin ? "admin" : "submit"},
          {"options", std::move(options)}};
}

}  // namespace hone
