// SPDX-License-Identifier: Apache-2.0
#include "hone/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/measure/statistics.h"
#include "hone/report/html_text.h"
#include "hone/report/report_data.h"
#include "hone/report/report_style.h"
#include "hone/report/report_tables.h"
#include "hone/tune/campaign/counter_changes.h"
#include "hone/tune/campaign/words.h"

namespace hone::report {
namespace {

constexpr std::size_t kMaxBytes = 1'950'000;  // Of the whole page.
constexpr std::size_t kLongestText = 600;
constexpr std::size_t kLongestSource = 64 << 10;

class Report {
 public:
  Report(const tune::CampaignHistory& history, const ReportScript& script)
      : history_(history),
        script_(script),
        spec_(history.campaign.start.spec),
        verdict_(history.campaign.verdict ? &*history.campaign.verdict : nullptr),
        trials_(tune::TrialsOf(history)) {}

  std::string Render() const {
    const std::string& id = history_.campaign.id;
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">{}"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<title>{}: {}</title><style>{}{}</style></head><body><main>\n",
        Policy(), Escape(id), Escape(Headline()), ReportStyle(), script_.style);
    page += VerdictSection() + ChangeSection() + ProofSection() + CounterSection() +
            FrontSection() + SearchSection();
    if (!script_.script.empty()) page += "<section id=\"plots\"></section>\n";
    page += NoiseSection() + RestoreSection() + AgainSection() + LimitsSection();
    page += fmt::format("<footer>Made by Hone {} from campaign {}.</footer>\n</main>",
                        Escape(history_.campaign.start.version), Escape(id));
    return page + Scripts(page.size()) + "</body></html>\n";
  }

 private:
  // Nothing is fetched, and no script runs but the one that is meant.
  std::string Policy() const {
    return fmt::format(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; img-src data:; script-src {}; base-uri 'none'; "
        "form-action 'none'\">",
        script_.digest.empty() ? "'none'" : fmt::format("'{}'", script_.digest));
  }

  // What the plots are drawn from, and what draws them, as far as there is room.
  std::string Scripts(std::size_t used) const {
    const std::size_t taken = used + script_.script.size() + 1000;
    if (script_.script.empty() || taken > kMaxBytes) return "";
    const std::string data = PlotsText(history_, kMaxBytes - taken);
    if (data.empty()) return "";
    return fmt::format(
        "<script type=\"application/json\" id=\"campaign\">{}</script>\n<script>{}</script>\n",
        data, script_.script);
  }

  static std::string Paragraph(const std::string& text, std::string_view style = "") {
    if (text.empty()) return "";
    return fmt::format(R"(<p class="{}">{}</p>)", style, Escape(Shorten(text, kLongestText)));
  }

  static std::string Section(std::string_view title, const std::string& body) {
    return body.empty() ? "" : fmt::format("<section><h2>{}</h2>\n{}</section>\n", title, body);
  }

  static std::string Tile(const std::string& value, std::string_view what) {
    return fmt::format(R"(<div class="tile"><b>{}</b><span>{}</span></div>)", Escape(value),
                       Escape(what));
  }

  double Shown(double reward) const { return tune::GainPercent(spec_.rule, reward); }

  std::string ConfidenceText() const { return fmt::format("{:g} %", 100 * spec_.proof.confidence); }

  bool IsComparison() const { return spec_.comparison.has_value(); }

  // A comparison is better, worse, equal or unshown, and its reason says which.
  bool IsComparedWhole() const {
    return IsComparison() && (verdict_->kind == tune::Verdict::Kind::kGain ||
                              verdict_->kind == tune::Verdict::Kind::kNoGain);
  }

  std::string Headline() const {
    if (verdict_ == nullptr) return "No verdict yet";
    if (IsComparedWhole()) return verdict_->reason.substr(0, verdict_->reason.size() - 1);
    switch (verdict_->kind) {
      case tune::Verdict::Kind::kGain:
        return verdict_->proof
                   ? fmt::format("A gain of {}",
                                 tune::TypesetPercent(Shown(verdict_->proof->reward.effect)))
                   : "A gain";
      case tune::Verdict::Kind::kFront: {
        const auto better = std::count_if(verdict_->front.begin(), verdict_->front.end(),
                                          [](const tune::Proof& proof) { return proof.is_gain; });
        return fmt::format("A trade-off: {} the baseline",
                           better == 1 ? "1 point beats" : fmt::format("{} points beat", better));
      }
      case tune::Verdict::Kind::kNotEnough:
        return "Not enough was tried to say";
      case tune::Verdict::Kind::kSuspicious:
        return "A gain that is suspicious";
      case tune::Verdict::Kind::kDoesNotRun:
        return "The benchmark does not run";
      case tune::Verdict::Kind::kNoGain:
        break;
    }
    return "No gain";
  }

  std::string_view Style() const {
    if (verdict_ == nullptr) return "unfinished";
    return NameOf(verdict_->kind);
  }

  std::string VerdictSection() const {
    std::string html = fmt::format(
        R"(<header class="verdict {}"><p class="eyebrow">Hone report · {} · {}</p><h1>{}</h1>)",
        Style(), Escape(history_.campaign.id), ToText(history_.campaign.updated),
        Escape(Headline()));
    html += Lead() + "</header>\n" + Tiles();
    if (verdict_ == nullptr) return html;
    for (const std::string& note : verdict_->notes) html += Paragraph(note, "warn");
    for (const std::string& suspicion : tune::SuspicionsIn(history_)) {
      html += Paragraph("Suspicious: " + suspicion, "warn");
    }
    for (const Evidence& evidence : verdict_->output) {
      html +=
          Paragraph(evidence.what, "soft") + fmt::format("<pre>{}</pre>\n", Escape(evidence.text));
    }
    return html;
  }

  std::string Lead() const {
    if (verdict_ == nullptr) {
      const std::string& error = history_.campaign.last_error;
      return Paragraph(
                 fmt::format("The campaign is running, or was stopped; hone resume {} goes "
                             "on with it. What follows is what there is so far, and no claim.",
                             history_.campaign.id),
                 "lead") +
             (error.empty() ? "" : Paragraph("It last ended with: " + error, "warn"));
    }
    if (IsComparison()) return Paragraph(ComparedInWords(), "lead");
    if (verdict_->kind == tune::Verdict::Kind::kGain) return Paragraph(GainInWords(), "lead");
    std::string html = Paragraph(verdict_->reason, "lead");
    if (verdict_->kind != tune::Verdict::Kind::kNoGain) return html;
    html += Paragraph("The baseline stays as it is, and that is an answer: " + DetectableInWords());
    return html;
  }

  std::string DetectableInWords() const {
    if (!(verdict_->detectable > 0) || !std::isfinite(verdict_->detectable)) {
      return "nothing better was found within this budget.";
    }
    return fmt::format(
        "had {} been better by {} or more{}, the proof would have shown it four times in five.",
        spec_.wants_front ? "a point" : "the winner",
        tune::TypesetPercent(Shown(verdict_->detectable)),
        spec_.wants_front ? " in one objective" : "");
  }

  // "throughput is 10.2 % higher than with the baseline (95 % interval: +8.1 % to +12.4 %) …"
  std::string GainInWords() const {
    if (!verdict_->proof) return verdict_->reason;
    const tune::Proof& proof = *verdict_->proof;
    const std::string measured = fmt::format("measured on {} of fresh, interleaved runs",
                                             tune::CountText(proof.reward.count, "pair"));
    if (spec_.rule.objectives.size() != 1 || proof.objectives.size() != 1) {
      return fmt::format("The winner beats the baseline by {} over all objectives, {}.",
                         tune::TypesetPercent(Shown(proof.reward.effect)), measured);
    }
    const Objective& objective = spec_.rule.objectives.front();
    const double effect = proof.objectives.front().test.effect;
    const std::string as_gain = objective.direction == Direction::kHigherIsBetter
                                    ? ""
                                    : fmt::format(", a gain of {} in the ratio",
                                                  tune::TypesetPercent(tune::ToPercent(effect)));
    return fmt::format("{} than with the baseline{}{}, {}.", MetricInWords(objective, effect),
                       LevelsInWords(objective.metric), as_gain, measured);
  }

  // "throughput is 10.2 % higher"
  static std::string MetricInWords(const Objective& objective, double effect) {
    const bool is_higher = objective.direction == Direction::kHigherIsBetter;
    const double change = tune::ToPercent(is_higher ? effect : -effect);
    return fmt::format("{} is {} {}", objective.metric, tune::TypesetPercent(std::abs(change)),
                       change < 0 ? "lower" : "higher");
  }

  // The numbers under a headline that says how the two compare; else all that the terminal says.
  std::string ComparedInWords() const {
    const bool has_one =
        IsComparedWhole() && verdict_->proof && spec_.rule.objectives.size() == 1 &&
        verdict_->proof->objectives.size() == 1 && verdict_->proof->reward.count > 0;
    if (!has_one) return tune::Headline(spec_, *verdict_);
    const Objective& objective = spec_.rule.objectives.front();
    const PairedTest& test = verdict_->proof->objectives.front().test;
    return fmt::format("{} with {} than with {}{}, measured on {} of fresh, interleaved runs.",
                       MetricInWords(objective, test.effect), spec_.comparison->b,
                       spec_.comparison->a, LevelsInWords(objective.metric),
                       tune::CountText(test.count, "pair"));
  }

  // " (medians: 1102 against 1000 ops/s)"
  std::string LevelsInWords(const std::string& metric) const {
    std::vector<double> before;
    std::vector<double> after;
    for (const SamplePair& pair : ProofPairsOf().second) {
      const auto first = pair.baseline.metrics.find(metric);
      const auto second = pair.candidate.metrics.find(metric);
      if (first == pair.baseline.metrics.end() || second == pair.candidate.metrics.end()) continue;
      if (!std::isfinite(first->second.value) || !std::isfinite(second->second.value)) continue;
      before.push_back(first->second.value);
      after.push_back(second->second.value);
    }
    if (before.empty()) return "";
    const std::string unit = tune::UnitOf(history_, metric);
    return fmt::format(" (medians: {} against {}{}{})", tune::TypesetNumber(Median(after)),
                       tune::TypesetNumber(Median(before)), unit.empty() ? "" : " ", unit);
  }

  std::string GainOver() const {
    if (!IsComparison()) return "gain over the baseline";
    return fmt::format("gain of {} over {}", spec_.comparison->b, spec_.comparison->a);
  }

  std::string Tiles() const {
    std::string tiles;
    if (verdict_ != nullptr && verdict_->proof && verdict_->proof->reward.count > 0) {
      const PairedTest& test = verdict_->proof->reward;
      tiles += Tile(tune::TypesetSignedPercent(Shown(test.effect)), GainOver());
      tiles += Tile(tune::TypesetInterval(Shown(test.interval.low), Shown(test.interval.high)),
                    ConfidenceText() + " interval");
      tiles += Tile(tune::TypesetP(test.p_value), "two-sided, signed-rank test");
      tiles += Tile(tune::CountText(test.count, "pair"), "of fresh runs in the proof");
    }
    if (verdict_ != nullptr && verdict_->detectable > 0) {
      tiles += Tile(tune::TypesetPercent(Shown(verdict_->detectable)),
                    IsComparison()      ? "smallest difference that is shown with 80 % chance"
                    : spec_.wants_front ? "smallest gain of one objective that is shown with 80 % "
                                          "chance"
                                        : "smallest gain that the proof shows with 80 % chance");
    }
    std::size_t runs = 0;
    for (const tune::HistoryBlock& block : history_.blocks) runs += block.evaluation.samples.size();
    const std::string all = tune::CountText(static_cast<std::int64_t>(runs), "run");
    tiles += IsComparison() ? Tile(all, "in all")
                            : Tile(tune::CountText(std::ssize(trials_), "candidate"),
                                   fmt::format("tried, in {} in all", all));
    return fmt::format(R"(<div class="tiles">{}</div>)", tiles) + "\n";
  }

  std::string ChangeSection() const {
    if (verdict_ == nullptr || !verdict_->proof) return "";
    const bool is_gain = tune::HasGain(*verdict_);
    std::string html = ChangeTable(history_, *verdict_, *verdict_->proof);
    if (!verdict_->effects.empty()) {
      html += Paragraph(
          "A parameter’s own effect is what is lost when it alone is put back. Effects need not "
          "add "
          "up to the gain: parameters may help or hinder each other.",
          "soft");
    }
    if (!verdict_->dropped.empty()) {
      std::string names;
      for (const std::string& name : verdict_->dropped) names += (names.empty() ? "" : ", ") + name;
      html += Paragraph("Dropped, because putting it back costs nothing: " + names + ".");
    }
    const std::string& source = verdict_->proof->candidate.source;
    if (!source.empty()) {
      html += fmt::format(
          "<details><summary>Source of the candidate ({} bytes)</summary><pre>{}</pre>"
          "</details>",
          source.size(), Escape(Shorten(source, kLongestSource)));
    }
    if (IsComparison()) return Section("What differs", ComparedNames() + html);
    return Section(is_gain ? "What to change" : "What was put to the proof", html);
  }

  std::string ComparedNames() const {
    return Paragraph(fmt::format("A is {}, B is {}.", spec_.comparison->a, spec_.comparison->b));
  }

  // The candidate that was proven, or is being proven, and its pairs so far.
  std::pair<Candidate, std::vector<SamplePair>> ProofPairsOf() const {
    const auto candidate = ProvenCandidate();
    if (!candidate) return {};
    return {*candidate, tune::PairsOfProof(history_, *candidate)};
  }

  std::optional<Candidate> ProvenCandidate() const {
    if (verdict_ != nullptr) {
      return verdict_->proof ? std::optional(verdict_->proof->candidate) : std::nullopt;
    }
    for (const auto phase : {tune::BlockPhase::kProofReduced, tune::BlockPhase::kProof}) {
      for (const tune::HistoryBlock& block : history_.blocks) {
        if (tune::PhaseOf(block) == phase) return block.candidate;
      }
    }
    return std::nullopt;
  }

  std::string ProofSection() const {
    const auto [candidate, pairs] = ProofPairsOf();
    std::string html;
    if (verdict_ != nullptr && verdict_->proof) {
      html += ProofTable(history_, *verdict_->proof);
      html += Paragraph(verdict_->proof->failure.empty()
                            ? ""
                            : "It was not accepted: " + verdict_->proof->failure,
                        "warn");
    } else if (!pairs.empty()) {
      html += Paragraph((IsComparison() ? "B, being compared: " : "Being proven: ") +
                        DescribeChange(history_.campaign.start.baseline, candidate));
    }
    const auto numbers = tune::NumbersOf(spec_.rule, pairs);
    if (!pairs.empty() && numbers) {
      const auto better = std::count_if(numbers->rewards.begin(), numbers->rewards.end(),
                                        [](double reward) { return reward > 0; });
      html += Paragraph(fmt::format("{} came out better in {} of {}.",
                                    IsComparison() ? "B" : "The candidate", better,
                                    tune::CountText(std::ssize(numbers->rewards), "pair")));
    }
    return Section(IsComparison() ? "The comparison" : "The proof", html);
  }

  std::string CounterSection() const {
    const tune::CounterReport report = tune::CountersOf(history_);
    std::string html = CounterTable(history_, report);
    if (html.empty()) return "";
    html += Paragraph(
        "Counted in the fresh runs: programs by the kernel, for benchmark and service "
        "together; waiting, as a share of the time, for the whole machine. Those that moved come "
        "first. They tell how, and decide nothing.",
        "soft");
    if (!report.missing.empty()) html += Paragraph("Not counted: " + report.missing + ".", "soft");
    return Section("What moved with it", html);
  }

  std::string FrontSection() const {
    if (verdict_ == nullptr || verdict_->front.empty()) return "";
    return Section("The trade-off",
                   FrontTable(history_, verdict_->front) +
                       Paragraph(fmt::format(
                           "The intervals are wide enough to hold all together with {} confidence.",
                           ConfidenceText())));
  }

  std::string SearchSection() const {
    if (IsComparison()) return "";
    if (trials_.empty()) {
      return Section("The search", Paragraph("No candidate was tried."));
    }
    const std::string tally = tune::ToText(tune::TallyOf(history_));
    std::string html = Paragraph(
        fmt::format("{} by {}. {}{} {}", tune::CountText(std::ssize(trials_), "candidate"),
                    spec_.search.proposer, tally, tally.empty() ? "" : ".", StopInWords()));
    if (const std::string idle = IdleInWords(); !idle.empty()) html += Paragraph(idle);
    html += Paragraph(
        "The best of many estimates looks better than it is, which is why the winner is measured "
        "again.",
        "soft");
    html +=
        fmt::format("<details><summary>Everything that was tried ({})</summary>{}</details>",
                    tune::CountText(std::ssize(trials_), "trial"), TrialTable(history_, trials_));
    return Section("The search", html);
  }

  std::string IdleInWords() const {
    std::string names;
    for (const tune::IdleParameter& parameter : tune::TriedInVain(history_)) {
      names += fmt::format("{}{} (in {})", names.empty() ? "" : ", ", parameter.name,
                           tune::CountText(parameter.candidates, "candidate"));
    }
    return names.empty() ? "" : "Tried, and left as they are: " + names + ".";
  }

  std::string StopInWords() const {
    for (const tune::StoredDecision& stored : history_.decisions) {
      const auto stop = tune::ReadStop(stored.decision);
      if (stop) return fmt::format("It ended because: {}.", stop->why);
    }
    return "It has not ended.";
  }

  std::string NoiseSection() const {
    const std::string phases = PhaseTable(history_);
    std::string html = GateTable(history_);
    if (!phases.empty()) html += "<h3>All runs</h3>" + phases;
    return Section("How noisy the machine was", html);
  }

  std::string AgainSection() const {
    const std::string id = Escape(history_.campaign.id);
    std::string html = fmt::format(
        "<pre>hone replay {0}               # the same decisions again, from what is stored\n"
        "hone show {0}                 # this in a terminal\n"
        "hone export {0} --as csv      # every run, one a line</pre>",
        id);
    html += "<h3>Settings</h3>" + SettingsTable(history_);
    const std::string machine = MachineTable(history_);
    if (!machine.empty()) html += "<h3>Machine, as it was at the start</h3>" + machine;
    return Section("To do it again", html);
  }

  std::string RestoreSection() const {
    return Section("What was put back", Paragraph(history_.campaign.restore_text));
  }

  std::string LimitsSection() const {
    std::string html = "<ul>";
    const auto item = [&](const std::string& text) {
      html += fmt::format("<li>{}</li>", Escape(text));
    };
    item(
        "The answer is about this benchmark, on this machine, with these settings. Another load "
        "may answer otherwise.");
    item(fmt::format("Of all {} intervals, about {:.2g} % miss the truth; nobody can tell which.",
                     ConfidenceText(), 100 * (1 - spec_.proof.confidence)));
    if (!IsComparison())
      item(
          "Estimates of the search come from few pairs and are compared with each other. Only the "
          "proof was measured afresh, with a number of pairs that was fixed beforehand.");
    item(
        "Runs on a disturbed machine and runs that lie apart are marked and kept; nothing was "
        "left out of any number.");
    if (verdict_ != nullptr && !verdict_->effects.empty()) {
      item("The intervals of the parameters’ own effects are not corrected for their number.");
    }
    return Section("Limits", html + "</ul>");
  }

  const tune::CampaignHistory& history_;
  const ReportScript& script_;
  const tune::CampaignSpec& spec_;
  const tune::Verdict* verdict_;  // Null before the end.
  std::vector<tune::TrialHistory> trials_;
};

}  // namespace

std::string RenderReport(const tune::CampaignHistory& history, const ReportScript& script) {
  return Report(history, script).Render();
}

}  // namespace hone::report
