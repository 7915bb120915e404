// SPDX-License-Identifier: Apache-2.0
#include "hone/server/environments/environment_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "hone/base/fresh_number.h"
#include "hone/base/json/parse_values.h"
#include "hone/base/json/records.h"
#include "hone/core/nearest.h"
#include "hone/server/service/v1_request.h"

namespace hone::server {
namespace {

constexpr std::int64_t kMaxEpisodeSteps = 1'000'000;
constexpr std::int64_t kMaxPairs = 100;
constexpr std::int64_t kMaxRunMs = 24LL * 3600 * 1000;
constexpr std::size_t kMaxAims = 32;         // Objectives, or limits.
constexpr std::size_t kMaxTextBytes = 4096;  // Of a value.
constexpr std::size_t kMaxTuple = 1024;      // Integers of a value.
constexpr std::size_t kMaxShownBytes = 40;   // Of a client's word, in a message.

// The two arms of a pair are swapped from one to the next, so that drift cancels.
std::vector<Arm> OrderOf(std::int64_t pairs) {
  std::vector<Arm> order;
  for (std::int64_t k = 0; k < pairs; ++k) {
    const bool is_even = k % 2 == 0;
    order.push_back(is_even ? Arm::kBaseline : Arm::kCandidate);
    order.push_back(is_even ? Arm::kCandidate : Arm::kBaseline);
  }
  return order;
}

// Texts such as the command line takes.
template <typename T, typename Parse>
std::vector<T> ReadAims(JsonReader reader, const char* name, Parse parse) {
  std::vector<T> aims;
  std::vector<JsonReader> items = reader.Items();
  if (items.empty() || items.size() > kMaxAims) {
    reader.Fail(fmt::format("expected 1 to {} texts, found {}", kMaxAims, items.size()));
    return aims;
  }
  for (JsonReader& item : items) {
    auto aim = parse(name, item.String());
    if (!aim) item.Fail(aim.error().message);
    if (aim) aims.push_back(std::move(*aim));
  }
  return aims;
}

void ReadEpisode(JsonReader& reader, EnvironmentRequest& request) {
  env::DomainEnvironmentSettings& settings = request.settings;
  request.seed = reader.Has("seed") ? reader.At("seed").Unsigned() : FreshNumber();
  if (reader.Has("max_steps"))
    settings.max_steps = ReadRange(reader.At("max_steps"), 1, kMaxEpisodeSteps);
  if (reader.Has("max_failures")) {
    settings.max_failures =
        static_cast<int>(ReadRange(reader.At("max_failures"), 1, kMaxEpisodeSteps));
  }
  if (reader.Has("pairs")) {
    const std::int64_t pairs = ReadRange(reader.At("pairs"), 1, kMaxPairs);
    if (reader.Finish()) settings.order = OrderOf(pairs);
  }
  if (reader.Has("run_limit_ms")) {
    settings.run_timeout =
        std::chrono::milliseconds{ReadRange(reader.At("run_limit_ms"), 1, kMaxRunMs)};
  }
}

const MetricFacts* FindMetric(const std::vector<MetricFacts>& metrics, const std::string& name) {
  const auto found = std::ranges::find(metrics, name, &MetricFacts::name);
  return found == metrics.end() ? nullptr : &*found;
}

Error NoSuchMetric(const std::string& name, const std::vector<MetricFacts>& metrics) {
  std::vector<std::string> names;
  names.reserve(metrics.size());
  for (const MetricFacts& metric : metrics) names.push_back(metric.name);
  return {Errc::kInvalidArgument, "body: " + NoSuch("metric", name, names)};
}

// A client whose language has one kind of number says 1 where 1.0 is meant.
Value Fitting(Value value, const Parameter& parameter) {
  const auto* const whole = std::get_if<std::int64_t>(&value);
  const bool is_meant_real = whole != nullptr &&
                             std::holds_alternative<RealRange>(parameter.kind) &&
                             !Space::IsSpecial(parameter, value);
  return is_meant_real ? Value(static_cast<double>(*whole)) : value;
}

// What would fill a message, and is no value of anything.
bool IsHuge(const Json& json) {
  if (json.is_string()) return json.get_ref<const std::string&>().size() > kMaxTextBytes;
  return json.size() > kMaxTuple;
}

std::string NoSuchParameter(const std::string& name, const Space& space) {
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) names.push_back(parameter.name);
  const std::string shown = name.substr(0, kMaxShownBytes);
  const auto nearest = Nearest(shown, names);
  return fmt::format("parameter {}: no such parameter{}", shown,
                     nearest ? fmt::format("; did you mean {}?", *nearest) : "");
}

std::vector<double> ReadByName(JsonReader reader, const Space& space) {
  Assignment assignment;
  for (auto& [name, item] : reader.Members()) {
    const auto index = space.IndexOf(name);
    if (!index) {
      reader.Fail(NoSuchParameter(name, space));
      return {};
    }
    if (IsHuge(item.Raw())) {
      item.Fail("longer than any value");
      return {};
    }
    assignment[name] = Fitting(ReadValue(item), space.parameters()[*index]);
  }
  if (!reader.Finish()) return {};
  if (const auto valid = space.Validate(assignment); !valid) {
    reader.Fail(valid.error().message);
    return {};
  }
  return space.ToUnit(assignment);
}

std::vector<double> ReadCoordinates(JsonReader reader, const Space& space) {
  std::vector<JsonReader> items = reader.Items();
  if (items.size() != space.UnitSize()) {
    reader.Fail(fmt::format("expected {} numbers, found {}", space.UnitSize(), items.size()));
    return {};
  }
  std::vector<double> unit;
  for (JsonReader& item : items) {
    const double number = item.Number();
    // Not a number is in no range.
    if (!(number >= 0 && number <= 1)) {
      item.Fail(fmt::format("{}: expected 0 to 1, found {}", CoordinateNames(space)[unit.size()],
                            number));
      return {};
    }
    unit.push_back(number);
  }
  return unit;
}

}  // namespace

std::vector<std::string> CoordinateNames(const Space& space) {
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) {
    const auto* const tuple = std::get_if<OrderedTuple>(&parameter.kind);
    if (tuple == nullptr) names.push_back(parameter.name);
    for (std::size_t k = 0; tuple != nullptr && k < tuple->arity; ++k) {
      names.push_back(fmt::format("{}/{}", parameter.name, k));
    }
  }
  return names;
}

Result<EnvironmentRequest> ReadEnvironment(JsonReader reader, Service& service, TokenRole role) {
  const auto asked = ReadAskedDomain(reader, service, role);
  if (!asked) return asked.error();
  EnvironmentRequest request;
  request.domain = asked->domain->name;
  request.needs_admin = asked->domain->needs_admin;
  request.owner = asked->owner;
  env::DomainEnvironmentSettings& settings = request.settings;
  if (reader.Has("options")) {
    settings.options = ReadOptionsOf(reader.At("options"), *asked->domain);
  }
  if (reader.Has("objectives")) {
    request.objectives = ReadAims<Objective>(reader.At("objectives"), "objectives", ParseObjective);
  }
  if (reader.Has("limits")) {
    settings.rule.limits = ReadAims<Limit>(reader.At("limits"), "limits", ParseLimit);
  }
  ReadEpisode(reader, request);
  reader.RefuseOthers();
  if (auto finished = reader.Finish(); !finished) return finished.error();
  return request;
}

Result<RewardRule> RuleOf(const EnvironmentRequest& request,
                          const std::vector<MetricFacts>& metrics) {
  RewardRule rule = request.settings.rule;
  rule.objectives = request.objectives;
  if (rule.objectives.empty() && !metrics.empty()) {
    rule.objectives.push_back({metrics.front().name, metrics.front().direction, 1});
  }
  for (Objective& objective : rule.objectives) {
    const MetricFacts* const metric = FindMetric(metrics, objective.metric);
    if (metric == nullptr) return NoSuchMetric(objective.metric, metrics);
    objective.direction = metric->direction;
  }
  for (const Limit& limit : rule.limits) {
    if (FindMetric(metrics, limit.metric) == nullptr) return NoSuchMetric(limit.metric, metrics);
  }
  return rule;
}

Result<AskedStep> ReadStep(JsonReader reader, const Space& space) {
  AskedStep step;
  JsonReader action = reader.At("action");
  step.action =
      action.Raw().is_array() ? ReadCoordinates(action, space) : ReadByName(action, space);
  if (reader.Has("step")) step.number = ReadRange(reader.At("step"), 1, kMaxEpisodeSteps);
  reader.RefuseOthers();
  if (auto finished = reader.Finish(); !finished) return finished.error();
  return step;
}

Result<std::optional<std::uint64_t>> ReadReset(const HttpRequest& request) {
  std::optional<std::uint64_t> seed;
  if (request.body.empty()) return seed;
  const auto json = ReadJsonBody(request, kMaxEnvironmentBody);
  if (!json) return json.error();
  JsonReader reader(*json, "body");
  if (reader.Has("seed")) seed = reader.At("seed").Unsigned();
  reader.RefuseOthers();
  if (auto finished = reader.Finish(); !finished) return finished.error();
  return seed;
}

}  // namespace hone::server
