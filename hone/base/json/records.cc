// SPDX-License-Identifier: Apache-2.0
#include "hone/base/json/records.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>
#include <variant>

#include "hone/base/json/record_parts.h"

namespace hone {
namespace {

template <typename Enum>
struct EnumWord {
  Enum value;
  std::string_view name;
};

constexpr std::array<EnumWord<Arm>, 2> kArms{
    {{Arm::kBaseline, "baseline"}, {Arm::kCandidate, "candidate"}}};
constexpr std::array<EnumWord<Direction>, 2> kDirections{
    {{Direction::kHigherIsBetter, "higher_is_better"},
     {Direction::kLowerIsBetter, "lower_is_better"}}};
constexpr std::array<EnumWord<RewardRule::Formula>, 2> kFormulas{
    {{RewardRule::Formula::kGain, "gain"},
     {RewardRule::Formula::kPerformanceAndStability, "performance_and_stability"}}};

template <typename Enum, std::size_t size>
std::string_view NameIn(const std::array<EnumWord<Enum>, size>& words, Enum value) {
  for (const auto& word : words) {
    if (word.value == value) return word.name;
  }
  return "";
}

template <typename Enum, std::size_t size>
Enum ReadWord(const std::array<EnumWord<Enum>, size>& words, JsonReader reader) {
  const std::string name = reader.String();
  std::string known;
  for (const auto& word : words) {
    if (word.name == name) return word.value;
    known += fmt::format("{}\"{}\"", known.empty() ? "" : " or ", word.name);
  }
  reader.Fail(fmt::format("expected {}, found \"{:.40}\"", known, name));
  return words[0].value;
}

int ReadInt(JsonReader reader) {
  const std::int64_t value = reader.Integer();
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    reader.Fail(fmt::format("expected an integer of 32 bits, found {}", value));
    return 0;
  }
  return static_cast<int>(value);
}

WallTime ReadTime(JsonReader reader) { return FromMicroseconds(reader.Integer()); }

// What a queue writes often is filled member by member: in an initializer list every member is
// built as a list of its own first.
Json ReadingJson(const Reading& reading) {
  Json json = Json::object();
  json["value"] = Number(reading.value);
  json["spread"] = Number(reading.spread);
  json["count"] = reading.count;
  return json;
}

Reading ReadReading(JsonReader reader) {
  Reading reading{ReadNumber(reader.At("value")), ReadNumber(reader.At("spread")),
                  reader.At("count").Integer()};
  reader.RefuseOthers();
  return reading;
}

Json ObjectiveJson(const Objective& objective) {
  return {{"metric", objective.metric},
          {"direction", NameIn(kDirections, objective.direction)},
          {"weight", Number(objective.weight)}};
}

Objective ReadObjective(JsonReader reader) {
  Objective objective{reader.At("metric").String(), ReadWord(kDirections, reader.At("direction")),
                      ReadNumber(reader.At("weight"))};
  reader.RefuseOthers();
  return objective;
}

Json EvidenceJson(const Evidence& evidence) {
  return {{"what", evidence.what}, {"text", evidence.text}};
}

Evidence ReadEvidence(JsonReader reader) {
  Evidence evidence{reader.At("what").String(), reader.At("text").String()};
  reader.RefuseOthers();
  return evidence;
}

Json ProvenanceJson(const Provenance& provenance) {
  Json json = Json::object();
  json["worker"] = provenance.worker;
  json["version"] = provenance.version;
  json["generation"] = provenance.generation;
  json["started_us"] = ToMicroseconds(provenance.started);
  json["finished_us"] = ToMicroseconds(provenance.finished);
  json["facts"] = MembersOf(provenance.facts, kAsIs);
  return json;
}

Provenance ReadProvenance(JsonReader reader) {
  Provenance provenance{
      reader.At("worker").String(),       reader.At("version").String(),
      reader.At("generation").Unsigned(), ReadTime(reader.At("started_us")),
      ReadTime(reader.At("finished_us")), ReadMembers(reader.At("facts"), ReadString)};
  reader.RefuseOthers();
  return provenance;
}

Outcome ReadOutcome(JsonReader reader) {
  const auto outcome = OutcomeNamed(reader.String());
  if (!outcome) reader.Fail(outcome.error().message);
  return outcome.value_or(Outcome::kRejected);
}

template <typename T>
Result<T> ParseRecord(std::string_view text, std::string_view what, T (*read)(JsonReader)) {
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  JsonReader reader(*json, std::string(what));
  T record = read(reader);
  if (auto finished = reader.Finish(); !finished) return finished.error();
  return record;
}

}  // namespace

// A double that is not finite stands in an object: a string would be a string value.
Json ToJson(const Value& value) {
  if (const auto* number = std::get_if<double>(&value); number != nullptr) {
    return std::isfinite(*number) ? Json(*number) : Json{{"number", Number(*number)}};
  }
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Value ReadValue(JsonReader reader) {
  const Json& raw = reader.Raw();
  if (raw.is_boolean()) return reader.Bool();
  if (raw.is_number_float()) return reader.Number();
  if (raw.is_number()) return reader.Integer();
  if (raw.is_string()) return reader.String();
  if (raw.is_array()) return ReadList(reader, [](JsonReader item) { return item.Integer(); });
  const double number = ReadNumber(reader.At("number"));
  reader.RefuseOthers();
  return number;
}

Json ToJson(const Assignment& assignment) { return MembersOf(assignment, kAsRecord); }

Assignment ReadAssignment(JsonReader reader) { return ReadMembers(std::move(reader), ReadValue); }

Json ToJson(const Candidate& candidate) {
  Json json = Json::object();
  json["assignment"] = ToJson(candidate.assignment);
  json["source"] = candidate.source;
  return json;
}

Candidate ReadCandidate(JsonReader reader) {
  Candidate candidate{ReadAssignment(reader.At("assignment")), reader.At("source").String()};
  reader.RefuseOthers();
  return candidate;
}

Json ToJson(const Capabilities& capabilities) {
  Json json = Json::object();
  json["names"] = ListOf(capabilities.names, kAsIs);
  json["memory_mib"] = capabilities.memory_mib;
  return json;
}

Capabilities ReadCapabilities(JsonReader reader) {
  Capabilities capabilities;
  for (std::string& name : ReadList(reader.At("names"), ReadString)) {
    capabilities.names.insert(std::move(name));
  }
  capabilities.memory_mib = reader.At("memory_mib").Integer();
  reader.RefuseOthers();
  return capabilities;
}

Json ToJson(const Estimate& estimate) {
  return {{"mean", Number(estimate.mean)},
          {"standard_error", Number(estimate.standard_error)},
          {"count", estimate.count}};
}

Estimate ReadEstimate(JsonReader reader) {
  Estimate estimate{ReadNumber(reader.At("mean")), ReadNumber(reader.At("standard_error")),
                    reader.At("count").Integer()};
  reader.RefuseOthers();
  return estimate;
}

Json ToJson(const Metric& metric) {
  Json json = Json::object();
  json["name"] = metric.name;
  json["unit"] = metric.unit;
  json["value"] = Number(metric.value);
  json["spread"] = Number(metric.spread);
  json["count"] = metric.count;
  return json;
}

Metric ReadMetric(JsonReader reader) {
  Metric metric{reader.At("name").String(), reader.At("unit").String(),
                ReadNumber(reader.At("value")), ReadNumber(reader.At("spread")),
                reader.At("count").Integer()};
  reader.RefuseOthers();
  return metric;
}

Json ToJson(const Limit& limit) {
  return {{"metric", limit.metric},
          {"is_upper", limit.is_upper},
          {"bound", Number(limit.bound)},
          {"is_relative", limit.is_relative}};
}

Limit ReadLimit(JsonReader reader) {
  Limit limit{reader.At("metric").String(), reader.At("is_upper").Bool(),
              ReadNumber(reader.At("bound")), reader.At("is_relative").Bool()};
  reader.RefuseOthers();
  return limit;
}

Json ToJson(const RewardRule& rule) {
  return {{"formula", NameIn(kFormulas, rule.formula)},
          {"objectives", ListOf(rule.objectives, ObjectiveJson)},
          {"limits", ListOf(rule.limits, [](const Limit& limit) { return ToJson(limit); })},
          {"failure_reward", Number(rule.failure_reward)}};
}

RewardRule ReadRewardRule(JsonReader reader) {
  RewardRule rule{
      ReadWord(kFormulas, reader.At("formula")), ReadList(reader.At("objectives"), ReadObjective),
      ReadList(reader.At("limits"), ReadLimit), ReadNumber(reader.At("failure_reward"))};
  reader.RefuseOthers();
  return rule;
}

Json ToJson(const Task& task) {
  Json json = Json::object();
  json["id"] = task.id;
  json["domain"] = task.domain;
  json["options"] = MembersOf(task.options, kAsIs);
  json["candidate"] = ToJson(task.candidate);
  json["order"] = ListOf(task.order, [](Arm arm) { return Json(NameIn(kArms, arm)); });
  json["seed"] = task.seed;
  json["position"] = task.position;
  json["run_limit_ms"] = task.run_timeout.count();
  json["needs"] = ToJson(task.needs);
  json["priority"] = task.priority;
  json["most_attempts"] = task.max_attempts;
  if (!task.owner.empty()) json["owner"] = task.owner;
  if (!task.submitter.empty()) json["submitter"] = task.submitter;
  if (task.baseline) json["baseline"] = ToJson(*task.baseline);
  if (task.deadline) json["deadline_us"] = ToMicroseconds(*task.deadline);
  return json;
}

Task ReadTask(JsonReader reader) {
  Task task;
  task.id = reader.At("id").String();
  task.domain = reader.At("domain").String();
  task.options = ReadMembers(reader.At("options"), ReadString);
  task.candidate = ReadCandidate(reader.At("candidate"));
  if (reader.Has("baseline")) task.baseline = ReadCandidate(reader.At("baseline"));
  task.order =
      ReadList(reader.At("order"), [](JsonReader arm) { return ReadWord(kArms, std::move(arm)); });
  task.seed = reader.At("seed").Unsigned();
  task.position = reader.At("position").Integer();
  task.run_timeout = std::chrono::milliseconds{reader.At("run_limit_ms").Integer()};
  task.needs = ReadCapabilities(reader.At("needs"));
  task.priority = ReadInt(reader.At("priority"));
  if (reader.Has("deadline_us")) task.deadline = ReadTime(reader.At("deadline_us"));
  task.max_attempts = ReadInt(reader.At("most_attempts"));
  if (reader.Has("owner")) task.owner = reader.At("owner").String();
  if (reader.Has("submitter")) task.submitter = reader.At("submitter").String();
  reader.RefuseOthers();
  return task;
}

Json ToJson(const Sample& sample) {
  Json json = Json::object();
  json["arm"] = NameIn(kArms, sample.arm);
  json["metrics"] = MembersOf(sample.metrics, ReadingJson);
  json["observations"] = MembersOf(sample.observations, Number);
  json["marks"] = ListOf(sample.marks, kAsIs);
  json["started_us"] = ToMicroseconds(sample.started);
  json["duration_us"] = sample.duration.count();
  if (!sample.output.empty()) json["output"] = sample.output;
  return json;
}

Sample ReadSample(JsonReader reader) {
  Sample sample{ReadWord(kArms, reader.At("arm")),
                ReadMembers(reader.At("metrics"), ReadReading),
                ReadMembers(reader.At("observations"), ReadNumber),
                ReadList(reader.At("marks"), ReadString),
                ReadTime(reader.At("started_us")),
                std::chrono::microseconds{reader.At("duration_us").Integer()}};
  if (reader.Has("output")) sample.output = reader.At("output").String();
  reader.RefuseOthers();
  return sample;
}

Json ToJson(const Evaluation& evaluation) {
  Json json = Json::object();
  json["task"] = evaluation.task;
  json["outcome"] = NameOf(evaluation.outcome);
  json["reason"] = evaluation.reason;
  json["samples"] = ListOf(evaluation.samples, kAsRecord);
  json["metrics"] = ListOf(evaluation.metrics, kAsRecord);
  json["evidence"] = ListOf(evaluation.evidence, EvidenceJson);
  json["provenance"] = ProvenanceJson(evaluation.provenance);
  return json;
}

Evaluation ReadEvaluation(JsonReader reader) {
  Evaluation evaluation{reader.At("task").String(),
                        ReadOutcome(reader.At("outcome")),
                        reader.At("reason").String(),
                        ReadList(reader.At("samples"), ReadSample),
                        ReadList(reader.At("metrics"), ReadMetric),
                        ReadList(reader.At("evidence"), ReadEvidence),
                        ReadProvenance(reader.At("provenance"))};
  reader.RefuseOthers();
  return evaluation;
}

Result<Task> ParseTask(std::string_view text) { return ParseRecord(text, "task", ReadTask); }

Result<Evaluation> ParseEvaluation(std::string_view text) {
  return ParseRecord(text, "evaluation", ReadEvaluation);
}

std::string ToText(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss hour(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     hour.hours().count(), hour.minutes().count(), hour.seconds().count());
}

std::string IsoTime(WallTime time) {
  std::string text = ToText(time);
  text.pop_back();  // The Z.
  const auto fraction =
      ToMicroseconds(time) - ToMicroseconds(std::chrono::floor<std::chrono::seconds>(time));
  return fmt::format("{}.{:06}Z", text, fraction);
}

std::int64_t ToMicroseconds(WallTime time) { return time.time_since_epoch().count(); }

WallTime FromMicroseconds(std::int64_t microseconds) {
  return WallTime{std::chrono::microseconds{microseconds}};
}

}  // namespace hone
