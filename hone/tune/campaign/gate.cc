// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hone/measure/distributions.h"
#include "hone/measure/drift.h"
#include "hone/measure/outliers.h"
#include "hone/measure/power.h"
#include "hone/measure/statistics.h"
#include "hone/tune/campaign/proof.h"
#include "hone/tune/campaign/search_book.h"
#include "hone/tune/campaign/statistics_json.h"
#include "hone/tune/campaign/words.h"

namespace hone::tune {
namespace {

constexpr double kSuspiciousP = 0.01;
constexpr double kStrongAutocorrelation = 0.5;
constexpr double kUselessDetectable = 0.10;

// The values of the first objective over all runs, in the order in which they were made.
std::vector<double> SeriesOf(const CampaignSpec& spec, const std::vector<SamplePair>& pairs) {
  std::vector<const Sample*> runs;
  for (const SamplePair& pair : pairs) {
    runs.push_back(&pair.baseline);
    runs.push_back(&pair.candidate);
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Sample* a, const Sample* b) { return a->started < b->started; });
  std::vector<double> series;
  series.reserve(runs.size());
  for (const Sample* run : runs) {
    series.push_back(run->metrics.at(spec.rule.objectives.front().metric).value);
  }
  return series;
}

std::chrono::microseconds TypicalRunTime(const std::vector<SamplePair>& pairs) {
  std::vector<double> times;
  for (const SamplePair& pair : pairs) {
    times.push_back(static_cast<double>(pair.baseline.duration.count()));
    times.push_back(static_cast<double>(pair.candidate.duration.count()));
  }
  return std::chrono::microseconds(std::llround(Median(times)));
}

std::int64_t CountMarked(const std::vector<SamplePair>& pairs) {
  std::int64_t marked = 0;
  for (const SamplePair& pair : pairs) {
    marked += pair.baseline.marks.empty() ? 0 : 1;
    marked += pair.candidate.marks.empty() ? 0 : 1;
  }
  return marked;
}

// The pairs of the longest proof that may come.
std::int64_t MaxProofPairs(const CampaignSpec& spec, double noise) {
  return spec.comparison ? ComparisonPairs(spec.proof, noise) : spec.proof.max_pairs;
}

// The smallest gain that the longest proof would find.
double DetectableAfter(const CampaignSpec& spec, const PairNumbers& numbers, double noise) {
  if (!spec.wants_front) {
    return MinimumDetectableEffect(noise, MaxProofPairs(spec, noise), 1 - spec.proof.confidence,
                                   0.8);
  }
  double noisiest = 0;
  for (const auto& ratios : numbers.objectives) {
    noisiest = std::max(noisiest, SearchBook(spec.rule, ratios).Noise());
  }
  return DetectableInFront(spec, spec.proof.finalists, noisiest);
}

// An upper estimate: half of the candidates race to the end.
std::int64_t PlannedRuns(const CampaignSpec& spec, std::int64_t parameters, double noise) {
  if (spec.comparison) return 2 * (spec.gate_pairs + ComparisonPairs(spec.proof, noise));
  const std::int64_t per_trial = (spec.race.first_pairs + spec.race.max_pairs) / 2;
  std::int64_t search = spec.search.max_trials * per_trial;
  if (spec.search.max_pairs > 0) search = std::min(search, spec.search.max_pairs);
  return 2 * (spec.gate_pairs + search) + RunsAfterSearch(spec, parameters);
}

// Empty where the interval of A against A holds 0, as it should.
std::string DifferenceWarning(const CampaignSpec& spec, const PairedTest& difference) {
  if (difference.p_value < kSuspiciousP) {
    return fmt::format(
        "the baseline differs from itself ({}, as {:g} % of all gates do by chance): runs seem to "
        "disturb each other; let the benchmark clean up after itself, or restart the service "
        "between runs",
        PText(difference.p_value), 100 * kSuspiciousP);
  }
  if (difference.interval.low <= 0 && difference.interval.high >= 0) return "";
  return fmt::format(
      "the {:g} % interval of the baseline against itself leaves out 0 ({}): {:.2g} % of all gates "
      "do so by chance; if the next one does too, runs disturb each other",
      100 * spec.proof.confidence, PText(difference.p_value), 100 * (1 - spec.proof.confidence));
}

// The chance that independent runs hang together so much: of n of them the autocorrelation is about
// normal, with the mean -1/n and the variance 1/n.
double AutocorrelationP(double autocorrelation, std::int64_t runs) {
  const auto n = static_cast<double>(runs);
  return NormalCdf(-(autocorrelation + 1 / n) * std::sqrt(n));
}

void Warn(const CampaignSpec& spec, GateReport& report) {
  const std::string& metric = spec.rule.objectives.front().metric;
  const std::string difference = DifferenceWarning(spec, report.difference);
  if (!difference.empty()) report.warnings.push_back(difference);
  if (report.drift_p < kSuspiciousP) {
    report.warnings.push_back(fmt::format(
        "{} drifts by {:+.1f} % over the {} runs of the gate ({}): pairs cancel it, but "
        "a longer warm-up would help",
        metric, 100 * report.drift, 2 * report.pairs, PText(report.drift_p)));
  }
  const double together_p = AutocorrelationP(report.autocorrelation, 2 * report.pairs);
  if (report.autocorrelation > kStrongAutocorrelation && together_p < kSuspiciousP) {
    report.warnings.push_back(
        fmt::format("neighbouring runs of {} hang together (autocorrelation {:.2f}, {}): leave a "
                    "pause between runs",
                    metric, report.autocorrelation, PText(together_p)));
  }
  if (report.detectable > kUselessDetectable) {
    report.warnings.push_back(fmt::format(
        "so noisy that only a gain above {:.0f} % can be proven: make the benchmark longer, pin it "
        "to a CPU, or quiet the machine (docs/measurement.md)",
        100 * std::expm1(report.detectable)));
  }
}

}  // namespace

std::vector<std::string> WarningsOfLimits(const RewardRule& rule, const PairNumbers& numbers) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < rule.limits.size(); ++i) {
    const double margin = HodgesLehmann(numbers.margins[i]);
    if (margin >= 0) continue;
    warnings.push_back(
        fmt::format("the baseline itself breaks the limit {} by {:.1f} %: only candidates that "
                    "mend this count; "
                    "loosen it, or set it by the baseline (1.05x)",
                    ToText(rule.limits[i]), -100 * margin));
  }
  return warnings;
}

Result<GateReport> JudgeGate(const CampaignSpec& spec, std::int64_t parameters,
                             const std::vector<SamplePair>& pairs) {
  const auto numbers = NumbersOf(spec.rule, pairs);
  if (!numbers) return numbers.error();
  GateReport report;
  report.pairs = static_cast<std::int64_t>(pairs.size());
  report.noise = SearchBook(spec.rule, numbers->rewards).Noise();
  report.difference = TestPairs(numbers->rewards, spec.proof.confidence);

  const auto series = SeriesOf(spec, pairs);
  const double level = Median(series);
  const Trend trend = FitTrend(series);
  report.variation = level == 0 ? 0 : MedianAbsoluteDeviation(series) / std::abs(level);
  report.drift =
      level == 0 ? 0 : trend.slope * static_cast<double>(series.size()) / std::abs(level);
  report.drift_p = trend.p_value;
  report.autocorrelation = Lag1Autocorrelation(series);
  report.outliers = static_cast<std::int64_t>(MarkByModifiedZ(series).size());
  report.marked_runs = CountMarked(pairs);
  report.detectable = DetectableAfter(spec, *numbers, report.noise);
  report.run_time = TypicalRunTime(pairs);
  report.planned_runs = PlannedRuns(spec, parameters, report.noise);
  Warn(spec, report);
  const auto broken = WarningsOfLimits(spec.rule, *numbers);
  report.warnings.insert(report.warnings.end(), broken.begin(), broken.end());
  return report;
}

// An upper estimate: every parameter is tried alone.
std::int64_t RunsAfterSearch(const CampaignSpec& spec, std::int64_t parameters) {
  const std::int64_t finals = spec.proof.finalists * spec.race.max_pairs;
  if (spec.wants_front) return 2 * (finals + spec.proof.finalists * spec.proof.max_pairs);
  const std::int64_t ablation = spec.proof.has_ablation ? parameters * spec.proof.min_pairs : 0;
  return 2 * (finals + 2 * spec.proof.max_pairs + ablation);
}

Json ToJson(const GateReport& report) {
  return {{"pairs", report.pairs},
          {"noise", report.noise},
          {"variation", report.variation},
          {"drift", report.drift},
          {"drift_p", report.drift_p},
          {"autocorrelation", report.autocorrelation},
          {"outliers", report.outliers},
          {"marked_runs", report.marked_runs},
          {"difference", ToJson(report.difference)},
          {"detectable", report.detectable},
          {"run_time_us", report.run_time.count()},
          {"pair_time_us", report.pair_time.count()},
          {"planned_runs", report.planned_runs},
          {"warnings", report.warnings}};
}

Result<GateReport> ReadGateReport(const Json& json, const std::string& what) {
  JsonReader reader(json, what);
  GateReport report;
  report.pairs = reader.At("pairs").Integer();
  report.noise = reader.At("noise").Number();
  report.variation = reader.At("variation").Number();
  report.drift = reader.At("drift").Number();
  report.drift_p = reader.At("drift_p").Number();
  report.autocorrelation = reader.At("autocorrelation").Number();
  report.outliers = reader.At("outliers").Integer();
  report.marked_runs = reader.At("marked_runs").Integer();
  report.difference = ReadPairedTest(reader.At("difference"));
  report.detectable = reader.At("detectable").Number();
  report.run_time = std::chrono::microseconds(reader.At("run_time_us").Integer());
  if (reader.Has("pair_time_us")) {
    report.pair_time = std::chrono::microseconds(reader.At("pair_time_us").Integer());
  }
  report.planned_runs = reader.At("planned_runs").Integer();
  for (JsonReader& warning : reader.At("warnings").Items()) {
    report.warnings.push_back(warning.String());
  }
  reader.RefuseOthers();
  if (auto done = reader.Finish(); !done) return done.error();
  return report;
}

std::optional<GateReport> FindGate(const std::vector<Decision>& decisions) {
  for (const Decision& decision : decisions) {
    auto report = ReadGate(decision);
    if (report) return std::move(*report);
  }
  return std::nullopt;
}

}  // namespace hone::tune
