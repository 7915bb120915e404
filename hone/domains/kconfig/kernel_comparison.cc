// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/kernel_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <future>
#include <utility>

#include "hone/domains/kconfig/kernel_measurement.h"

namespace hone::kernels {
namespace {

constexpr std::chrono::hours kLongestBuild{6};
constexpr std::size_t kMinPairs = 6;  // Below, an interval of 95 % has no end.

KernelFault FaultOf(bool is_of_a, const RunResult& ran, bool is_built) {
  std::string_view what = "does not run what is measured";
  if (!is_built) {
    what =
        ran.outcome == Outcome::kRejected ? "is not what the tree makes of it" : "does not build";
  } else if (ran.outcome == Outcome::kCrashed || ran.outcome == Outcome::kTimedOut) {
    what = "does not boot";
  }
  return {is_of_a, fmt::format("{}: {}", what, ran.reason), ran.evidence};
}

class KernelComparing {
 public:
  KernelComparing(KernelLab& lab, const CompareOrder& order) : lab_(lab), order_(order) {}

  Result<KernelComparison> Run() {
    const auto a = Build(order_.a, true);
    if (!a) return StoppedOr(a.error());
    if (!*a) return std::move(comparison_);
    const auto b = Build(order_.b, false);
    if (!b) return StoppedOr(b.error());
    if (!*b) return std::move(comparison_);
    for (std::uint64_t seed = 1; seed <= order_.pairs && !comparison_.fault; ++seed) {
      if (auto measured = MeasurePair(**a, **b, seed); !measured) {
        return StoppedOr(measured.error());
      }
      if (comparison_.is_cut_short) break;
    }
    return std::move(comparison_);
  }

 private:
  // Who is asked to stop has not failed.
  Result<KernelComparison> StoppedOr(const Error& error) {
    if (!order_.stop.stop_requested()) return error;
    comparison_.is_cut_short = true;
    return std::move(comparison_);
  }

  // nullopt: its fault is in the comparison.
  Result<std::optional<BuiltKernel>> Build(const std::string& base, bool is_a) {
    const auto config = ConfigFor(lab_, base, {});
    if (!config) return config.error();
    auto build = lab_.builder->Build({config->config, kLongestBuild, order_.stop});
    if (!build) return build.error();
    if (!build->kernel) comparison_.fault = FaultOf(is_a, ResultOf(*build), false);
    return std::move(build->kernel);
  }

  Result<RunResult> Measure(const BuiltKernel& kernel, std::uint64_t seed) {
    MeasureOrder measure = MeasureAll(lab_, kernel);
    measure.seed = seed;
    measure.stop = order_.stop;
    return MeasureKernel(*lab_.guest, measure);
  }

  Result<void> MeasurePair(const BuiltKernel& a, const BuiltKernel& b, std::uint64_t seed) {
    auto other = std::async(std::launch::async, [&] { return Measure(b, seed); });
    const auto first = Measure(a, seed);
    const auto second = other.get();
    // A guest that was asked to stop looks like one that hangs.
    comparison_.is_cut_short = order_.stop.stop_requested();
    if (comparison_.is_cut_short) return {};
    if (!first) return first.error();
    if (!second) return second.error();
    if (first->outcome != Outcome::kAccepted) {
      comparison_.fault = FaultOf(true, *first, true);
    } else if (second->outcome != Outcome::kAccepted) {
      comparison_.fault = FaultOf(false, *second, true);
    } else {
      AddRatios(first->sample, second->sample);
    }
    return {};
  }

  void AddRatios(const Sample& a, const Sample& b) {
    for (const auto& [name, reading] : a.metrics) {
      const auto found = b.metrics.find(name);
      const double ratio =
          found == b.metrics.end() ? 0 : std::log(found->second.value / reading.value);
      if (found == b.metrics.end() || !std::isfinite(ratio)) {
        comparison_.missing.insert(name);
      } else {
        comparison_.log_ratios[name].push_back(ratio);
      }
    }
    for (const auto& [name, reading] : b.metrics) {
      if (!a.metrics.contains(name)) comparison_.missing.insert(name);
    }
  }

  KernelLab& lab_;
  const CompareOrder& order_;
  KernelComparison comparison_;
};

}  // namespace

std::string_view NameOf(ComparisonAnswer answer) {
  constexpr std::array<std::string_view, 7> kNames = {
      "better", "worse", "equal", "no_difference_shown", "failed", "not_enough", "does_not_run"};
  return kNames.at(static_cast<std::size_t>(answer));
}

ComparisonAnswer KernelComparison::Answer() const {
  if (fault) return fault->is_of_a ? ComparisonAnswer::kDoesNotRun : ComparisonAnswer::kFailed;
  const auto index = log_ratios.find("index");
  const bool is_short = index == log_ratios.end() || index->second.size() < kMinPairs;
  if (is_cut_short || is_short || missing.contains("index")) return ComparisonAnswer::kNotEnough;
  const std::vector<double>& values = index->second;
  if (std::all_of(values.begin(), values.end(), [](double value) { return value == 0; })) {
    return ComparisonAnswer::kEqual;
  }
  const Interval interval = TestPairs(values).interval;
  if (interval.low > 0) return ComparisonAnswer::kBetter;
  return interval.high < 0 ? ComparisonAnswer::kWorse : ComparisonAnswer::kNoDifferenceShown;
}

Result<KernelComparison> CompareKernels(KernelLab& lab, const CompareOrder& order) {
  return KernelComparing(lab, order).Run();
}

}  // namespace hone::kernels
