// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/v1_records.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <vector>

#include "hone/base/json/evidence_json.h"
#include "hone/base/json/records.h"

namespace hone::server {
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

const Evaluation* EvaluationIn(const TaskView& view) {
  return view.settlement ? std::get_if<Evaluation>(&view.settlement->end) : nullptr;
}

std::string ReasonIn(const TaskView& view) {
  if (!view.settlement) return "";
  if (const Evaluation* const evaluation = EvaluationIn(view)) return evaluation->reason;
  return std::get<Settlement::Drop>(view.settlement->end).reason;
}

Json SpeedupIn(const Evaluation& evaluation) {
  for (const Metric& metric : evaluation.metrics) {
    if (metric.name == "speedup" && std::isfinite(metric.value)) return metric.value;
  }
  for (const Sample& sample : evaluation.samples) {  // Not every domain declares it.
    const auto found = sample.metrics.find("speedup");
    if (sample.arm == Arm::kCandidate && found != sample.metrics.end()) {
      return std::isfinite(found->second.value) ? Json(found->second.value) : Json(nullptr);
    }
  }
  return nullptr;
}

struct Phase {
  std::string name;
  double ms = 0;
};

// A domain that knows its phases keeps them as evidence, in milliseconds and with their order:
// {"load": 12.5, "timing": 3.5, "order": ["load", "timing"]}.
std::vector<Phase> PhasesIn(const Evaluation& evaluation) {
  std::vector<Phase> phases;
  const Json json = FindJsonEvidence(evaluation.evidence, "phases");
  if (json.is_null()) return phases;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) phases.push_back({name, value.get<double>()});
  }
  const Json order = json.value("order", Json::array());
  const auto place = [&order](const Phase& phase) {
    return std::find(order.begin(), order.end(), phase.name) - order.begin();
  };
  std::stable_sort(phases.begin(), phases.end(),
                   [&](const Phase& one, const Phase& other) { return place(one) < place(other); });
  return phases;
}

Json PhasesJson(const Evaluation& evaluation) {
  Json list = Json::array();
  for (const Phase& phase : PhasesIn(evaluation)) {
    list.push_back({{"name", phase.name}, {"ms", phase.ms}});
  }
  return list;
}

// What the worker did, and when it began with each.
void AddSteps(const TaskView& view, Json& timeline) {
  const Evaluation* const evaluation = EvaluationIn(view);
  if (evaluation == nullptr) return;
  const auto add = [&timeline](std::string_view what, WallTime at) {
    timeline.push_back({{"what", what}, {"at", IsoTime(at)}});
  };
  const bool has_source = !view.task.candidate.source.empty();
  add(has_source ? "building" : "preparing", evaluation->provenance.started);
  if (evaluation->samples.empty()) return;
  WallTime at = evaluation->samples.front().started;
  const auto phases = PhasesIn(*evaluation);
  if (phases.empty()) add("running", at);
  for (const Phase& phase : phases) {
    add(phase.name, at);
    at += std::chrono::duration_cast<WallTime::duration>(
        std::chrono::duration<double, std::milli>(phase.ms));
  }
}

// What a domain keeps as evidence for whoever wrote the candidate stands as an object of its own,
// and is not told twice.
Json EvaluationJson(const Evaluation& evaluation) {
  Json json = ToJson(evaluation);
  Json feedback = FindJsonEvidence(evaluation.evidence, "feedback");
  if (feedback.is_null()) return json;
  Json& evidence = json["evidence"];
  evidence.erase(std::remove_if(evidence.begin(), evidence.end(),
                                [](const Json& one) { return one["what"] == "feedback"; }),
                 evidence.end());
  json["feedback"] = std::move(feedback);
  return json;
}

Json TimelineOf(const TaskView& view) {
  Json timeline = Json::array({{{"what", "submitted"}, {"at", IsoTime(view.pushed)}}});
  if (view.taken) timeline.push_back({{"what", "taken"}, {"at", IsoTime(*view.taken)}});
  AddSteps(view, timeline);
  if (view.settled) timeline.push_back({{"what", "settled"}, {"at", IsoTime(*view.settled)}});
  return timeline;
}

}  // namespace

Json TaskJson(const TaskView& view) {
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
  if (!view.task.owner.empty()) json["owner"] = view.task.owner;
  if (!view.settlement) return json;
  if (const auto* evaluation = std::get_if<Evaluation>(&view.settlement->end)) {
    json["outcome"] = NameOf(evaluation->outcome);
    json["evaluation"] = EvaluationJson(*evaluation);
  } else {
    const auto& drop = std::get<Settlement::Drop>(view.settlement->end);
    json["dropped"] = {{"why", NameOf(drop.why)}, {"reason", drop.reason}};
  }
  return json;
}

Json TaskDetails(const TaskView& view) {
  Json json = TaskJson(view);
  json["candidate"] = ToJson(view.task.candidate);
  json["options"] = view.task.options;
  json["timeline"] = TimelineOf(view);
  if (json.contains("evaluation")) json["evaluation"]["phases"] = PhasesJson(*EvaluationIn(view));
  return json;
}

Json TaskLine(const TaskView& view, std::optional<std::uint64_t> sequence) {
  const Evaluation* const evaluation = EvaluationIn(view);
  Json line{{"id", view.task.id},
            {"domain", view.task.domain},
            {"state", view.state == TaskState::kHeld ? "running" : NameOf(view.state)},
            {"outcome", nullptr},
            {"reason", ReasonIn(view)},
            {"submitted", IsoTime(view.pushed)},
            {"finished", TimeOrNull(view.settled)},
            {"worker", view.worker},
            {"speedup", evaluation != nullptr ? SpeedupIn(*evaluation) : Json(nullptr)},
            {"sequence", nullptr},
            {"priority", std::to_string(view.task.priority)}};
  if (view.settlement) line["outcome"] = WordFor(*view.settlement);
  if (sequence) line["sequence"] = *sequence;
  return line;
}

Json SettledJson(const TaskView& view, std::uint64_t sequence) {
  Json json{{"task", view.task.id},
            {"outcome", view.settlement ? Json(WordFor(*view.settlement)) : Json(nullptr)},
            {"domain", view.task.domain},
            {"worker", view.worker},
            {"seconds", nullptr},
            {"reason", ReasonIn(view)},
            {"sequence", sequence}};
  if (view.settled && view.taken) {
    json["seconds"] = std::chrono::duration<double>(*view.settled - *view.taken).count();
  }
  return json;
}

Json WorkerJson(const WorkerCard& worker) {
  return {{"name", worker.name},          {"host", worker.host},
          {"version", worker.version},    {"has", ToJson(worker.has)},
          {"serves", worker.serves},      {"since", IsoTime(worker.since)},
          {"seen", IsoTime(worker.seen)}, {"facts", worker.facts}};
}

Json QueueJson(const QueueCounts& counts, WallTime now) {
  Json levels = Json::array();
  Json by_priority = Json::array();
  std::int64_t waiting = 0;
  for (const auto& level : counts.waiting) {
    waiting += level.waiting;
    levels.push_back({{"priority", level.priority},
                      {"waiting", level.waiting},
                      {"oldest", IsoTime(level.oldest)}});
    const std::chrono::duration<double> age = now - level.oldest;
    by_priority.push_back({{"priority", std::to_string(level.priority)},
                           {"waiting", level.waiting},
                           {"oldest_s", std::max(0.0, age.count())}});
  }
  return {{"waiting", waiting},          {"held", counts.held},
          {"running", counts.held},      {"settled", counts.settled},
          {"levels", std::move(levels)}, {"waiting_by_priority", std::move(by_priority)}};
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

}  // namespace hone::server
