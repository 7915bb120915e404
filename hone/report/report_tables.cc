// SPDX-License-Identifier: Apache-2.0
#include "hone/report/report_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/report/forest_row.h"
#include "hone/report/html_text.h"
#include "hone/tune/campaign/ablation.h"
#include "hone/tune/campaign/conclusion.h"
#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/words.h"

namespace hone::report {
namespace {

constexpr std::size_t kMaxTrialRows = 400;
constexpr std::size_t kMaxChangeRows = 200;
constexpr std::size_t kLongestValue = 120;
constexpr std::size_t kLongestUnbroken = 24;
constexpr std::size_t kLongestChange = 240;
constexpr std::size_t kLongestReason = 240;

std::string Cell(const std::string& html, std::string_view style = "") {
  return style.empty() ? fmt::format("<td>{}</td>", html)
                       : fmt::format(R"(<td class="{}">{}</td>)", style, html);
}

// What the two sides of every pair are called.
std::array<std::string_view, 2> ArmHeads(const tune::CampaignHistory& history) {
  if (history.campaign.start.spec.comparison) return {"A", "B"};
  return {"baseline", "candidate"};
}

std::string CodeCell(const std::string& text) {
  return Cell(fmt::format("<code>{}</code>", Escape(Shorten(text, kLongestValue))),
              text.size() <= kLongestUnbroken ? "n" : "");
}

std::string Row(std::initializer_list<std::string> cells) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) row += cell;
  return row + "</tr>\n";
}

std::string Table(std::string_view style, std::initializer_list<std::string_view> heads,
                  const std::string& rows) {
  if (rows.empty()) return "";
  std::string head;
  for (const std::string_view name : heads) head += fmt::format(R"(<th scope="col">{}</th>)", name);
  return fmt::format(R"(<div class="table"><table class="{}"><thead><tr>{}</tr></thead>)"
                     "<tbody>{}</tbody></table></div>",
                     style, head, rows);
}

// Two columns: names and values, neither escaped yet.
std::string FactTable(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string rows;
  for (const auto& [name, value] : facts) {
    rows += fmt::format(R"(<tr><th scope="row">{}</th><td>{}</td></tr>)", Escape(name),
                        Escape(Shorten(value, kLongestReason)));
  }
  if (rows.empty()) return "";
  return fmt::format(R"(<div class="table"><table class="facts"><tbody>{}</tbody></table></div>)",
                     rows);
}

std::string ConfidenceHead(const tune::CampaignHistory& history) {
  return fmt::format("{:g} % interval", 100 * history.campaign.start.spec.proof.confidence);
}

std::string TextIn(const Candidate& candidate, const std::string& name) {
  const auto found = candidate.assignment.find(name);
  return found == candidate.assignment.end() ? "not set" : ToText(found->second);
}

std::string UnitOfParameter(const tune::CampaignHistory& history, const std::string& name) {
  const Space& space = history.campaign.start.space;
  const auto index = space.IndexOf(name);
  return index ? space.parameters()[*index].unit : "";
}

std::string TestCells(const RewardRule& rule, const PairedTest& test) {
  return Cell(tune::TypesetSignedPercent(tune::GainPercent(rule, test.effect)), "n strong") +
         Cell(tune::TypesetInterval(tune::GainPercent(rule, test.interval.low),
                                    tune::GainPercent(rule, test.interval.high)),
              "n") +
         Cell(Escape(tune::TypesetP(test.p_value)), "n") +
         Cell(tune::CountText(test.count, "pair"), "n");
}

Extent EffectsExtent(const RewardRule& rule, const std::vector<tune::ParameterEffect>& effects) {
  Extent extent;
  extent.Include(0);
  for (const tune::ParameterEffect& effect : effects) {
    const PairedTest& test = effect.effect;
    for (const double value : {test.interval.low, test.effect, test.interval.high}) {
      extent.Include(tune::GainPercent(rule, value));
    }
  }
  return extent;
}

std::string ForestCell(const RewardRule& rule, const tune::ParameterEffect& effect,
                       const Extent& extent) {
  const PairedTest& test = effect.effect;
  return Cell(
      ForestRow(tune::GainPercent(rule, test.interval.low), tune::GainPercent(rule, test.effect),
                tune::GainPercent(rule, test.interval.high), extent,
                fmt::format("Effect of {}: {}", Shorten(effect.name, kLongestValue),
                            tune::TypesetSignedPercent(tune::GainPercent(rule, test.effect)))),
      "wide");
}

// Objectives are log-ratios whatever the formula of the reward.
const RewardRule& LogRatios() {
  static const RewardRule rule;
  return rule;
}

// Whether a point of a trade-off beats the baseline, and each limit that it is held to.
std::string PointCell(const tune::Proof& point) {
  std::string html = "not shown to beat it";
  if (!tune::KeepsLimits(point)) html += " within the limits";
  if (point.is_gain) html = "beats the baseline";
  for (const tune::LimitCheck& check : point.limits) {
    const Interval& spare = check.margin.interval;
    html += fmt::format("<div>{}: {}, {} to spare ({})</div>", Escape(ToText(check.limit)),
                        check.holds ? "holds" : R"(<span class="bad">not shown to hold</span>)",
                        tune::TypesetSignedPercent(100 * check.margin.effect),
                        tune::TypesetInterval(100 * spare.low, 100 * spare.high));
  }
  return Cell(html);
}

// The trials worth a row where there are too many: the best, and some that failed.
std::vector<const tune::TrialHistory*> RowsOf(const std::vector<tune::TrialHistory>& trials) {
  std::vector<const tune::TrialHistory*> rows;
  rows.reserve(trials.size());
  for (const tune::TrialHistory& trial : trials) rows.push_back(&trial);
  if (rows.size() <= kMaxTrialRows) return rows;
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    if (a->reward.has_value() != b->reward.has_value()) return a->reward.has_value();
    return a->reward && a->reward->mean > b->reward->mean;
  });
  const auto max = static_cast<std::ptrdiff_t>(kMaxTrialRows);
  const auto judged = std::count_if(rows.begin(), rows.end(),
                                    [](const auto* trial) { return trial->reward.has_value(); });
  const auto kept_failed = std::min(std::ssize(rows) - judged, std::max(max / 4, max - judged));
  const auto kept_judged = std::min(judged, max - kept_failed);
  rows.erase(rows.begin() + judged + kept_failed, rows.end());
  rows.erase(rows.begin() + kept_judged, rows.begin() + judged);
  std::sort(rows.begin(), rows.end(),
            [](const auto* a, const auto* b) { return a->number < b->number; });
  return rows;
}

std::string_view RaceText(const tune::TrialHistory& trial) {
  if (trial.is_finalist) return "finalist";
  if (!trial.is_within_limits) return "beyond a limit";
  if (trial.race == "hopeless") return "surely below the best";
  if (trial.race == "dull") return "not promising";
  if (trial.race == "enough") return "raced to the end";
  return "not judged to the end";
}

std::string TrialRow(const tune::CampaignHistory& history, const tune::TrialHistory& trial) {
  const RewardRule& rule = history.campaign.start.spec.rule;
  std::string estimate = "–";
  if (trial.reward) {
    const Estimate& reward = *trial.reward;
    estimate = fmt::format(
        "{} <small>± {}</small>", tune::TypesetSignedPercent(tune::GainPercent(rule, reward.mean)),
        tune::TypesetPercent(tune::GainPercent(rule, reward.mean + reward.standard_error) -
                             tune::GainPercent(rule, reward.mean)));
  }
  std::string end(RaceText(trial));
  if (trial.outcome != Outcome::kAccepted) {
    end = fmt::format(R"(<span class="bad">{}</span> {})", NameOf(trial.outcome),
                      Escape(Shorten(trial.reason, kLongestReason)));
  }
  const std::string change = DescribeChange(history.campaign.start.baseline, trial.candidate);
  return Row({Cell(std::to_string(trial.number), "n"), Cell(estimate, "n"),
              Cell(std::to_string(trial.numbers.rewards.size()), "n"), Cell(end),
              Cell(fmt::format("<code>{}</code>", Escape(Shorten(change, kLongestChange))))});
}

struct PhaseSums {
  std::int64_t blocks = 0;
  std::int64_t runs = 0;
  std::int64_t marked = 0;
  std::chrono::microseconds measured{0};
};

PhaseSums SumsOf(const tune::CampaignHistory& history, std::optional<tune::BlockPhase> phase) {
  PhaseSums sums;
  for (const tune::HistoryBlock& block : history.blocks) {
    if (phase && tune::PhaseOf(block) != phase) continue;
    ++sums.blocks;
    sums.runs += std::ssize(block.evaluation.samples);
    for (const Sample& sample : block.evaluation.samples) sums.marked += !sample.marks.empty();
    sums.measured += block.evaluation.provenance.finished - block.evaluation.provenance.started;
  }
  return sums;
}

std::string PhaseRow(std::string_view name, const PhaseSums& sums) {
  const double share =
      sums.runs == 0 ? 0 : 100 * static_cast<double>(sums.marked) / static_cast<double>(sums.runs);
  return Row({Cell(std::string(name)), Cell(std::to_string(sums.blocks), "n"),
              Cell(std::to_string(sums.runs), "n"),
              Cell(fmt::format("{} ({:.0f} %)", sums.marked, share), "n"),
              Cell(tune::TypesetDuration(sums.measured), "n")});
}

// "steal" of "steal 7 %".
std::string KindOf(const std::string& mark) {
  std::size_t end = mark.find(' ');
  while (end != std::string::npos && mark.find_first_of("0123456789", end) != end + 1) {
    end = mark.find(' ', end + 1);
  }
  return Shorten(mark.substr(0, end), 40);
}

// What the machine was marked for, most often first, without the numbers in it.
std::string MarkKinds(const tune::CampaignHistory& history) {
  std::map<std::string, int> kinds;
  for (const tune::HistoryBlock& block : history.blocks) {
    for (const Sample& sample : block.evaluation.samples) {
      for (const std::string& mark : sample.marks) {
        ++kinds[KindOf(mark)];
      }
    }
  }
  std::vector<std::pair<int, std::string>> sorted;
  sorted.reserve(kinds.size());
  for (const auto& [kind, count] : kinds) sorted.emplace_back(-count, kind);
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 8); ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", Escape(sorted[i].second),
                        tune::CountText(-sorted[i].first, "run"));
  }
  return text.empty() ? "" : fmt::format("<p>What the runs were marked for: {}.</p>", text);
}

std::string ObjectivesText(const RewardRule& rule) {
  std::string text;
  for (const Objective& objective : rule.objectives) {
    text += fmt::format(
        "{}{} ({}, weight {:g})", text.empty() ? "" : "; ", objective.metric,
        objective.direction == Direction::kHigherIsBetter ? "higher is better" : "lower is better",
        objective.weight);
  }
  return text;
}

std::string OptionsText(const std::map<std::string, std::string>& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text.empty() ? "none" : text;
}

void AddSearchFacts(const tune::CampaignSpec& spec,
                    std::vector<std::pair<std::string, std::string>>& facts) {
  facts.insert(
      facts.end(),
      {{"proposer",
        fmt::format("{} (options: {})", spec.search.proposer, OptionsText(spec.search.options))},
       {"search", fmt::format("at most {}, {} at a time; stops when less than {} more is expected",
                              tune::CountText(spec.search.max_trials, "trial"), spec.search.batch,
                              tune::TypesetPercent(
                                  tune::GainPercent(spec.rule, spec.search.min_remaining_gain)))},
       {"race", fmt::format("{} first, {} more at a time, at most {}", spec.race.first_pairs,
                            spec.race.more_pairs, tune::CountText(spec.race.max_pairs, "pair"))}});
}

}  // namespace

std::string ChangeTable(const tune::CampaignHistory& history, const tune::Verdict& verdict,
                        const tune::Proof& proof) {
  const RewardRule& rule = history.campaign.start.spec.rule;
  const Candidate& baseline = history.campaign.start.baseline;
  std::map<std::string, const tune::ParameterEffect*> effects;
  std::vector<std::string> names;
  for (const tune::ParameterEffect& effect : verdict.effects) {
    effects[effect.name] = &effect;
    names.push_back(effect.name);
  }
  for (const std::string& name : tune::ChangedParameters(baseline, proof.candidate)) {
    if (!effects.contains(name)) names.push_back(name);
  }
  const std::size_t left_out = names.size() - std::min(names.size(), kMaxChangeRows);
  names.resize(names.size() - left_out);
  const Extent extent = EffectsExtent(rule, verdict.effects);
  std::string rows;
  for (const std::string& name : names) {
    std::string cells = CodeCell(name) + CodeCell(TextIn(baseline, name)) +
                        CodeCell(TextIn(proof.candidate, name)) +
                        Cell(Escape(UnitOfParameter(history, name)));
    const auto effect = effects.find(name);
    if (effect != effects.end()) {
      cells += ForestCell(rule, *effect->second, extent) + TestCells(rule, effect->second->effect);
    } else if (!effects.empty()) {
      cells += R"(<td colspan="5">not measured alone</td>)";
    }
    rows += Row({cells});
  }
  std::string note;
  if (left_out > 0) note = fmt::format("<p>And {} more; hone export has them all.</p>", left_out);
  if (history.campaign.start.spec.comparison) {
    return Table("", {"parameter", "A", "B", "unit"}, rows) + note;
  }
  if (effects.empty()) return Table("", {"parameter", "from", "to", "unit"}, rows) + note;
  return Table("effects",
               {"parameter", "from", "to", "unit", "own effect", "gain", ConfidenceHead(history),
                "p", "n"},
               rows) +
         note;
}

std::string ProofTable(const tune::CampaignHistory& history, const tune::Proof& proof) {
  const RewardRule& rule = history.campaign.start.spec.rule;
  std::string rows;
  const bool is_one = rule.formula == RewardRule::Formula::kGain && proof.objectives.size() == 1;
  if (!is_one && proof.reward.count > 0) {
    rows += Row({Cell("gain"), TestCells(rule, proof.reward)});
    for (const tune::ObjectiveGain& gain : proof.objectives) {
      rows += Row({CodeCell(gain.metric), TestCells(LogRatios(), gain.test)});
    }
  }
  std::string limits;
  for (const tune::LimitCheck& check : proof.limits) {
    const PairedTest& margin = check.margin;
    limits += Row(
        {CodeCell(ToText(check.limit)),
         Cell(check.holds ? "holds" : R"(<span class="bad">not shown to hold</span>)"),
         Cell(tune::TypesetSignedPercent(100 * margin.effect), "n"),
         Cell(tune::TypesetInterval(100 * margin.interval.low, 100 * margin.interval.high), "n"),
         Cell(tune::CountText(margin.count, "pair"), "n")});
  }
  return Table("", {"of", "gain", ConfidenceHead(history), "p", "n"}, rows) +
         Table("", {"limit", "", "margin", ConfidenceHead(history), "n"}, limits);
}

std::string CounterTable(const tune::CampaignHistory& history, const tune::CounterReport& report) {
  std::string rows;
  for (const tune::CounterChange& counter : report.changes) {
    const PairedTest& test = counter.change;
    rows += Row({Cell(Escape(counter.title)),
                 Cell(Escape(tune::LevelText(counter, counter.baseline)), "n"),
                 Cell(Escape(tune::LevelText(counter, counter.candidate)), "n"),
                 Cell(Escape(tune::ChangeText(counter, test.effect)), "n strong"),
                 Cell(fmt::format("{} to {}", tune::ChangeText(counter, test.interval.low),
                                  tune::ChangeText(counter, test.interval.high)),
                      "n"),
                 Cell(Escape(tune::MeaningText(counter)))});
  }
  const auto [first, second] = ArmHeads(history);
  return Table("", {"in a run", first, second, "change", ConfidenceHead(history), ""}, rows);
}

std::string FrontTable(const tune::CampaignHistory& history,
                       const std::vector<tune::Proof>& front) {
  std::string rows;
  for (std::size_t i = 0; i < front.size(); ++i) {
    std::string gains;
    for (std::size_t k = 0; k < front[i].objectives.size(); ++k) {
      const tune::ObjectiveGain& gain = front[i].objectives[k];
      const tune::RewardWords words =
          tune::WordsFor(history.campaign.start.spec.rule.objectives[k]);
      gains +=
          fmt::format("<div>{}: <b>{}</b> {}</div>", Escape(gain.metric),
                      words.MetricChange(gain.test.effect), words.MetricRange(gain.test.interval));
    }
    const std::string change = DescribeChange(history.campaign.start.baseline, front[i].candidate);
    rows += Row({Cell(std::to_string(i + 1), "n"), PointCell(front[i]), Cell(gains),
                 Cell(Escape(tune::TypesetP(front[i].adjusted_p)), "n"),
                 Cell(tune::CountText(front[i].reward.count, "pair"), "n"),
                 Cell(fmt::format("<code>{}</code>", Escape(Shorten(change, kLongestChange))))});
  }
  return Table(
      "", {"point", "", "change of each objective [interval]", "p, adjusted", "n", "change"}, rows);
}

std::string TrialTable(const tune::CampaignHistory& history,
                       const std::vector<tune::TrialHistory>& trials) {
  const auto shown = RowsOf(trials);
  std::string rows;
  for (const tune::TrialHistory* trial : shown) rows += TrialRow(history, *trial);
  std::string note;
  if (shown.size() < trials.size()) {
    note = fmt::format(
        "<p>{} of {} trials are listed: the best, and some that failed. <code>hone export</code> "
        "has them all.</p>",
        shown.size(), trials.size());
  }
  return note + Table("trials",
                      {"trial", "gain ± standard error", "pairs", "how it ended", "change"}, rows);
}

std::string GateTable(const tune::CampaignHistory& history) {
  std::vector<SamplePair> pairs =
      tune::ComparedPairs(history, tune::BlockPhase::kGate, history.campaign.start.baseline);
  if (pairs.empty()) return "";
  const tune::CampaignStart& start = history.campaign.start;
  const auto parameters = static_cast<std::int64_t>(start.space.parameters().size());
  const auto gate = tune::JudgeGate(start.spec, parameters, pairs);
  if (!gate) return fmt::format("<p>{}</p>", Escape(Shorten(gate.error().message, kLongestReason)));
  const RewardRule& rule = history.campaign.start.spec.rule;
  const PairedTest& difference = gate->difference;
  std::string html = FactTable(
      {{"difference between A and A",
        fmt::format("{} ({}), {}, n = {}",
                    tune::TypesetSignedPercent(tune::GainPercent(rule, difference.effect)),
                    tune::TypesetInterval(tune::GainPercent(rule, difference.interval.low),
                                          tune::GainPercent(rule, difference.interval.high)),
                    tune::TypesetP(difference.p_value), tune::CountText(difference.count, "pair"))},
       {"noise of one pair",
        fmt::format("{} (robust standard deviation)",
                    tune::TypesetPercent(tune::GainPercent(rule, gate->noise)))},
       {"variation of one run", tune::TypesetPercent(100 * gate->variation)},
       {"drift",
        fmt::format("{} over {}, {}", tune::TypesetSignedPercent(100 * gate->drift),
                    tune::CountText(2 * gate->pairs, "run"), tune::TypesetP(gate->drift_p))},
       {"autocorrelation of neighbours", fmt::format("{:.2f}", gate->autocorrelation)},
       {"runs that lie apart", fmt::format("{} of {}, kept", gate->outliers, 2 * gate->pairs)},
       {"runs on a disturbed machine",
        fmt::format("{} of {}, kept", gate->marked_runs, 2 * gate->pairs)},
       {"smallest gain that could be proven",
        fmt::format("{} (with 80 % chance, {})",
                    tune::TypesetPercent(tune::GainPercent(rule, gate->detectable)),
                    tune::CountText(start.spec.proof.max_pairs, "pair"))},
       {"one run takes", tune::TypesetDuration(gate->run_time)}});
  for (const std::string& warning : gate->warnings) {
    html += fmt::format(R"(<p class="warn">{}</p>)", Escape(warning));
  }
  return html;
}

std::string PhaseTable(const tune::CampaignHistory& history) {
  constexpr std::array<std::pair<tune::BlockPhase, std::string_view>, 8> kPhases{{
      {tune::BlockPhase::kGate, "A/A gate"},
      {tune::BlockPhase::kTrial, "search"},
      {tune::BlockPhase::kFinals, "finals"},
      {tune::BlockPhase::kProof, "proof"},
      {tune::BlockPhase::kAblation, "ablation"},
      {tune::BlockPhase::kProofReduced, "proof of the smallest change"},
      {tune::BlockPhase::kFront, "proof of the front"},
      {tune::BlockPhase::kCheck, "whether the baseline still runs"},
  }};
  std::string rows;
  for (const auto& [phase, name] : kPhases) {
    const PhaseSums sums = SumsOf(history, phase);
    if (sums.blocks > 0) rows += PhaseRow(name, sums);
  }
  if (!rows.empty()) rows += PhaseRow("<b>all</b>", SumsOf(history, std::nullopt));
  return Table("", {"phase", "blocks", "runs", "on a disturbed machine", "time"}, rows) +
         MarkKinds(history);
}

std::string MachineTable(const tune::CampaignHistory& history) {
  const auto& machine = history.campaign.start.machine;
  return FactTable({machine.begin(), machine.end()});
}

std::string SettingsTable(const tune::CampaignHistory& history) {
  const tune::StoredCampaign& campaign = history.campaign;
  const tune::CampaignSpec& spec = campaign.start.spec;
  std::string limits;
  for (const Limit& limit : spec.rule.limits) {
    limits += (limits.empty() ? "" : "; ") + ToText(limit);
  }
  std::vector<std::pair<std::string, std::string>> facts{
      {"campaign", campaign.id},
      {"started", ToText(campaign.created)},
      {"last change", ToText(campaign.updated)},
      {"Hone", campaign.start.version},
      {"seed", std::to_string(spec.seed)},
      {"domain", spec.domain},
      {"options", OptionsText(spec.options)},
      {"objectives", ObjectivesText(spec.rule)},
      {"limits", limits.empty() ? "none" : limits}};
  if (spec.comparison) {
    facts.insert(facts.end(), {{"A", spec.comparison->a}, {"B", spec.comparison->b}});
  } else {
    AddSearchFacts(spec, facts);
  }
  facts.insert(
      facts.end(),
      {{spec.comparison ? "comparison" : "proof",
        fmt::format("{:g} % confidence, {:g} % power, {} to {}, {} from {} matter",
                    100 * spec.proof.confidence, 100 * spec.proof.power, spec.proof.min_pairs,
                    tune::CountText(spec.proof.max_pairs, "pair"),
                    spec.comparison ? "differences" : "gains",
                    tune::TypesetPercent(tune::GainPercent(spec.rule, spec.proof.min_gain)))},
       {"limit of one run", tune::TypesetDuration(spec.run_timeout)}});
  return FactTable(facts);
}

}  // namespace hone::report
