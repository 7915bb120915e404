// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/campaign_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "hone/cli/text/readable.h"
#include "hone/tune/campaign/ablation.h"
#include "hone/tune/campaign/campaign_power.h"
#include "hone/tune/campaign/conclusion.h"
#include "hone/tune/campaign/proof.h"
#include "hone/tune/campaign/time_plan.h"

namespace hone::cli {
namespace {

constexpr std::size_t kMaxOptionShown = 60;  // A whole workload is shown elsewhere.

std::string Level(const tune::CampaignSpec& spec) {
  return fmt::format("{:g} %", 100 * spec.proof.confidence);
}

std::string ValueIn(const Candidate& candidate, const std::string& name) {
  const auto found = candidate.assignment.find(name);
  return found == candidate.assignment.end() ? "(not set)" : ReadableValue(found->second);
}

TableRows ChangeRows(const CampaignSummary& summary, const tune::Verdict& verdict) {
  const tune::RewardWords words(summary.spec.rule);
  const Candidate& winner = verdict.proof->candidate;
  std::vector<std::string> names;
  TableRows rows{{"parameter", "from", "to", "worth"}};
  for (const tune::ParameterEffect& effect : verdict.effects) {
    names.push_back(effect.name);
    rows.push_back({effect.name, ValueIn(summary.baseline, effect.name),
                    ValueIn(winner, effect.name),
                    fmt::format("{} {}", words.MetricChange(effect.effect.effect),
                                words.MetricRange(effect.effect.interval))});
  }
  const auto changed = tune::ChangedParameters(summary.baseline, winner);
  const char* const unknown = changed.size() == 1 ? "the whole gain" : "not measured";
  for (const std::string& name : changed) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    rows.push_back({name, ValueIn(summary.baseline, name), ValueIn(winner, name), unknown});
  }
  return rows;
}

TableRows LimitRows(const std::vector<tune::LimitCheck>& limits) {
  TableRows rows;
  for (const tune::LimitCheck& check : limits) {
    rows.push_back({ToText(check.limit), check.holds ? "holds" : "not shown to hold",
                    fmt::format("{:.1f} % to spare [{}, {}]", 100 * check.margin.effect,
                                tune::SignedPercent(100 * check.margin.interval.low),
                                tune::SignedPercent(100 * check.margin.interval.high))});
  }
  return rows;
}

TableRows ObjectiveRows(const tune::CampaignSpec& spec, const tune::Proof& proof) {
  TableRows rows;
  for (std::size_t i = 0; i < proof.objectives.size(); ++i) {
    const PairedTest& test = proof.objectives[i].test;
    const tune::RewardWords words = tune::WordsFor(spec.rule.objectives[i]);
    rows.push_back({proof.objectives[i].metric, words.MetricChange(test.effect),
                    words.MetricRange(test.interval), tune::PText(test.p_value)});
  }
  return rows;
}

std::string_view BetterText(const tune::Proof& point) {
  if (point.is_gain) return "yes";
  return tune::KeepsLimits(point) ? "not shown" : "not shown (limit)";
}

std::string FrontLimitsText(const std::vector<tune::Proof>& front) {
  TableRows rows;
  for (std::size_t i = 0; i < front.size(); ++i) {
    for (std::vector<std::string>& cells : LimitRows(front[i].limits)) {
      cells.insert(cells.begin(), fmt::format("point {}", i + 1));
      rows.push_back(std::move(cells));
    }
  }
  return rows.empty() ? "" : "\nLimits\n" + TableText(rows);
}

std::string FrontText(const CampaignSummary& summary, const tune::Verdict& verdict) {
  TableRows rows{{"point"}};
  for (const Objective& objective : summary.spec.rule.objectives) {
    rows.front().push_back(objective.metric);
  }
  rows.front().insert(rows.front().end(), {"p (Holm)", "better", "change"});
  for (std::size_t i = 0; i < verdict.front.size(); ++i) {
    const tune::Proof& proof = verdict.front[i];
    std::vector<std::string> row{fmt::format("{}", i + 1)};
    for (const auto& cells : ObjectiveRows(summary.spec, proof)) {
      row.push_back(cells[1] + " " + cells[2]);
    }
    row.insert(row.end(), {tune::PText(proof.adjusted_p).substr(2), std::string(BetterText(proof)),
                           ReadableChange(summary.baseline, proof.candidate)});
    rows.push_back(std::move(row));
  }
  return TableText(rows) + FrontLimitsText(verdict.front);
}

// What was found out about the winner: its changes, what they are worth, whether limits hold.
std::string ProofText(const CampaignSummary& summary, const tune::Verdict& verdict) {
  std::string text;
  const bool is_comparison = summary.spec.comparison.has_value();
  const bool is_gain = tune::HasGain(verdict) && !is_comparison;
  if (is_comparison) text += "\n" + ComparedText(summary.spec, summary.baseline);
  if (is_gain) text += "\nChanges\n" + TableText(ChangeRows(summary, verdict));
  if (!is_gain && !is_comparison) {
    text += fmt::format("\nTried last: {}\n",
                        ReadableChange(summary.baseline, verdict.proof->candidate));
  }
  if (!verdict.dropped.empty()) {
    text += fmt::format("  dropped, because that costs nothing that can be seen: {}\n",
                        fmt::join(verdict.dropped, ", "));
  }
  if (summary.spec.rule.objectives.size() > 1) {
    text += "\nObjectives\n" + TableText(ObjectiveRows(summary.spec, *verdict.proof));
  }
  if (!verdict.proof->limits.empty()) {
    text += "\nLimits\n" + TableText(LimitRows(verdict.proof->limits));
  }
  return text;
}

std::string CounterText(const tune::CounterReport& report) {
  if (report.changes.empty()) return "";
  TableRows rows{{"in a run", "from", "to", "change", ""}};
  for (const tune::CounterChange& counter : report.changes) {
    const PairedTest& test = counter.change;
    rows.push_back({counter.title, tune::LevelText(counter, counter.baseline),
                    tune::LevelText(counter, counter.candidate),
                    fmt::format("{} [{}, {}]", tune::ChangeText(counter, test.effect),
                                tune::ChangeText(counter, test.interval.low),
                                tune::ChangeText(counter, test.interval.high)),
                    tune::MeaningText(counter)});
  }
  std::string text = "\nWhat moved with it (counters tell how, and decide nothing)\n";
  text += TableText(rows);
  if (!report.missing.empty()) text += fmt::format("  not counted: {}\n", report.missing);
  return text;
}

// The beginning of what a failure said, on one line.
std::string Shortened(std::string reason) {
  constexpr std::size_t kMax = 150;
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return FitInto(Printable(reason), kMax);
}

std::string SpentText(const CampaignSummary& summary) {
  TableRows rows;
  const bool is_comparison = summary.spec.comparison.has_value();
  if (summary.verdict && summary.verdict->detectable > 0) {
    const std::string size = fmt::format("{:.1f} %", tune::ToPercent(summary.verdict->detectable));
    rows.push_back(is_comparison
                       ? std::vector{std::string("smallest difference it would have shown"),
                                     size + " (in 8 of 10 such comparisons)"}
                       : std::vector{std::string(summary.spec.wants_front
                                                     ? "smallest gain of one objective its proof "
                                                       "would have shown"
                                                     : "smallest gain its proof would have shown"),
                                     size + " (in 8 of 10 such proofs, had the search found it)"});
  }
  if (summary.gate) {
    rows.push_back(
        {"noise of one pair", fmt::format("{:.1f} %", tune::ToPercent(summary.gate->noise))});
  }
  if (is_comparison) {
    rows.push_back(
        {"spent", fmt::format("{}, {} of measuring", tune::CountText(summary.runs, "run"),
                              tune::DurationText(summary.measured))});
    rows.push_back({"seed", fmt::format("{}", summary.spec.seed)});
    return "\nMeasured\n" + TableText(rows);
  }
  if (summary.candidates.tried > 0) rows.push_back({"tried", tune::ToText(summary.candidates)});
  for (const auto& [outcome, reason] : summary.candidates.reasons) {
    rows.push_back({fmt::format("{}, for example", NameOf(outcome)), Shortened(reason)});
  }
  rows.push_back(
      {"spent", fmt::format("{} of {}, {} of measuring", tune::CountText(summary.runs, "run"),
                            tune::CountText(summary.trials, "candidate"),
                            tune::DurationText(summary.measured))});
  rows.push_back(
      {"engine, seed", fmt::format("{}, {}", summary.spec.search.proposer, summary.spec.seed)});
  if (summary.chat) rows.push_back({"language model", Shortened(app::ChatText(*summary.chat))});
  return "\nMeasured\n" + TableText(rows);
}

std::string IdleText(const CampaignSummary& summary) {
  std::vector<std::string> names;
  for (const tune::IdleParameter& parameter : summary.idle) {
    names.push_back(fmt::format("{} ({})", parameter.name, parameter.candidates));
  }
  if (names.empty()) return "";
  return fmt::format("\nTried and left as they are (in how many candidates)\n  {}\n",
                     fmt::join(names, ", "));
}

std::string SuspicionText(const CampaignSummary& summary, const Ink& ink) {
  std::string text;
  for (const std::string& suspicion : summary.suspicions) {
    text += fmt::format("\n{} {}. Its score may be computed instead of measured.\n",
                        ink.Warning("Suspicious:"), suspicion);
  }
  return text;
}

std::string Inked(tune::Verdict::Kind kind, const std::string& headline, const Ink& ink) {
  switch (kind) {
    case tune::Verdict::Kind::kGain:
    case tune::Verdict::Kind::kFront:
      return ink.Good(headline);
    case tune::Verdict::Kind::kSuspicious:
    case tune::Verdict::Kind::kDoesNotRun:
      return ink.Warning(headline);
    case tune::Verdict::Kind::kNoGain:
    case tune::Verdict::Kind::kNotEnough:
      break;
  }
  return ink.Bold(headline);
}

std::string RestoreText(const CampaignSummary& summary) {
  return summary.restore_text.empty() ? "" : fmt::format("\n{}\n", summary.restore_text);
}

std::string SearchPlan(const tune::CampaignSpec& spec) {
  std::string text =
      fmt::format("at most {} of {} to {}", tune::CountText(spec.search.max_trials, "candidate"),
                  spec.race.first_pairs, tune::CountText(spec.race.max_pairs, "pair"));
  if (spec.search.max_pairs > 0) {
    text += fmt::format(", {} in all", tune::CountText(spec.search.max_pairs, "pair"));
  }
  if (spec.search.max_time.count() > 0) {
    text +=
        fmt::format(", {} of measuring with the gate", tune::DurationText(spec.search.max_time));
  }
  return fmt::format("{}; engine {}, batches of {}, seed {}", text, spec.search.proposer,
                     spec.search.batch, spec.seed);
}

std::string ObjectivePlan(const tune::CampaignSpec& spec, const std::vector<MetricFacts>& metrics) {
  std::string text;
  for (const Objective& objective : spec.rule.objectives) {
    const auto facts = std::find_if(metrics.begin(), metrics.end(), [&](const MetricFacts& known) {
      return known.name == objective.metric;
    });
    text += fmt::format(
        "{}{} ({}{})", text.empty() ? "" : ", ", objective.metric,
        facts == metrics.end() || facts->unit.empty() ? "" : facts->unit + ", ",
        objective.direction == Direction::kLowerIsBetter ? "lower is better" : "higher is better");
    if (objective.weight != 1) text += fmt::format(" weight {:g}", objective.weight);
  }
  if (spec.rule.formula == RewardRule::Formula::kPerformanceAndStability) {
    text += "; reward: performance and stability, half and half";
  }
  return text;
}

}  // namespace

std::string ComparedText(const tune::CampaignSpec& spec, const Candidate& a) {
  const tune::ComparisonSettings& comparison = *spec.comparison;
  TableRows rows{{"parameter", "A", "B"}};
  for (const std::string& name : tune::ChangedParameters(a, comparison.candidate)) {
    rows.push_back({name, ValueIn(a, name), ValueIn(comparison.candidate, name)});
  }
  return fmt::format("What differs between A ({}) and B ({})\n", comparison.a, comparison.b) +
         TableText(rows);
}

CampaignSummary Summarise(const tune::CampaignHistory& history) {
  CampaignSummary summary;
  summary.id = history.campaign.id;
  summary.spec = history.campaign.start.spec;
  summary.baseline = history.campaign.start.baseline;
  summary.in_force = {history.campaign.start.space.Defaults(), ""};
  summary.verdict = history.campaign.verdict;
  summary.last_error = history.campaign.last_error;
  summary.restore_text = history.campaign.restore_text;
  summary.idle = tune::TriedInVain(history);
  summary.suspicions = tune::SuspicionsIn(history);
  summary.counters = tune::CountersOf(history);
  summary.trials = tune::CountAsked(history);
  summary.candidates = tune::TallyOf(history);
  summary.gate = tune::GateOf(history);
  for (const tune::HistoryBlock& block : history.blocks) {
    summary.runs += static_cast<std::int64_t>(block.evaluation.samples.size());
    summary.measured += block.evaluation.provenance.finished - block.evaluation.provenance.started;
  }
  return summary;
}

std::string PlanText(const tune::CampaignSpec& spec, const Space& space,
                     const std::vector<MetricFacts>& metrics, std::size_t workers) {
  std::string options;
  for (const auto& [name, value] : spec.options) {
    if (value.size() <= kMaxOptionShown) options += fmt::format(" {}={}", name, value);
  }
  TableRows rows{{"improves", ObjectivePlan(spec, metrics)}};
  for (const Limit& limit : spec.rule.limits) rows.push_back({"limit", ToText(limit)});
  const auto& comparison = spec.comparison;
  rows.push_back({"gate", fmt::format("{} against itself, {}", comparison ? "A" : "the baseline",
                                      tune::CountText(spec.gate_pairs, "pair"))});
  if (!comparison) rows.push_back({"search", SearchPlan(spec)});
  rows.push_back({comparison ? "A and B" : "proof",
                  fmt::format("{} to {} at {} confidence{}", spec.proof.min_pairs,
                              tune::CountText(spec.proof.max_pairs, "fresh pair"), Level(spec),
                              comparison                ? ", as many as the noise asks for"
                              : spec.wants_front        ? ", for each point of the front"
                              : spec.proof.has_ablation ? "; then each change alone"
                                                        : "")});
  rows.push_back(
      {"runs", fmt::format("at most {} each, {}", tune::DurationText(spec.run_timeout),
                           tune::CountText(static_cast<std::int64_t>(workers), "worker"))});
  const std::string title =
      comparison ? fmt::format("Comparing A, {}, with B, {}, on {}{}\n", comparison->a,
                               comparison->b, spec.domain, options)
                 : fmt::format("Tuning {}{}: {}\n", spec.domain, options,
                               tune::CountText(std::ssize(space.parameters()), "parameter"));
  return title + TableText(rows);
}

namespace {

// Of search and proof together. Empty where nothing like the campaign was simulated, or where its
// time may end the search before all candidates are tried.
std::string FoundText(const tune::CampaignStart& start, const tune::GateReport& gate) {
  const tune::CampaignSpec& spec = start.spec;
  const bool is_like_simulated =
      start.prices.empty() && spec.search.max_time.count() == 0 && tune::IsLikeSimulated(spec);
  if (!is_like_simulated) return "";
  const auto found = tune::OptimumFound({.trials = spec.search.max_trials,
                                         .parameters = std::ssize(start.space.parameters()),
                                         .noise = gate.noise});
  if (!found) return "";
  const auto percent = [&](double gain) {
    return fmt::format("{:.1f} %", std::abs(tune::GainPercent(spec.rule, gain)));
  };
  return fmt::format(
      "in 8 of 10 such campaigns an optimum of {}, {}", percent(found->kindest),
      found->worst ? fmt::format("or of {} where parameters hide it best", percent(*found->worst))
                   : "but not even a large one where parameters hide it best");
}

TableRows GateRows(const tune::CampaignStart& start, const tune::GateReport& gate) {
  const tune::CampaignSpec& spec = start.spec;
  const auto expected = std::chrono::microseconds(
      gate.run_time.count() * std::max<std::int64_t>(0, gate.planned_runs - 2 * gate.pairs));
  TableRows rows;
  rows.push_back({"noise", fmt::format("{:.1f} % a pair, {:.1f} % a run",
                                       tune::ToPercent(gate.noise), 100 * gate.variation)});
  rows.push_back(
      {"drift", fmt::format("{} over {} ({})", tune::SignedPercent(100 * gate.drift),
                            tune::CountText(2 * gate.pairs, "run"), tune::PText(gate.drift_p))});
  const bool is_comparison = spec.comparison.has_value();
  const std::int64_t to_come = gate.planned_runs - 2 * gate.pairs;
  rows.push_back({"can be proven",
                  fmt::format("a {} of {:.1f} % or more, with {}",
                              is_comparison      ? "difference"
                              : spec.wants_front ? "gain of one objective"
                                                 : "gain",
                              tune::ToPercent(gate.detectable),
                              tune::CountText(is_comparison      ? to_come / 2
                                              : spec.wants_front ? tune::FrontPairs(spec.proof)
                                                                 : spec.proof.max_pairs,
                                              "pair"))});
  if (const std::string found = FoundText(start, gate); !found.empty()) {
    rows.push_back({"can be found", found});
  }
  if (gate.outliers + gate.marked_runs > 0) {
    rows.push_back(
        {"odd runs", fmt::format("{}, {} while the machine was busy; all kept",
                                 tune::CountText(gate.outliers, "outlier"), gate.marked_runs)});
  }
  rows.push_back(
      {"to come",
       fmt::format("about {}, {}{}", tune::CountText(to_come, "run"), tune::DurationText(expected),
                   is_comparison ? "" : "; more where small gains are taken apart")});
  if (spec.max_time.count() > 0) {
    rows.push_back({"budget", fmt::format("{}; {}", tune::DurationText(spec.max_time),
                                          tune::DivisionText(spec, gate.pair_time))});
  }
  return rows;
}

}  // namespace

std::string GateText(const tune::CampaignStart& start, const tune::GateReport& gate,
                     const Ink& ink) {
  const auto& comparison = start.spec.comparison;
  std::string text =
      fmt::format("A/A gate: {} against itself, {}\n", comparison ? comparison->a : "the baseline",
                  tune::CountText(gate.pairs, "pair")) +
      TableText(GateRows(start, gate));
  for (const std::string& warning : gate.warnings) {
    text += fmt::format("  {} {}\n", ink.Warning("warning:"), warning);
  }
  return text;
}

std::string VerdictText(const CampaignSummary& summary, const Ink& ink) {
  if (!summary.verdict) {
    std::string text = summary.spec.comparison
                           ? "Unfinished: no verdict yet.\n"
                           : fmt::format("Unfinished: {} so far, no verdict yet.\n",
                                         tune::CountText(summary.trials, "candidate"));
    if (!summary.last_error.empty()) text += fmt::format("It ended with: {}\n", summary.last_error);
    return text + SpentText(summary) + RestoreText(summary);
  }
  const tune::Verdict& verdict = *summary.verdict;
  const std::string headline = tune::Headline(summary.spec, verdict);
  std::string text = Inked(verdict.kind, headline, ink) + '\n';
  text += EvidenceText(verdict.output);
  if (!verdict.front.empty()) text += "\n" + FrontText(summary, verdict);
  text += SuspicionText(summary, ink);
  if (verdict.proof) text += ProofText(summary, verdict);
  text += CounterText(summary.counters) + IdleText(summary) + SpentText(summary);
  for (const std::string& note : verdict.notes) text += fmt::format("\nNote: {}\n", note);
  return text + RestoreText(summary);
}

}  // namespace hone::cli
