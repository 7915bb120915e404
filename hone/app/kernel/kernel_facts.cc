// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kernel/kernel_facts.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "hone/base/json/evidence_json.h"

namespace hone::app {
namespace {

std::optional<double> MetricIn(const Json& evaluation, const std::string& name) {
  for (const Json& metric : evaluation["metrics"]) {
    if (metric["name"] == name && metric["value"].is_number()) return metric["value"];
  }
  for (const Json& sample : evaluation["samples"]) {
    const Json& metrics = sample["metrics"];
    if (sample["arm"] != "candidate" || !metrics.contains(name)) continue;
    if (metrics[name]["value"].is_number()) return metrics[name]["value"];
  }
  return std::nullopt;
}

std::string EvidenceIn(const Json& evaluation, std::string_view what) {
  for (const Json& evidence : evaluation["evidence"]) {
    if (evidence["what"] == what) return evidence["text"];
  }
  return "";
}

void ReadInterval(const Json& evaluation, KernelFacts& facts) {
  const Json times = ReadJsonEvidence({"times", EvidenceIn(evaluation, "times")});
  if (times.is_null() || !times.contains("speedup_interval")) return;
  const Json& interval = times["speedup_interval"];
  const bool is_interval = interval.is_array() && interval.size() == 2 && interval[0].is_number() &&
                           interval[1].is_number();
  if (!is_interval) return;
  facts.speedup_low = interval[0];
  facts.speedup_high = interval[1];
}

std::vector<std::pair<std::string, std::string>> ComplaintsIn(const Json& evaluation) {
  static constexpr std::array<const char*, 5> kKinds{"compiler output", "difference", "exception",
                                                     "cheat", "sanitizer"};
  std::vector<std::pair<std::string, std::string>> complaints;
  for (const char* const kind : kKinds) {
    std::string words = EvidenceIn(evaluation, kind);
    const bool is_plain = ReadJsonEvidence({kind, words}).is_null();
    if (!words.empty() && is_plain) complaints.emplace_back(kind, std::move(words));
  }
  return complaints;
}

}  // namespace

Result<KernelFacts> KernelFactsOf(const Json& task) {
  if (!task.contains("evaluation")) {
    const std::string why =
        task.contains("dropped") ? task["dropped"]["reason"].get<std::string>() : "no verdict";
    return Error{Errc::kUnavailable, fmt::format("not judged: {}", why)};
  }
  const Json& evaluation = task["evaluation"];
  const auto outcome = OutcomeNamed(evaluation["outcome"].get<std::string>());
  if (!outcome) return outcome.error();
  KernelFacts facts;
  facts.outcome = *outcome;
  facts.reason = evaluation["reason"];
  facts.speedup = MetricIn(evaluation, "speedup");
  facts.time_ms = MetricIn(evaluation, "time");
  facts.reference_ms = MetricIn(evaluation, "reference_time");
  facts.complaints = ComplaintsIn(evaluation);
  ReadInterval(evaluation, facts);
  return facts;
}

}  // namespace hone::app
