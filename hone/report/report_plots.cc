// SPDX-License-Identifier: Apache-2.0
#include "hone/report/report_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "hone/measure/drift.h"
#include "hone/measure/outliers.h"
#include "hone/measure/statistics.h"
#include "hone/report/html_text.h"
#include "hone/report/report_text.h"
#include "hone/report/svg_plot.h"

namespace hone::report {
namespace {

using Mark = SvgPlot::Mark;

constexpr std::size_t kMaxMarks = 240;  // In one plot; beyond that it is thinned.

std::string Figure(const std::string& plot, const std::string& caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", plot, caption);
}

std::string Key(std::string_view style, std::string_view text) {
  return fmt::format(R"(<span class="key"><i class="{}"></i>{}</span> )", style, text);
}

std::string WithUnit(const tune::CampaignHistory& history, const std::string& metric) {
  const std::string unit = tune::UnitOf(history, metric);
  return unit.empty() ? metric : fmt::format("{} ({})", metric, unit);
}

double ValueIn(const Sample& sample, const std::string& metric) {
  const auto found = sample.metrics.find(metric);
  return found == sample.metrics.end() ? std::nan("") : found->second.value;
}

const RewardRule& RuleOf(const tune::CampaignHistory& history) {
  return history.campaign.start.spec.rule;
}

std::string MarksText(const Sample& sample) {
  std::string text;
  for (const std::string& mark : sample.marks) text += (text.empty() ? "" : ", ") + mark;
  return Shorten(text, 120);
}

// One place on the x axis of the progress: a trial, or a range of trials where there are many.
struct ProgressPoint {
  std::int64_t first = 0;
  std::int64_t last = 0;
  double low = 0;  // In per cent, as are the others.
  double centre = std::nan("");
  double high = 0;
  double best = std::nan("");  // So far, with these.
  bool is_finalist = false;
  std::int64_t failed = 0;
  std::string tip;
};

constexpr double kErrorBar = 2;  // Standard errors to either side.

class Progress {
 public:
  Progress(const RewardRule& rule, const std::vector<tune::TrialHistory>& trials) : rule_(rule) {
    const std::size_t stride = (trials.size() + kMaxMarks - 1) / kMaxMarks;
    for (std::size_t i = 0; i < trials.size(); i += stride) {
      const auto begin = trials.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end = begin + static_cast<std::ptrdiff_t>(std::min(stride, trials.size() - i));
      points_.push_back(stride == 1 ? Single(*begin) : Range({begin, end}));
    }
    is_thinned_ = stride > 1;
  }

  const std::vector<ProgressPoint>& points() const { return points_; }
  bool is_thinned() const { return is_thinned_; }

 private:
  double Shown(double reward) const { return RewardPercent(rule_, reward); }

  // The best is chosen by what it surely reaches, as the search does.
  void UpdateBest(const tune::TrialHistory& trial) {
    if (!trial.reward || !trial.is_within_limits) return;
    const double surely = trial.reward->mean - trial.reward->standard_error;
    if (best_ && surely <= best_surely_) return;
    best_ = Shown(trial.reward->mean);
    best_surely_ = surely;
  }

  ProgressPoint Single(const tune::TrialHistory& trial) {
    UpdateBest(trial);
    ProgressPoint point;
    point.first = point.last = trial.number;
    point.best = best_.value_or(std::nan(""));
    point.is_finalist = trial.is_finalist;
    point.failed = trial.outcome == Outcome::kAccepted ? 0 : 1;
    point.tip = fmt::format("trial {}", trial.number);
    if (trial.reward) {
      const Estimate& reward = *trial.reward;
      point.low = Shown(reward.mean - kErrorBar * reward.standard_error);
      point.centre = Shown(reward.mean);
      point.high = Shown(reward.mean + kErrorBar * reward.standard_error);
      point.tip +=
          fmt::format(": {}, {}", SignedPercentText(point.centre), CountText(reward.count, "pair"));
    } else if (point.failed > 0) {
      point.tip += fmt::format(": {}: {}", NameOf(trial.outcome), Shorten(trial.reason, 120));
    }
    return point;
  }

  ProgressPoint Range(const std::vector<tune::TrialHistory>& trials) {
    ProgressPoint point;
    point.first = trials.front().number;
    point.last = trials.back().number;
    std::vector<double> means;
    for (const tune::TrialHistory& trial : trials) {
      UpdateBest(trial);
      if (trial.reward) means.push_back(Shown(trial.reward->mean));
      if (trial.outcome != Outcome::kAccepted) ++point.failed;
    }
    point.best = best_.value_or(std::nan(""));
    if (!means.empty()) {
      point.low = *std::min_element(means.begin(), means.end());
      point.centre = Median(means);
      point.high = *std::max_element(means.begin(), means.end());
    }
    point.tip = fmt::format("trials {} to {}: {} failed", point.first, point.last, point.failed);
    return point;
  }

  const RewardRule& rule_;
  std::vector<ProgressPoint> points_;
  bool is_thinned_ = false;
  std::optional<double> best_;
  double best_surely_ = 0;
};

// Leaves out what lies so far below the rest that the rest could not be told apart.
Extent ProgressExtent(const std::vector<ProgressPoint>& points) {
  std::vector<double> centres;
  for (const ProgressPoint& point : points) {
    if (std::isfinite(point.centre)) centres.push_back(point.centre);
  }
  Extent extent;
  extent.Include(0);
  if (centres.empty()) return extent;
  const double quarter = Quantile(centres, 0.25);
  const double floor = quarter - 3 * (Quantile(centres, 0.75) - quarter);
  for (const ProgressPoint& point : points) {
    if (!(point.centre >= floor)) continue;
    extent.Include(std::max(floor, point.low));
    extent.Include(point.high);
  }
  return extent;
}

void DrawProgress(const Progress& progress, SvgPlot& plot) {
  const ProgressPoint* before = nullptr;
  for (const ProgressPoint& point : progress.points()) {
    const double x = 0.5 * static_cast<double>(point.first + point.last);
    if (std::isfinite(point.best)) {
      const double from = static_cast<double>(point.first) - 0.5;
      if (before != nullptr) plot.Line(from, before->best, from, point.best, "best");
      plot.Line(from, point.best, static_cast<double>(point.last) + 0.5, point.best, "best");
      before = &point;
    }
    if (point.failed > 0) plot.Put(Mark::kCross, x, plot.y().low(), "failed", point.tip);
    if (!std::isfinite(point.centre)) continue;
    if (point.centre < plot.y().low()) {
      plot.Put(Mark::kTriangleDown, x, plot.y().low(), "muted", point.tip);
      continue;
    }
    plot.Line(x, point.low, x, point.high, "error");
    plot.Put(point.is_finalist ? Mark::kDiamond : Mark::kDot, x, point.centre,
             point.is_finalist ? "candidate" : "muted", point.tip);
  }
}

// The runs of a phase in the order in which they were made.
std::vector<const Sample*> RunsOf(const tune::CampaignHistory& history, tune::BlockPhase phase) {
  std::vector<const Sample*> runs;
  for (const tune::HistoryBlock& block : history.blocks) {
    if (tune::PhaseOf(block) != phase) continue;
    for (const Sample& sample : block.evaluation.samples) runs.push_back(&sample);
  }
  return runs;
}

void DrawGate(const std::vector<const Sample*>& runs, const std::string& metric, SvgPlot& plot) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const Sample* run : runs) values.push_back(ValueIn(*run, metric));
  const Trend trend = FitTrend(values);
  const auto count = static_cast<double>(values.size());
  plot.HorizontalLine(Median(values), "centre");
  plot.Line(1, trend.intercept, count, trend.intercept + trend.slope * (count - 1), "trend");
  std::map<std::int64_t, Outlier> outliers;
  for (const Outlier& outlier : MarkByModifiedZ(values)) outliers[outlier.index] = outlier;
  const std::size_t stride = (runs.size() + kMaxMarks - 1) / kMaxMarks;
  for (std::size_t i = 0; i < runs.size(); i += stride) {
    const bool is_outlier = outliers.contains(static_cast<std::int64_t>(i));
    const bool is_marked = !runs[i]->marks.empty();
    std::string tip = fmt::format("run {}: {}", i + 1, NumberText(values[i]));
    if (is_outlier) tip += ", lies apart";
    if (is_marked) tip += ", " + MarksText(*runs[i]);
    const auto x = static_cast<double>(i + 1);
    if (is_outlier) plot.Put(Mark::kHalo, x, values[i], "failed", tip);
    const bool is_a = runs[i]->arm == Arm::kBaseline;
    plot.Put(is_marked ? Mark::kDiamond
             : is_a    ? Mark::kRing
                       : Mark::kDot,
             x, values[i], is_marked ? "warning" : "baseline", tip);
  }
}

// Counts of the values in bins of one width between the ends of the axis's data.
struct Histogram {
  double start = 0;
  double width = 1;
  std::vector<int> counts;
};

Histogram HistogramOf(const std::vector<double>& values) {
  Extent extent;
  for (const double value : values) extent.Include(value);
  Histogram histogram;
  const auto count = static_cast<double>(values.size());
  const auto bins =
      static_cast<std::size_t>(std::clamp(std::ceil(2 * std::sqrt(count)), 1.0, 40.0));
  histogram.start = extent.low;
  histogram.width = (extent.high - extent.low) / static_cast<double>(bins);
  if (histogram.width <= 0) histogram.width = 0.01;
  histogram.counts.assign(bins, 0);
  for (const double value : values) {
    const auto bin = static_cast<std::size_t>((value - extent.low) / histogram.width);
    ++histogram.counts[std::min(bin, bins - 1)];
  }
  return histogram;
}

}  // namespace

std::string ProgressFigure(const tune::CampaignHistory& history,
                           const std::vector<tune::TrialHistory>& trials) {
  if (trials.empty()) return "";
  const Progress progress(RuleOf(history), trials);
  SvgPlot plot(Axis::OfCounts("trial", 0, static_cast<double>(trials.size()) - 1),
               Axis("estimated gain over the baseline (%)", ProgressExtent(progress.points())), 260,
               fmt::format("Estimated gain of {} in the order in which they were tried.",
                           CountText(std::ssize(trials), "candidate")));
  plot.HorizontalLine(0, "zero");
  DrawProgress(progress, plot);
  std::string caption =
      progress.is_thinned()
          ? fmt::format("Each dot is the median of {} neighbouring trials, its bar their range. ",
                        progress.points().front().last - progress.points().front().first + 1)
          : "Each dot is a trial’s estimate, its bar ± 2 standard errors. ";
  caption += Key("k-dot muted", "trial");
  const auto add_key = [&](const auto& is_such, std::string_view style, std::string_view text) {
    const auto& points = progress.points();
    if (std::any_of(points.begin(), points.end(), is_such)) caption += Key(style, text);
  };
  add_key([](const auto& point) { return point.is_finalist; }, "k-diamond candidate", "finalist");
  add_key([](const auto& point) { return std::isfinite(point.best); }, "k-line best",
          "best so far");
  add_key([](const auto& point) { return point.failed > 0; }, "k-cross failed", "failed");
  add_key([&](const auto& point) { return point.centre < plot.y().low(); }, "k-triangle muted",
          "below the scale");
  caption +=
      "The best of many estimates looks better than it is, which is why the winner is measured "
      "again.";
  return Figure(plot.Finish(), caption);
}

std::string PairsFigure(const tune::CampaignHistory& history,
                        const std::vector<SamplePair>& pairs) {
  if (pairs.empty()) return "";
  const Objective& objective = RuleOf(history).objectives.front();
  Extent extent;
  for (const SamplePair& pair : pairs) {
    extent.Include(ValueIn(pair.baseline, objective.metric));
    extent.Include(ValueIn(pair.candidate, objective.metric));
  }
  SvgPlot plot(
      Axis::OfCounts("pair, in the order of the runs", 1, static_cast<double>(pairs.size())),
      Axis(WithUnit(history, objective.metric), extent), 240,
      fmt::format("{} of baseline and candidate in {} of runs.", objective.metric,
                  CountText(std::ssize(pairs), "pair")));
  const std::size_t stride = (pairs.size() + kMaxMarks - 1) / kMaxMarks;
  std::size_t shown = 0;
  std::size_t better = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double before = ValueIn(pairs[i].baseline, objective.metric);
    const double after = ValueIn(pairs[i].candidate, objective.metric);
    const bool is_higher_better = objective.direction == Direction::kHigherIsBetter;
    const bool is_better = is_higher_better ? after > before : after < before;
    better += is_better ? 1 : 0;
    if (i % stride != 0) continue;
    ++shown;
    const auto x = static_cast<double>(i + 1);
    plot.Line(x, before, x, after, is_better ? "link better" : "link worse");
    plot.Put(Mark::kRing, x, before, "baseline",
             fmt::format("pair {}, baseline: {} {}", i + 1, NumberText(before),
                         MarksText(pairs[i].baseline)));
    plot.Put(Mark::kDot, x, after, "candidate",
             fmt::format("pair {}, candidate: {} {}", i + 1, NumberText(after),
                         MarksText(pairs[i].candidate)));
  }
  std::string caption = Key("k-ring baseline", "baseline") + Key("k-dot candidate", "candidate") +
                        Key("k-line better", "candidate better") +
                        Key("k-dash worse", "candidate worse");
  caption += fmt::format("The candidate came out better in {} of {} pairs.", better, pairs.size());
  if (shown < pairs.size()) caption += fmt::format(" One pair in {} is drawn.", stride);
  return Figure(plot.Finish(), caption);
}

std::string RewardsFigure(const tune::CampaignHistory& history, const std::vector<double>& rewards,
                          const PairedTest& test) {
  const RewardRule& rule = RuleOf(history);
  std::vector<double> shown;
  shown.reserve(rewards.size());
  for (const double reward : rewards) shown.push_back(RewardPercent(rule, reward));
  std::erase_if(shown, [](double value) { return !std::isfinite(value); });
  if (shown.empty()) return "";
  const double low = RewardPercent(rule, test.interval.low);
  const double high = RewardPercent(rule, test.interval.high);
  const double effect = RewardPercent(rule, test.effect);
  const Histogram histogram = HistogramOf(shown);
  Extent extent{histogram.start,
                histogram.start + histogram.width * static_cast<double>(histogram.counts.size())};
  for (const double value : {0.0, low, high}) extent.Include(value);
  const int max = *std::max_element(histogram.counts.begin(), histogram.counts.end());
  SvgPlot plot(Axis("gain in one pair (%)", extent),
               Axis::FromZero("pairs", max, std::min(max + 1, 5)), 150,
               fmt::format("Distribution of the gain over {}: centre {}, interval {}.",
                           CountText(std::ssize(shown), "pair"), SignedPercentText(effect),
                           IntervalText(low, high)));
  plot.Box(low, plot.y().low(), high, plot.y().high(), "band");
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    if (histogram.counts[i] == 0) continue;
    const double left = histogram.start + histogram.width * static_cast<double>(i);
    plot.Box(left, 0, left + histogram.width, histogram.counts[i], "bar",
             fmt::format("{}: {}", IntervalText(left, left + histogram.width),
                         CountText(histogram.counts[i], "pair")));
  }
  plot.VerticalLine(0, "zero");
  plot.VerticalLine(effect, "effect");
  const std::string caption =
      Key("k-line effect", fmt::format("centre {}", SignedPercentText(effect))) +
      Key("k-box band",
          fmt::format("{:g} % interval {}", 100 * history.campaign.start.spec.proof.confidence,
                      IntervalText(low, high))) +
      Key("k-dash zero", "no difference");
  return Figure(plot.Finish(), caption);
}

std::string GateFigure(const tune::CampaignHistory& history) {
  const std::string& metric = RuleOf(history).objectives.front().metric;
  auto runs = RunsOf(history, tune::BlockPhase::kGate);
  std::erase_if(runs, [&](const Sample* run) { return !std::isfinite(ValueIn(*run, metric)); });
  if (runs.empty()) return "";
  Extent extent;
  for (const Sample* run : runs) extent.Include(ValueIn(*run, metric));
  SvgPlot plot(Axis::OfCounts("run, in order", 1, static_cast<double>(runs.size())),
               Axis(WithUnit(history, metric), extent), 200,
               fmt::format("{} in {} of the unchanged baseline.", metric,
                           CountText(std::ssize(runs), "run")));
  DrawGate(runs, metric, plot);
  std::string caption = "The baseline against itself. " + Key("k-ring baseline", "A") +
                        Key("k-dot baseline", "A again") + Key("k-line trend", "drift") +
                        Key("k-dash centre", "median") +
                        Key("k-diamond warning", "machine disturbed") +
                        Key("k-halo failed", "lies apart, kept");
  if (runs.size() > kMaxMarks) caption += "Some of the runs are drawn.";
  return Figure(plot.Finish(), caption);
}

std::string FrontFigure(const tune::CampaignHistory& history,
                        const std::vector<tune::Proof>& front) {
  const bool is_plane = std::all_of(front.begin(), front.end(), [](const tune::Proof& proof) {
    return proof.objectives.size() >= 2;
  });
  if (front.empty() || !is_plane) return "";
  Extent extents[2];
  for (const tune::Proof& proof : front) {
    for (std::size_t k = 0; k < 2; ++k) {
      const PairedTest& test = proof.objectives[k].test;
      for (const double value : {test.interval.low, test.effect, test.interval.high, 0.0}) {
        extents[k].Include(tune::ToPercent(value));
      }
    }
  }
  const auto& names = front.front().objectives;
  SvgPlot plot(
      Axis(fmt::format("gain in {} (%)", names[0].metric), extents[0]),
      Axis(fmt::format("gain in {} (%)", names[1].metric), extents[1]), 300,
      fmt::format("Gains of {} in {} and {}; the baseline is at zero.",
                  CountText(std::ssize(front), "point"), names[0].metric, names[1].metric));
  plot.HorizontalLine(0, "zero");
  plot.VerticalLine(0, "zero");
  for (std::size_t i = 0; i < front.size(); ++i) {
    const PairedTest& first = front[i].objectives[0].test;
    const PairedTest& second = front[i].objectives[1].test;
    const double x = tune::ToPercent(first.effect);
    const double y = tune::ToPercent(second.effect);
    plot.Line(tune::ToPercent(first.interval.low), y, tune::ToPercent(first.interval.high), y,
              "error");
    plot.Line(x, tune::ToPercent(second.interval.low), x, tune::ToPercent(second.interval.high),
              "error");
    plot.Put(front[i].is_gain ? Mark::kDot : Mark::kRing, x, y, "candidate", tune::ToText(first));
    plot.Label(x, y, std::to_string(i + 1));
  }
  plot.Put(Mark::kDiamond, 0, 0, "baseline", "the baseline");
  const std::string caption =
      Key("k-dot candidate", "beats the baseline in at least one objective") +
      Key("k-ring candidate", "not shown to") + Key("k-diamond baseline", "baseline") +
      fmt::format("The intervals are wide enough to hold all together with {:g} % confidence.",
                  100 * history.campaign.start.spec.proof.confidence);
  return Figure(plot.Finish(), caption);
}

}  // namespace hone::report
