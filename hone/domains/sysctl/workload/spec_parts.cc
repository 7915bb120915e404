// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/spec_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hone/base/json/parse_values.h"
#include "hone/core/nearest.h"

namespace hone::sysctl {

const std::map<std::string, std::vector<std::string>>& SpecMembers() {
  static const std::map<std::string, std::vector<std::string>> members{
      {"workload",
       {"name",       "description", "target",        "programs",   "packages",   "setup",
        "teardown",   "service",     "before_run",    "benchmark",  "page_cache", "metrics",
        "objectives", "front",       "constraints",   "parameters", "tripwires",  "budget",
        "words",      "notes",       "service_files", "guest"}},
      {"command", {"command", "shell", "environment", "folder", "cpus", "limit"}},
      {"service", {"start", "stop", "ready", "ready_port", "ready_within", "restart"}},
      {"metric",
       {"name", "unit", "direction", "description", "line", "label", "json", "regex", "factor"}},
      {"objective", {"metric", "weight"}},
      {"parameter",
       {"name", "low", "high", "step", "log", "values", "parts", "special", "allow_unknown",
        "allow_disruptive"}},
      {"range", {"low", "high", "step", "log"}},
      {"special", {"value", "meaning"}},
      {"guest", {"files", "initramfs", "disk", "needs", "memory_mib"}},
      {"tripwires", {"memory_pressure", "oom", "kernel_log", "live"}},
      {"budget",
       {"trials", "time", "run_limit", "expected_run", "least_pairs", "most_pairs", "gate_pairs"}},
  };
  return members;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kMax = 60;
  return Dump(
      Json(text.size() <= kMax ? std::string(text) : std::string(text.substr(0, kMax)) + "…"));
}

void RefuseUnknown(JsonReader& reader, const std::string& kind) {
  const std::vector<std::string>& known = SpecMembers().at(kind);
  for (const auto& [name, value] : reader.Members()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto nearest = Nearest(name, known);
    const std::string guess = nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : ".";
    return reader.Fail(fmt::format("the member {} is not known here{} Allowed are: {}",
                                   Quoted(name), guess, fmt::join(known, ", ")));
  }
}

std::string ReadLabel(JsonReader reader) {
  std::string text = reader.String();
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (reader.Raw().is_string() &&
      (text.empty() || std::any_of(text.begin(), text.end(), is_control))) {
    reader.Fail(
        fmt::format("expected a text of one line that is not empty, found {}", Quoted(text)));
  }
  return text;
}

std::chrono::milliseconds ReadDuration(JsonReader reader) {
  constexpr std::string_view kExpected = "a time above zero such as \"90s\", \"10m\" or \"250ms\"";
  if (!reader.Raw().is_string()) {
    reader.Fail(fmt::format("expected {}, found {}", kExpected, Dump(reader.Raw())));
    return {};
  }
  const std::string text = reader.String();
  const auto duration = ParseDuration("", text);
  if (!duration || duration->count() == 0) {
    reader.Fail(fmt::format("expected {}, found {}", kExpected, Quoted(text)));
    return {};
  }
  return *duration;
}

std::vector<std::string> ReadLabels(JsonReader reader) {
  std::vector<std::string> labels;
  for (JsonReader& item : reader.Items()) {
    std::string label = ReadLabel(item);
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) {
      item.Fail(fmt::format("{} is there twice", Quoted(label)));
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

namespace {

std::int64_t ReadCount(JsonReader reader) {
  constexpr std::int64_t kMax = 1'000'000'000;
  if (!reader.Raw().is_number_integer() || reader.Integer() < 1 || reader.Integer() > kMax) {
    reader.Fail(
        fmt::format("expected a whole number, 1 to {}, found {}", kMax, Dump(reader.Raw())));
    return 1;
  }
  return reader.Integer();
}

}  // namespace

BudgetSpec ReadBudget(JsonReader reader) {
  BudgetSpec budget;
  const auto count = [&](const char* name) {
    return reader.Has(name) ? std::optional(ReadCount(reader.At(name))) : std::nullopt;
  };
  RefuseUnknown(reader, "budget");
  budget.trials = count("trials");
  if (reader.Has("time")) {
    budget.time = std::chrono::ceil<std::chrono::seconds>(ReadDuration(reader.At("time")));
  }
  if (reader.Has("run_limit")) budget.run_timeout = ReadDuration(reader.At("run_limit"));
  if (reader.Has("expected_run")) budget.expected_run = ReadDuration(reader.At("expected_run"));
  budget.min_pairs = count("least_pairs");
  budget.max_pairs = count("most_pairs");
  budget.gate_pairs = count("gate_pairs");
  if (budget.min_pairs && budget.max_pairs && *budget.min_pairs > *budget.max_pairs) {
    reader.Fail(
        fmt::format("least_pairs {} is above most_pairs {}", *budget.min_pairs, *budget.max_pairs));
  }
  return budget;
}

Json BudgetJson(const BudgetSpec& budget) {
  Json json{{"run_limit", fmt::format("{}ms", budget.run_timeout.count())}};
  if (budget.trials) json["trials"] = *budget.trials;
  if (budget.time) json["time"] = fmt::format("{}s", budget.time->count());
  if (budget.expected_run) {
    json["expected_run"] = fmt::format("{}ms", budget.expected_run->count());
  }
  if (budget.min_pairs) json["least_pairs"] = *budget.min_pairs;
  if (budget.max_pairs) json["most_pairs"] = *budget.max_pairs;
  if (budget.gate_pairs) json["gate_pairs"] = *budget.gate_pairs;
  return json;
}

}  // namespace hone::sysctl
