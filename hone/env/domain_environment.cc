// SPDX-License-Identifier: Apache-2.0
#include "hone/env/domain_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/env/run_comparison.h"

namespace hone::env {
namespace {

Error Invalid(std::string message) {
  return Error{Errc::kInvalidArgument, "environment: " + std::move(message)};
}

Result<void> CheckSettings(const DomainEnvironmentSettings& settings) {
  if (settings.max_steps < 1) return Invalid("max_steps must be at least 1");
  if (settings.max_failures < 1) return Invalid("max_failures must be at least 1");
  for (const Arm arm : {Arm::kBaseline, Arm::kCandidate}) {
    if (std::ranges::count(settings.order, arm) == 0) return Invalid("order must name both arms");
  }
  return {};
}

std::vector<std::string> CoordinateNames(const Space& space) {
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) {
    const auto* tuple = std::get_if<OrderedTuple>(&parameter.kind);
    for (std::size_t i = 0; tuple != nullptr && i < tuple->arity; ++i) {
      names.push_back(fmt::format("parameter {}/{}", parameter.name, i));
    }
    if (tuple == nullptr) names.push_back("parameter " + parameter.name);
  }
  return names;
}

// The rule's mean over all pairs; its failure reward if a limit is broken in the mean.
Result<double> MeanReward(const RewardRule& rule, const std::vector<SamplePair>& pairs) {
  if (pairs.empty()) return Invalid("an accepted evaluation has no pair of runs");
  const auto count = static_cast<double>(pairs.size());
  for (const Limit& limit : rule.limits) {
    double margin = 0;
    for (const SamplePair& pair : pairs) {
      const auto one = Margin(limit, pair);
      if (!one) return one.error();
      margin += *one / count;
    }
    if (margin < 0) return rule.failure_reward;
  }
  double reward = 0;
  for (const SamplePair& pair : pairs) {
    const auto one = PairReward(rule, pair);
    if (!one) return one.error();
    reward += *one / count;
  }
  return reward;
}

class DomainEnvironment final : public Environment {
 public:
  DomainEnvironment(const Domain& domain, Evaluator evaluator, DomainEnvironmentSettings settings)
      : space_(domain.SearchSpace()),
        baseline_(domain.Baseline()),
        evaluator_(std::move(evaluator)),
        settings_(std::move(settings)) {
    task_.domain = domain.Facts().name;
    task_.owner = settings_.owner;
    task_.options = settings_.options;
    task_.candidate = baseline_;
    task_.baseline = baseline_;
    task_.order = settings_.order;
    task_.run_timeout = settings_.run_timeout;
    task_.needs = domain.Facts().needs;
  }

  // Evaluates the baseline against itself to see what runs report, and that the rule fits.
  Result<void> InspectMachine() {
    const auto evaluation = Evaluate();
    if (!evaluation) return evaluation.error();
    if (evaluation->outcome != Outcome::kAccepted) {
      return Error{Errc::kUnavailable,
                   fmt::format("environment: the baseline was {}: {}", NameOf(evaluation->outcome),
                               evaluation->reason)};
    }
    if (const auto reward = MeanReward(settings_.rule, PairsOf(*evaluation)); !reward) {
      return reward.error();
    }
    comparison_ = RunComparison(evaluation->samples);
    facts_.action_size = space_.UnitSize();
    facts_.max_steps = settings_.max_steps;
    facts_.observations = CoordinateNames(space_);
    facts_.observations.push_back("last step failed");
    for (const std::string& name : comparison_.names()) {
      facts_.observations.push_back("run " + name);
    }
    return {};
  }

  const EnvironmentFacts& Facts() const override { return facts_; }

  Result<std::vector<double>> Reset(std::uint64_t seed) override {
    task_.seed = seed;
    steps_ = 0;
    failures_ = 0;
    is_going_on_ = true;
    in_force_ = space_.ToUnit(baseline_.assignment);
    return Observe(false, {});
  }

  Result<Transition> Step(std::span<const double> action) override {
    if (!is_going_on_) return Invalid("no episode is going on; call Reset");
    if (action.size() != facts_.action_size) {
      return Invalid(
          fmt::format("an action of {} numbers, expected {}", action.size(), facts_.action_size));
    }
    if (!std::ranges::all_of(action, [](double x) { return std::isfinite(x); })) {
      return Invalid("an action that is not finite");
    }
    task_.candidate.assignment = space_.FromUnit(action);
    task_.position = steps_ * static_cast<std::int64_t>(settings_.order.size());
    auto evaluation = Evaluate();
    if (!evaluation) return evaluation.error();
    return Conclude(std::move(*evaluation));
  }

 private:
  Result<Evaluation> Evaluate() {
    task_.id = fmt::format("{}-{}", settings_.task_prefix, evaluated_++);
    return evaluator_(task_);
  }

  // From here on the step counts.
  Result<Transition> Conclude(Evaluation evaluation) {
    const bool is_failure = evaluation.outcome != Outcome::kAccepted;
    Result<double> reward = settings_.rule.failure_reward;
    if (!is_failure) reward = MeanReward(settings_.rule, PairsOf(evaluation));
    if (!reward) return reward.error();

    ++steps_;
    failures_ = is_failure ? failures_ + 1 : 0;
    if (!is_failure) in_force_ = space_.ToUnit(task_.candidate.assignment);
    Transition transition;
    transition.reward = *reward;
    transition.is_terminated = failures_ >= settings_.max_failures;
    transition.is_truncated = !transition.is_terminated && steps_ >= settings_.max_steps;
    transition.observation = Observe(is_failure, evaluation.samples);
    transition.evaluation = std::move(evaluation);
    is_going_on_ = !transition.IsEnd();
    return transition;
  }

  std::vector<double> Observe(bool is_failure, const std::vector<Sample>& samples) const {
    std::vector<double> observation;
    observation.reserve(facts_.observations.size());
    observation.insert(observation.end(), in_force_.begin(), in_force_.end());
    observation.push_back(is_failure ? 1 : 0);
    const auto changes = comparison_.Compare(samples);
    observation.insert(observation.end(), changes.begin(), changes.end());
    return observation;
  }

  // Constant once made.
  const Space& space_;
  const Candidate baseline_;
  const Evaluator evaluator_;
  const DomainEnvironmentSettings settings_;
  RunComparison comparison_;
  EnvironmentFacts facts_;

  std::int64_t evaluated_ = 0;  // Over all episodes, for ids.
  Task task_;                   // The next one; most of it never changes.

  // Of the episode.
  bool is_going_on_ = false;
  std::int64_t steps_ = 0;
  int failures_ = 0;  // In a row.
  std::vector<double> in_force_;
};

}  // namespace

Result<std::unique_ptr<Environment>> MakeDomainEnvironment(const Domain& domain,
                                                           Evaluator evaluator,
                                                           DomainEnvironmentSettings settings) {
  if (const auto checked = CheckSettings(settings); !checked) return checked.error();
  if (domain.SearchSpace().UnitSize() == 0) {
    return Invalid(fmt::format("domain {} has no parameters to act on", domain.Facts().name));
  }
  auto environment =
      std::make_unique<DomainEnvironment>(domain, std::move(evaluator), std::move(settings));
  if (const auto looked = environment->InspectMachine(); !looked) return looked.error();
  return environment;
}

}  // namespace hone::env
