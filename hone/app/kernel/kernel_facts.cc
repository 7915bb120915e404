// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kernel/kernel_facts.h"

#include <fmt/format.h>

#include <string_view>

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

// Where no feedback was kept, the reason is all there is.
std::string FeedbackIn(const Json& evaluation) {
  const auto found = evaluation.find("feedback");
  const bool is_told = found != evaluation.end() && found->is_object() && found->contains("text") &&
                       (*found)["text"].is_string();
  return is_told ? (*found)["text"] : evaluation["reason"];
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
  facts.feedback = FeedbackIn(evaluation);
  ReadInterval(evaluation, facts);
  return facts;
}

}  // namespace hone::app
