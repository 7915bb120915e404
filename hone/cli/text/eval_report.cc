// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/eval_report.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hone/base/json/evidence_json.h"
#include "hone/cli/text/readable.h"
#include "hone/measure/distributions.h"

namespace hone::cli {
namespace {

constexpr double kMsPerNs = 1e-6;

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

std::string WithInterval(double value, double low, double high, std::string_view unit) {
  if (high <= low) return fmt::format("{:.4g}{}", value, unit);
  return fmt::format("{:.4g}{} [{:.4g}, {:.4g}]", value, unit, low, high);
}

std::string WithInterval(const Number& number, std::string_view unit) {
  const double half = kErrorsOf95 * number.spread;
  return WithInterval(number.value, number.value - half, number.value + half, unit);
}

// Null if there is none of this name that is JSON.
Json JsonEvidenceOf(const Json& evaluation, std::string_view what) {
  for (const Json& evidence : evaluation["evidence"]) {
    if (evidence["what"] != what) continue;
    return ReadJsonEvidence({std::string(what), evidence["text"].get<std::string>()});
  }
  return nullptr;
}

// With the judge's own interval, where it is told (`scale`: of its unit): that of a quotient is not
// as wide on both sides, and few calls have none.
std::string WithToldInterval(const Json& times, const char* path, double scale,
                             const Number& number, std::string_view unit) {
  const Json::json_pointer where(path);
  if (!times.contains(where)) return WithInterval(number, unit);
  const Json& told = times.at(where);
  if (told.is_null()) {
    return fmt::format("{:.4g}{} (too few calls for an interval)", number.value, unit);
  }
  const bool is_interval =
      told.is_array() && told.size() == 2 && told[0].is_number() && told[1].is_number();
  if (!is_interval) return WithInterval(number, unit);
  return WithInterval(number.value, scale * told[0].get<double>(), scale * told[1].get<double>(),
                      unit);
}

// "memcheck clean, racecheck not finished", of all calls together.
std::string SanitizerText(const Json& evaluation) {
  const Json told = JsonEvidenceOf(evaluation, "sanitizer");
  if (told.is_null() || !told.contains("calls") || !told["calls"].is_array()) return "";
  std::map<std::string, std::string> tools;
  for (const Json& call : told["calls"]) {
    const auto words = call.find("tools");
    if (words == call.end() || !words->is_object()) continue;
    for (const auto& [tool, word] : words->items()) {
      std::string& so_far = tools[tool];
      if (word.is_string() && (so_far.empty() || so_far == "clean"))
        so_far = word.get<std::string>();
    }
  }
  std::string text;
  for (const auto& [tool, word] : tools) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", tool, word);
  }
  return text.empty() ? "" : fmt::format("  sanitizer  {}\n", text);
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

// A number of the report, and where the judge tells its interval.
struct NamedReading {
  const char* title;
  const char* metric;
  const char* interval;
  double scale;
  const char* unit;
};

constexpr std::array<NamedReading, 3> kLines{
    {{"time", "time", "/candidate/interval_ns", kMsPerNs, " ms"},
     {"reference", "reference_time", "/reference/interval_ns", kMsPerNs, " ms"},
     {"speedup", "speedup", "/speedup_interval", 1, "x"}}};

std::string TimesText(const Json& evaluation) {
  if (!ReadingOf(evaluation, "time")) return "";
  const Json times = JsonEvidenceOf(evaluation, "times");
  std::string text;
  for (const NamedReading& line : kLines) {
    const auto number = ReadingOf(evaluation, line.metric);
    if (!number) continue;
    text += fmt::format("  {:<9}  {}\n", line.title,
                        WithToldInterval(times, line.interval, line.scale, *number, line.unit));
  }
  return text + SanitizerText(evaluation);
}

// In what it was judged otherwise than the problem says.
std::string DeviationsText(const Json& evaluation) {
  const auto feedback = evaluation.find("feedback");
  if (feedback == evaluation.end() || !feedback->is_object()) return "";
  const auto terms = feedback->find("terms");
  if (terms == feedback->end()) return "";
  std::string text;
  for (const Json& one : (*terms)["deviations"]) {
    text += fmt::format("  deviation  {}\n", one.get<std::string>());
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

// Then a line of its own says it.
bool IsJson(const std::string& what, const std::string& body) {
  return !ReadJsonEvidence({what, body}).is_null();
}

std::string EvidenceText(const Json& evaluation) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kShown{
      {{"compiler output", "the compiler says"},
       {"difference", "the first difference"},
       {"exception", "the exception"},
       {"cheat", "the evidence"},
       {"sanitizer", "the sanitizer says"},
       {"machine", "about the machine"},
       {"problem", "about the problem"}}};
  std::string text;
  for (const Json& evidence : evaluation["evidence"]) {
    const std::string what = evidence["what"].get<std::string>();
    const std::string body = WithoutSeenLines(evidence["text"].get<std::string>(),
                                              evaluation["reason"].get<std::string>());
    if (what == "phases") text += PhasesText(ReadJsonEvidence({what, body}));
    for (const auto& [name, title] : kShown) {
      if (name == what && !body.empty() && !IsJson(what, body))
        text += fmt::format("  {}:\n{}", title, Indented(body));
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
  text += Printable(DeviationsText(evaluation));
  text += TimesText(evaluation);
  text += Printable(EvidenceText(evaluation));
  return text;
}

}  // namespace hone::cli
