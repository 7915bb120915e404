// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/eval_report.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "hone/base/json/evidence_json.h"
#include "hone/cli/text/readable.h"

namespace hone::cli {
namespace {

constexpr double kInterval = 1.96;  // Standard errors on each side: 95 %.

struct Number {
  double value = 0;
  double spread = 0;
};

std::optional<Number> MetricOf(const Json& evaluation, std::string_view name) {
  for (const Json& metric : evaluation["metrics"]) {
    if (metric["name"] != name || !metric["value"].is_number()) continue;
    return Number{metric["value"].get<double>(),
                  metric["spread"].is_number() ? metric["spread"].get<double>() : 0};
  }
  return std::nullopt;
}

// The median and the standard error of one metric of the only run, where the metric over runs has
// no spread of its own.
std::optional<Number> ReadingOf(const Json& evaluation, const std::string& name) {
  for (const Json& sample : evaluation["samples"]) {
    const auto& metrics = sample["metrics"];
    if (sample["arm"] != "candidate" || !metrics.contains(name)) continue;
    const Json& reading = metrics[name];
    if (!reading["value"].is_number() || !reading["spread"].is_number()) return std::nullopt;
    return Number{reading["value"].get<double>(), reading["spread"].get<double>()};
  }
  return MetricOf(evaluation, name);
}

std::string WithInterval(const Number& number, std::string_view unit) {
  const double half = kInterval * number.spread;
  if (half <= 0) return fmt::format("{:.4g}{}", number.value, unit);
  return fmt::format("{:.4g}{} [{:.4g}, {:.4g}]", number.value, unit, number.value - half,
                     number.value + half);
}

std::string Indented(std::string_view text) {
  std::string indented;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    indented += fmt::format("    {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return indented;
}

std::string TimesText(const Json& evaluation) {
  const auto time = ReadingOf(evaluation, "time");
  if (!time) return "";
  std::string text = fmt::format("  time       {}\n", WithInterval(*time, " ms"));
  if (const auto reference = ReadingOf(evaluation, "reference_time")) {
    text += fmt::format("  reference  {}\n", WithInterval(*reference, " ms"));
  }
  if (const auto speedup = ReadingOf(evaluation, "speedup")) {
    text += fmt::format("  speedup    {}\n", WithInterval(*speedup, "x"));
  }
  return text;
}

std::string PhasesText(const Json& phases) {
  if (phases.is_null()) return "";
  std::string text;
  for (const auto& [name, time] : phases.items()) {
    if (!time.is_number()) continue;
    text += fmt::format("{}{} {:.1f} ms", text.empty() ? "" : ", ", name, time.get<double>());
  }
  return text.empty() ? "" : fmt::format("  phases     {}\n", text);
}

std::string EvidenceText(const Json& evaluation) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kShown{
      {{"compiler output", "the compiler says"},
       {"difference", "the first difference"},
       {"exception", "the exception"},
       {"cheat", "the evidence"},
       {"problem", "about the problem"}}};
  std::string text;
  for (const Json& evidence : evaluation["evidence"]) {
    const std::string what = evidence["what"].get<std::string>();
    const std::string body = WithoutSeenLines(evidence["text"].get<std::string>(),
                                              evaluation["reason"].get<std::string>());
    if (what == "phases") text += PhasesText(ReadJsonEvidence({what, body}));
    for (const auto& [name, title] : kShown) {
      if (name == what && !body.empty()) text += fmt::format("  {}:\n{}", title, Indented(body));
    }
  }
  return text;
}

std::string OutcomeText(const std::string& outcome, const Ink& ink) {
  if (outcome == "accepted") return ink.Good(outcome);
  return outcome == "cheated" || outcome == "wrong" ? ink.Bad(outcome) : ink.Warning(outcome);
}

}  // namespace

std::string EvalReport(const Json& task, const Ink& ink) {
  if (task.contains("dropped")) {
    return fmt::format("{}: {}\n", ink.Bad("not judged"),
                       Printable(task["dropped"]["reason"].get<std::string>()));
  }
  if (!task.contains("evaluation")) return "not judged yet\n";
  const Json& evaluation = task["evaluation"];
  const std::string reason = evaluation["reason"].get<std::string>();
  std::string text = OutcomeText(evaluation["outcome"].get<std::string>(), ink);
  text += reason.empty() ? "\n" : fmt::format(": {}\n", Printable(reason));
  text += TimesText(evaluation);
  text += Printable(EvidenceText(evaluation));
  return text;
}

}  // namespace hone::cli
