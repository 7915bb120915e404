// SPDX-License-Identifier: Apache-2.0
// The older autotuner's files: workload_name, reward_metric, benchmark_command, action_space,
// state_space, training_config. docs/formats/workload.md says what becomes of each member.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "hone/domains/sysctl/workload/metric_reader.h"
#include "hone/domains/sysctl/workload/spec_parts.h"
#include "hone/domains/sysctl/workload/variables.h"

namespace hone::sysctl {
namespace {

constexpr std::chrono::milliseconds kOlderRunLimit{120'000};  // What it did where nothing was said.

// The metrics that the older autotuner could see; it took any other name for a constant 0.
const std::set<std::string>& OlderObservations() {
  static const std::set<std::string> names{"cpu_utilization", "io_wait",       "system_time",
                                           "mem_total",       "mem_available", "mem_utilization",
                                           "swap_total",      "swap_free"};
  return names;
}

std::vector<std::string> OthersThan(const JsonReader& reader, const std::set<std::string>& used) {
  std::vector<std::string> others;
  if (!reader.Raw().is_object()) return others;
  for (const auto& [name, value] : reader.Raw().items()) {
    if (!used.contains(name)) others.push_back(name);
  }
  return others;
}

void NoteOthers(const JsonReader& reader, const std::string& where,
                const std::set<std::string>& used, std::vector<std::string>& notes) {
  const auto others = OthersThan(reader, used);
  if (others.empty()) return;
  notes.push_back(fmt::format("{}: not used: {}", where, fmt::join(others, ", ")));
}

CommandSpec ReadOlderCommand(JsonReader reader) {
  const std::string text = reader.String();
  if (reader.Raw().is_string() && text.find_first_not_of(" \t\n") == std::string::npos) {
    reader.Fail("expected a text for the shell, found an empty one");
  }
  CommandSpec command;
  command.arguments = {"/bin/sh", "-c", Escape(text)};
  command.is_shell = true;
  return command;
}

MetricSpec ReadOlderMetric(JsonReader reader) {
  MetricSpec metric;
  metric.facts.name = ReadLabel(reader);
  metric.facts.description = "the reward_metric of the file";
  metric.extractor.form = Extractor::Form::kLabel;
  metric.extractor.text = metric.facts.name;
  if (metric.facts.name.find_first_of("<>=:,\"") != std::string::npos ||
      !CheckExtractor(metric.extractor, metric.facts.name)) {
    reader.Fail(
        fmt::format("the name of a metric has none of < > = : , \" and no blank at its "
                    "ends, found {}",
                    Quoted(metric.facts.name)));
  }
  return metric;
}

// A whole number may be written as 60.0 there.
std::int64_t ReadOlderWhole(JsonReader reader) {
  const double number = reader.Number();
  if (number != std::floor(number) || std::abs(number) > 9e15) {
    reader.Fail(fmt::format("expected a whole number, since the type is \"int\", found {}",
                            Dump(reader.Raw())));
    return 0;
  }
  return static_cast<std::int64_t>(number);
}

template <typename Range>
void RefuseBadRange(JsonReader& reader, const Range& range) {
  if (range.low > range.high) {
    reader.Fail(
        fmt::format("the range is reversed: min {} is above max {}", range.low, range.high));
  } else if (range.low == range.high) {
    reader.Fail(fmt::format("the range is empty: min and max are both {}", range.low));
  }
}

ParameterRequest ReadAction(JsonReader& reader, std::vector<std::string>& notes) {
  ParameterRequest request;
  request.name = ReadLabel(reader.At("param"));
  const std::string type = reader.Has("type") ? reader.At("type").String() : "int";
  if (type == "int") {
    const IntegerRange range{ReadOlderWhole(reader.At("min")), ReadOlderWhole(reader.At("max")), 1,
                             false};
    RefuseBadRange(reader, range);
    request.range = range;
  } else if (type == "float") {
    const RealRange range{reader.At("min").Number(), reader.At("max").Number(), 0, false};
    RefuseBadRange(reader, range);
    request.range = range;
  } else {
    reader.At("type").Fail(fmt::format("expected \"int\" or \"float\", found {}", Quoted(type)));
  }
  NoteOthers(reader, request.name, {"param", "min", "max", "type", "description"}, notes);
  return request;
}

std::vector<ParameterRequest> ReadActions(JsonReader reader, std::vector<std::string>& notes) {
  std::vector<ParameterRequest> requests;
  std::vector<std::string> names;
  for (JsonReader& item : reader.Items()) {
    requests.push_back(ReadAction(item, notes));
    RefuseTwice(names, requests.back().name, item);
    names.push_back(requests.back().name);
  }
  if (reader.Raw().is_array() && requests.empty()) {
    reader.Fail("expected at least one parameter to tune, found none");
  }
  return requests;
}

void ReadStates(JsonReader reader, std::vector<std::string>& notes) {
  std::vector<std::string> unknown;
  for (JsonReader& item : reader.Items()) {
    std::string name = item.At("metric").String();
    if (!OlderObservations().contains(name)) unknown.push_back(std::move(name));
  }
  if (!unknown.empty()) {
    notes.push_back(
        fmt::format("state_space: there is no {}; the older autotuner took 0 for it, always",
                    fmt::join(unknown, ", no ")));
  }
  notes.emplace_back(
      "state_space: every run records all observations, as changes over the run, whatever is "
      "listed");
}

double ReadPositive(JsonReader reader) {
  const double number = reader.Number();
  if (reader.Raw().is_number() && !(number > 0)) {
    reader.Fail(fmt::format("expected a number above 0, found {}", Dump(reader.Raw())));
  }
  return number;
}

// What set up the older learner, for the engine that is its successor.
std::map<std::string, std::string> ReadLearner(JsonReader reader, std::vector<std::string>& notes) {
  std::map<std::string, std::string> learner;
  std::vector<std::string> names;
  for (const char* name :
       {"batch_size", "gamma", "learning_rate", "max_steps_per_episode", "n_epochs", "n_steps"}) {
    if (!reader.Raw().is_object() || !reader.Has(name)) continue;
    const double number = ReadPositive(reader.At(name));
    learner[name] = fmt::format("{}", number);
    names.emplace_back(name);
  }
  if (!names.empty()) {
    notes.push_back(fmt::format("training_config: {}: for --engine ppo, not used by the others",
                                fmt::join(names, ", ")));
  }
  return learner;
}

BudgetSpec ReadTraining(JsonReader reader, std::vector<std::string>& notes) {
  BudgetSpec budget;
  budget.run_timeout = kOlderRunLimit;
  if (!reader.Raw().is_object()) reader.Members();  // Says what was expected.
  if (reader.Has("total_timesteps")) {
    budget.trials = reader.At("total_timesteps").Integer();
    if (*budget.trials < 1) ReadPositive(reader.At("total_timesteps"));
  }
  if (reader.Has("benchmark_timeout")) {
    const double seconds = std::min(ReadPositive(reader.At("benchmark_timeout")), 1e7);
    budget.run_timeout = std::chrono::milliseconds(std::llround(std::max(seconds * 1000, 1.0)));
  }
  NoteOthers(reader, "training_config",
             {"total_timesteps", "benchmark_timeout", "batch_size", "gamma", "learning_rate",
              "max_steps_per_episode", "n_epochs", "n_steps"},
             notes);
  return budget;
}

}  // namespace

WorkloadSpec ReadOlderSpec(JsonReader reader) {
  WorkloadSpec spec;
  spec.name = ReadLabel(reader.At("workload_name"));
  spec.benchmark = ReadOlderCommand(reader.At("benchmark_command"));
  spec.metrics = {ReadOlderMetric(reader.At("reward_metric"))};
  const std::string& metric = spec.metrics[0].facts.name;
  spec.notes = {
      "benchmark_command: runs in a shell, as the older autotuner ran it",
      fmt::format("reward_metric: {} is maximised; it is taken from a line \"{}: value\" (case, "
                  "blanks, - and _ alike), or is all that is printed, never the first number of "
                  "the output",
                  metric, metric)};
  spec.parameters = ReadActions(reader.At("action_space"), spec.notes);
  ReadStates(reader.At("state_space"), spec.notes);
  spec.budget.run_timeout = kOlderRunLimit;
  if (reader.Has("training_config")) {
    spec.learner = ReadLearner(reader.At("training_config"), spec.notes);
    spec.budget = ReadTraining(reader.At("training_config"), spec.notes);
  }
  NoteOthers(reader, "the file",
             {"workload_name", "reward_metric", "benchmark_command", "action_space", "state_space",
              "training_config"},
             spec.notes);
  return spec;
}

}  // namespace hone::sysctl
