// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/watch_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "hone/base/json/records.h"
#include "hone/tune/campaign/statistics_json.h"

namespace hone::cli {
namespace {

using Kind = tune::WatchEvent::Kind;
std::string GainText(const tune::WatchGain& gain, const tune::RewardWords& words) {
  std::string text = fmt::format("{} {}", words.MetricChange(gain.effect), words.subject());
  if (gain.interval.IsBounded()) text += " " + words.MetricRange(gain.interval);
  if (gain.pairs > 0) {
    text += fmt::format(", {} pair{}", gain.pairs, gain.pairs == 1 ? "" : "s");
  }
  return text;
}

std::string WatchOutcomeText(const tune::WatchEvent& event, const tune::RewardWords& words) {
  std::string text = event.reason;
  if (event.gain) text += (text.empty() ? "" : ": ") + GainText(*event.gain, words);
  return text;
}

std::string LevelText(const tune::WatchEvent& event) {
  std::string text = "typical run:";
  for (const auto& [name, value] : event.metrics) text += fmt::format(" {}={:.6g}", name, value);
  if (event.gain) {
    text += fmt::format("; a run strays by {:.1f} %", 100 * std::expm1(event.gain->effect));
  }
  return text;
}

std::string WatchEndText(const tune::WatchEvent& event) {
  return event.reason.empty() ? "the watch ends" : "the watch ends: " + event.reason;
}

// The word that leads the line, and the rest of it.
std::pair<std::string, std::string> WatchEventText(const tune::WatchEvent& event,
                                                   const tune::RewardWords& words, const Ink& ink) {
  switch (event.kind) {
    case Kind::kStart:
      return {"start", event.reason.empty() ? "learning the level" : event.reason};
    case Kind::kRun:
      return {};
    case Kind::kLevel:
      return {"level", LevelText(event)};
    case Kind::kAdopted:
      return {ink.Good("adopted"), event.what + ": " + WatchOutcomeText(event, words)};
    case Kind::kDropped:
      return {ink.Faint("dropped"), event.what + ": " + WatchOutcomeText(event, words)};
    case Kind::kHarm:
      return {ink.Bad("harm"),
              event.what + ": " + WatchOutcomeText(event, words) + "; reverted at once"};
    case Kind::kProven:
      return {ink.Good("proven"), "against the originals: " + WatchOutcomeText(event, words)};
    case Kind::kReverted:
      return {ink.Bad("reverted"), event.what + ": " + WatchOutcomeText(event, words)};
    case Kind::kShift:
      return {ink.Warning("shift"),
              fmt::format("the workload has changed: {} {} in what is in force; tuning starts anew",
                          words.MetricChange(event.gain->effect), words.subject())};
    case Kind::kStrained:
      return {ink.Warning("strained"), "the originals break a limit: " + event.reason +
                                           "; nothing is tried until they keep it"};
    case Kind::kSuspicious:
      return {ink.Warning("suspicious"), event.reason + "; nothing is tried while that is so"};
    case Kind::kFailed:
      return {ink.Warning("failed"), event.what + (event.what.empty() ? "" : ": ") + event.reason};
    case Kind::kResting:
      return {"resting", "nothing is to be gained now; only measuring"};
    case Kind::kEnd:
      return {"end", WatchEndText(event)};
  }
  return {};
}

std::string ObjectivesText(const RewardRule& rule) {
  std::string text;
  for (const Objective& objective : rule.objectives) {
    text += fmt::format("{}{} ({} is better)", text.empty() ? "" : ", ", objective.metric,
                        objective.direction == Direction::kLowerIsBetter ? "lower" : "higher");
  }
  return text;
}

double PercentOf(double reward) { return 100 * std::expm1(reward); }

std::string SuspiciousHeadline(const tune::WatchSummary& summary, const tune::RewardWords& words) {
  const std::string why = fmt::format("{}", fmt::join(summary.suspicions, "; "));
  if (summary.gain) {
    return fmt::format("Suspicious: {} over the originals, but {}", GainText(*summary.gain, words),
                       why);
  }
  return fmt::format("Suspicious: {}. Its score may be computed instead of measured{}.", why,
                     summary.in_force == summary.originals ? "; nothing is adopted" : "");
}

// The first sentence about the whole watch, made of what was done and of nothing else.
std::string WatchHeadline(const tune::WatchSummary& summary, const tune::RewardWords& words,
                          const Ink& ink) {
  if (!summary.does_not_run.empty()) {
    return ink.Warning(
        fmt::format("Does not run: {}. Make it run, then watch it.", summary.does_not_run));
  }
  if (!summary.suspicions.empty()) return ink.Warning(SuspiciousHeadline(summary, words));
  if (summary.gain) {
    return ink.Good("Gain: " + GainText(*summary.gain, words) + " over the originals");
  }
  if (summary.in_force != summary.originals) {
    return ink.Bold("Steps were adopted, but not yet proven against the originals as a whole.");
  }
  if (summary.tried == 0) {
    return ink.Bold(
        "Nothing was tried: whether anything serves better than the originals cannot "
        "be said.");
  }
  return ink.Bold("No change: the originals are what served best, or could not be beaten.");
}

}  // namespace

std::string WatchPlanText(const tune::WatchSubject& subject, const tune::WatchSettings& settings) {
  TableRows rows{{"improves", ObjectivesText(subject.rule)}};
  for (const Limit& limit : subject.rule.limits) rows.push_back({"limit", ToText(limit)});
  rows.push_back({"steps", fmt::format("of {:.0f} % of a range, at most {:.0f} % from what is in "
                                       "force now; kept from a gain of {:.1f} %",
                                       100 * settings.steps.length, 100 * settings.steps.radius,
                                       PercentOf(settings.min_gain))});
  rows.push_back({"harm", fmt::format("a limit broken, a run that fails or loses {:.0f} %, or a "
                                      "step that is worse: reverted at once",
                                      -PercentOf(-settings.max_loss))});
  return fmt::format("Watching {}: {}\n", subject.domain,
                     tune::CountText(std::ssize(subject.space.parameters()), "parameter")) +
         TableText(rows);
}

std::string EventLine(const tune::WatchEvent& event, const Candidate& originals,
                      const tune::RewardWords& words, const Ink& ink) {
  const auto [word, text] = WatchEventText(event, words, ink);
  if (word.empty()) return "";
  const std::string in_force =
      event.in_force == originals ? "the originals" : ReadableChange(originals, event.in_force);
  return fmt::format("{} {} {} | in force: {}\n", ToText(event.time), word, text, in_force);
}

std::string WatchSummaryText(const tune::WatchSummary& summary, const tune::RewardWords& words,
                             const Ink& ink) {
  std::string text = WatchHeadline(summary, words, ink) + '\n' + EvidenceText(summary.output);
  text +=
      fmt::format("  {}, {}: {} tried, {} adopted, {} did harm\n",
                  tune::CountText(summary.rounds, "round"), tune::CountText(summary.runs, "run"),
                  tune::CountText(summary.tried, "step"), summary.adopted, summary.harms);
  text += fmt::format("  {} of the workload, {} back to the originals, {}\n",
                      tune::CountText(summary.shifts, "shift"),
                      tune::CountText(summary.reverted, "time"),
                      tune::CountText(summary.failures, "failure"));
  return text;
}

std::string SettingsText(const tune::WatchSummary& summary) {
  std::string doubts;
  for (const std::string& suspicion : summary.suspicions) {
    doubts += fmt::format("# Suspicious: {}; its gain may be no gain.\n", suspicion);
  }
  std::string text;
  for (const auto& [name, value] : summary.in_force.assignment) {
    const auto before = summary.originals.assignment.find(name);
    if (before != summary.originals.assignment.end() && before->second == value) continue;
    text += fmt::format("{} = {}\n", name, ToText(value));
  }
  return doubts + (text.empty() ? "# No change: the originals stay.\n" : text);
}

Json ToJson(const tune::WatchSummary& summary) {
  Json json{{"rounds", summary.rounds},
            {"runs", summary.runs},
            {"tried", summary.tried},
            {"adopted", summary.adopted},
            {"harms", summary.harms},
            {"reverted", summary.reverted},
            {"shifts", summary.shifts},
            {"failures", summary.failures},
            {"originals", ToJson(summary.originals)},
            {"in_force", ToJson(summary.in_force)},
            {"gain", nullptr},
            {"suspicions", summary.suspicions},
            {"does_not_run", summary.does_not_run},
            {"output", Json::array()}};
  for (const Evidence& evidence : summary.output) {
    json["output"].push_back({{"what", evidence.what}, {"text", evidence.text}});
  }
  if (summary.gain) {
    json["gain"] = {{"effect", summary.gain->effect},
                    {"interval", tune::ToJson(summary.gain->interval)},
                    {"pairs", summary.gain->pairs}};
  }
  return json;
}

}  // namespace hone::cli
