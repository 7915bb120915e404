// SPDX-License-Identifier: Apache-2.0
// Metrics of a workload spec, and what is asked of them: objectives, limits, tripwires.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "hone/base/json/parse_values.h"
#include "hone/core/nearest.h"
#include "hone/domains/sysctl/workload/metric_reader.h"
#include "hone/domains/sysctl/workload/spec_parts.h"

namespace hone::sysctl {
namespace {

using Form = Extractor::Form;
constexpr std::array<std::pair<Form, const char*>, 4> kForms{{{Form::kLine, "line"},
                                                              {Form::kLabel, "label"},
                                                              {Form::kJsonPath, "json"},
                                                              {Form::kRegex, "regex"}}};
constexpr const char* kHigher = "higher_is_better";
constexpr const char* kLower = "lower_is_better";

// Names stand in limits ("p99_ms <= 20"), in lists and on lines.
std::string ReadMetricName(JsonReader reader) {
  std::string name = ReadLabel(reader);
  if (name.find_first_of("<>=:,\"") != std::string::npos || name.starts_with(' ') ||
      name.ends_with(' ')) {
    reader.Fail(
        fmt::format("the name of a metric has none of < > = : , \" and no blank at its "
                    "ends, found {}",
                    Quoted(name)));
  }
  return name;
}

Direction ReadDirection(JsonReader reader) {
  const std::string word = reader.String();
  if (word != kHigher && word != kLower) {
    reader.Fail(fmt::format("expected \"{}\" or \"{}\", found {}", kHigher, kLower, Quoted(word)));
  }
  return word == kLower ? Direction::kLowerIsBetter : Direction::kHigherIsBetter;
}

Extractor ReadExtractor(JsonReader& reader, const std::string& name) {
  Extractor extractor{Form::kLine, name, 1};
  std::vector<std::string> given;
  for (const auto& [form, word] : kForms) {
    if (!reader.Has(word)) continue;
    given.emplace_back(word);
    extractor.form = form;
    JsonReader text = reader.At(word);
    extractor.text = text.String();
    if (!text.Raw().is_string()) continue;
    if (const auto valid = CheckExtractor(extractor, name); !valid) {
      text.Fail(valid.error().message);
    }
  }
  if (given.size() > 1) {
    reader.Fail(
        fmt::format("is to be taken in two ways ({}): keep one of them", fmt::join(given, ", ")));
  }
  if (reader.Has("factor")) {
    extractor.factor = reader.At("factor").Number();
    if (!std::isfinite(extractor.factor) || extractor.factor == 0) {
      reader.At("factor").Fail("expected a number other than 0");
    }
  }
  return extractor;
}

MetricSpec ReadMetricSpec(JsonReader reader) {
  MetricSpec metric;
  RefuseUnknown(reader, "metric");
  metric.facts.name = ReadMetricName(reader.At("name"));
  metric.facts.direction = ReadDirection(reader.At("direction"));
  if (reader.Has("unit")) metric.facts.unit = reader.At("unit").String();
  if (reader.Has("description")) metric.facts.description = reader.At("description").String();
  metric.extractor = ReadExtractor(reader, metric.facts.name);
  return metric;
}

const MetricSpec* FindMetric(const std::vector<MetricSpec>& metrics, const std::string& name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const MetricSpec& metric) {
    return metric.facts.name == name;
  });
  return found == metrics.end() ? nullptr : &*found;
}

const MetricSpec* NeedMetric(const std::vector<MetricSpec>& metrics, const std::string& name,
                             JsonReader& reader) {
  const MetricSpec* metric = FindMetric(metrics, name);
  if (metric != nullptr) return metric;
  std::vector<std::string> known;
  known.reserve(metrics.size());
  for (const MetricSpec& each : metrics) known.push_back(each.facts.name);
  const auto nearest = Nearest(name, known);
  reader.Fail(fmt::format("{} is not a metric of this spec{} There are: {}", Quoted(name),
                          nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : ".",
                          fmt::join(known, ", ")));
  return nullptr;
}

Objective ReadObjective(JsonReader& reader, const std::vector<MetricSpec>& metrics) {
  Objective objective;
  if (reader.Raw().is_string()) {
    objective.metric = reader.String();
  } else {
    RefuseUnknown(reader, "objective");
    objective.metric = reader.At("metric").String();
    if (reader.Has("weight")) objective.weight = reader.At("weight").Number();
    if (!(objective.weight > 0) || !std::isfinite(objective.weight)) {
      reader.At("weight").Fail(
          fmt::format("expected a number above 0, found {}", Dump(reader.At("weight").Raw())));
    }
  }
  if (const MetricSpec* metric = NeedMetric(metrics, objective.metric, reader)) {
    objective.direction = metric->facts.direction;
  }
  return objective;
}

// What two limits on one metric leave no room for.
void RefuseClash(const Limit& one, const Limit& other, JsonReader& reader) {
  if (one.metric != other.metric || one.is_relative != other.is_relative) return;
  if (one.is_upper == other.is_upper) {
    reader.Fail(fmt::format("\"{}\" and \"{}\" limit the same: keep one of them", ToText(one),
                            ToText(other)));
  } else if ((one.is_upper ? one.bound < other.bound : one.bound > other.bound)) {
    reader.Fail(fmt::format("\"{}\" and \"{}\" cannot both hold", ToText(one), ToText(other)));
  }
}

double ReadPressure(JsonReader reader) {
  const Json& json = reader.Raw();
  const bool is_share = json.is_number() && json.get<double>() >= 0 && json.get<double>() <= 1;
  if (!is_share) {
    reader.Fail(
        fmt::format("expected a share of the time, 0 to 1, where 0 is off, found {}", Dump(json)));
    return 0;
  }
  return reader.Number();
}

// A live limit is judged line by line, while the benchmark runs and no baseline is at hand.
void RefuseNotLive(const Limit& limit, const std::vector<MetricSpec>& metrics, JsonReader& reader) {
  const MetricSpec* metric = FindMetric(metrics, limit.metric);
  if (metric == nullptr) return;
  if (limit.is_relative) {
    reader.Fail(
        fmt::format("\"{}\" is relative to the baseline, which is not known while the "
                    "benchmark runs: give a number",
                    ToText(limit)));
  }
  if (metric->extractor.form == Form::kJsonPath) {
    reader.Fail(
        fmt::format("{} is taken from JSON, which is there only at the end: a live limit "
                    "needs a metric that is taken from lines",
                    Quoted(limit.metric)));
  }
}

}  // namespace

std::vector<MetricSpec> ReadMetrics(JsonReader reader) {
  std::vector<MetricSpec> metrics;
  for (JsonReader& item : reader.Items()) {
    MetricSpec metric = ReadMetricSpec(item);
    if (FindMetric(metrics, metric.facts.name) != nullptr) {
      item.At("name").Fail(fmt::format("{} is there twice", Quoted(metric.facts.name)));
    }
    metrics.push_back(std::move(metric));
  }
  if (reader.Raw().is_array() && metrics.empty()) {
    reader.Fail("expected at least one metric, found none");
  }
  return metrics;
}

std::vector<Objective> ReadObjectives(JsonReader reader, const std::vector<MetricSpec>& metrics) {
  std::vector<Objective> objectives;
  for (JsonReader& item : reader.Items()) {
    Objective objective = ReadObjective(item, metrics);
    const bool is_twice =
        std::any_of(objectives.begin(), objectives.end(),
                    [&](const Objective& other) { return other.metric == objective.metric; });
    if (is_twice) item.Fail(fmt::format("{} is there twice", Quoted(objective.metric)));
    objectives.push_back(std::move(objective));
  }
  if (reader.Raw().is_array() && objectives.empty()) {
    reader.Fail(
        "expected at least one metric, found none; leave the member out to improve the first "
        "metric");
  }
  return objectives;
}

std::vector<Limit> ReadLimits(JsonReader reader, const std::vector<MetricSpec>& metrics) {
  std::vector<Limit> limits;
  for (JsonReader& item : reader.Items()) {
    if (!item.Raw().is_string()) {
      item.Fail(
          fmt::format("expected a limit such as \"p99_ms <= 20\", found {}", Dump(item.Raw())));
      return limits;
    }
    const auto limit = ParseLimit("", item.String());
    if (!limit) {
      item.Fail(
          fmt::format("expected a limit such as \"p99_ms <= 20\" or \"p99_ms <= 1.05x\", found {}",
                      Quoted(item.String())));
      return limits;
    }
    NeedMetric(metrics, limit->metric, item);
    for (const Limit& other : limits) RefuseClash(*limit, other, item);
    limits.push_back(*limit);
  }
  return limits;
}

TripwireSpec ReadTripwires(JsonReader reader, const std::vector<MetricSpec>& metrics) {
  TripwireSpec wires;
  RefuseUnknown(reader, "tripwires");
  if (reader.Has("memory_pressure")) {
    wires.memory_pressure = ReadPressure(reader.At("memory_pressure"));
  }
  if (reader.Has("oom")) wires.has_oom_wire = reader.At("oom").Bool();
  if (reader.Has("kernel_log")) wires.has_kernel_log_wire = reader.At("kernel_log").Bool();
  if (!reader.Has("live")) return wires;
  JsonReader live = reader.At("live");
  wires.live_limits = ReadLimits(live, metrics);
  std::vector<JsonReader> items = live.Items();
  for (std::size_t i = 0; i < wires.live_limits.size(); ++i) {
    RefuseNotLive(wires.live_limits[i], metrics, items[i]);
  }
  return wires;
}

Json MetricJson(const MetricSpec& metric) {
  Json json{{"name", metric.facts.name},
            {"direction", metric.facts.direction == Direction::kLowerIsBetter ? kLower : kHigher}};
  for (const auto& [form, word] : kForms) {
    if (form == metric.extractor.form) json[word] = metric.extractor.text;
  }
  if (!metric.facts.unit.empty()) json["unit"] = metric.facts.unit;
  if (!metric.facts.description.empty()) json["description"] = metric.facts.description;
  if (metric.extractor.factor != 1) json["factor"] = metric.extractor.factor;
  return json;
}

Json ObjectiveJson(const Objective& objective) {
  if (objective.weight == 1) return objective.metric;
  return {{"metric", objective.metric}, {"weight", objective.weight}};
}

Json TripwiresJson(const TripwireSpec& tripwires) {
  Json json{{"memory_pressure", tripwires.memory_pressure},
            {"oom", tripwires.has_oom_wire},
            {"kernel_log", tripwires.has_kernel_log_wire}};
  if (!tripwires.live_limits.empty()) {
    json["live"] = Json::array();
    for (const Limit& limit : tripwires.live_limits) json["live"].push_back(ToText(limit));
  }
  return json;
}

}  // namespace hone::sysctl
