// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/rehearsal.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "hone/core/rng.h"

namespace hone::sysctl {
namespace {

constexpr double kLevel = 1000;
constexpr double kMaxGain = 0.2;  // Log-ratio, over all parameters.
constexpr double kNoise = 0.02;
constexpr std::uint64_t kSurfaceSeed = 20;

class Rehearsal final : public Session {
 public:
  explicit Rehearsal(const SysctlContext& context)
      : context_(context), start_(context.space.ToUnit(context.space.Defaults())) {
    Rng rng(kSurfaceSeed);
    for (std::size_t i = 0; i < start_.size(); ++i) {
      optimum_.push_back(rng.Uniform());
      weight_.push_back(rng.Uniform());
      total_weight_ += weight_.back();
    }
  }

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& /*stop*/) override {
    if (const auto valid = context_.space.Validate(candidate.assignment); !valid) {
      return RunResult{Outcome::kRejected, valid.error().message, {}, {}};
    }
    return RunResult{};
  }

  Result<RunResult> Run(const RunOrder& order) override {
    RunResult result;
    result.sample.arm = order.arm;
    const double gain = GainOf(order.candidate.assignment);
    Rng rng = Rng(order.seed).Split(static_cast<std::uint64_t>(order.position));
    for (const MetricSpec& metric : context_.options.workload.metrics) {
      const bool is_higher = metric.facts.direction == Direction::kHigherIsBetter;
      const double log_ratio = (is_higher ? gain : -gain) + kNoise * rng.Normal();
      result.sample.metrics[metric.facts.name] = {.value = kLevel * std::exp(log_ratio)};
    }
    result.sample.metrics.try_emplace(kStability, Reading{.value = 1});
    return result;
  }

 private:
  double GainOf(const Assignment& assignment) const {
    const std::vector<double> unit = context_.space.ToUnit(assignment);
    double gain = 0;
    for (std::size_t i = 0; i < unit.size(); ++i) {
      gain += weight_[i] * (std::abs(start_[i] - optimum_[i]) - std::abs(unit[i] - optimum_[i]));
    }
    return total_weight_ > 0 ? kMaxGain * gain / total_weight_ : 0;
  }

  const SysctlContext& context_;
  std::vector<double> start_;
  std::vector<double> optimum_;
  std::vector<double> weight_;
  double total_weight_ = 0;
};

}  // namespace

std::unique_ptr<Session> MakeRehearsal(const SysctlContext& context) {
  return std::make_unique<Rehearsal>(context);
}

}  // namespace hone::sysctl
