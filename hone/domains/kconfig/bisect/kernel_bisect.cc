// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/bisect/kernel_bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "hone/domains/kconfig/bisect/configs_between.h"
#include "hone/domains/kconfig/build/kernel_store.h"

namespace hone::kernels {
namespace {

constexpr std::chrono::hours kMaxBuilding{6};
constexpr std::uint64_t kSeedsOfMetric = 3;

enum class Fault : std::uint8_t { kNothing, kBuild, kBoot, kWorkloads, kSlower, kOther };

// What one configuration is like.
struct BootTrial {
  Fault fault = Fault::kNothing;
  std::string what;
  std::vector<Evidence> evidence = {};
  std::vector<double> logs = {};  // Of the metric, one a seed.
};

BootTrial TrialOn(const RunResult& ran, bool is_built) {
  const auto failed = [&](Fault fault, const char* what) {
    return BootTrial{fault, fmt::format("{}: {}", what, ran.reason), ran.evidence};
  };
  switch (ran.outcome) {
    case Outcome::kAccepted:
      return {Fault::kNothing, "boots"};
    case Outcome::kRejected:
      return failed(Fault::kOther, "is not what the tree makes of it");
    case Outcome::kBuildFailed:
      return failed(Fault::kBuild, "does not build");
    case Outcome::kCrashed:
    case Outcome::kTimedOut:
      return is_built ? failed(Fault::kBoot, "does not boot")
                      : failed(Fault::kBuild, "does not build");
    default:
      return failed(Fault::kWorkloads, "does not run the workloads");
  }
}

class KernelBisect {
 public:
  KernelBisect(KernelLab& lab, const BisectRequest& request, const BisectListener& listener,
               const ConfigsBetween& between)
      : lab_(lab), request_(request), listener_(listener), between_(between) {}

  Result<BisectAnswer> Run(const std::string& good, const std::string& bad) {
    if (auto checked = CheckEnds(good, bad); !checked) return checked.error();
    const auto found =
        FindCulprits(between_.changes().size(), [&](const ChangeSet& set) { return Try(set); });
    if (!found) return found.error();
    return AnswerOf(*found);
  }

 private:
  Result<void> CheckEnds(const std::string& good, const std::string& bad) {
    const auto fine = TrialOf(good);
    if (!fine) return fine.error();
    Tell({0, 0, "the good one " + (*fine)->what});
    if ((*fine)->fault != Fault::kNothing) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{} is not good: it {}", request_.good, (*fine)->what)};
    }
    usual_ = (*fine)->logs;
    const auto broken = TrialOf(bad);
    if (!broken) return broken.error();
    Tell({0, between_.changes().size(), "the bad one " + (*broken)->what});
    wanted_ = **broken;
    if (wanted_.fault == Fault::kNothing || wanted_.fault == Fault::kOther ||
        (!request_.metric.empty() && wanted_.fault != Fault::kSlower)) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{} is not bad in the way that is looked for: it {}", request_.bad,
                               wanted_.what)};
    }
    return {};
  }

  Result<ChangesTried> Try(const ChangeSet& changes) {
    if (const auto known = tried_.find(changes); known != tried_.end()) return known->second;
    const BetweenConfig between = between_.With(changes);
    ChangesTried tried{Judgement::kSkipped, between.made};
    if (between.config.empty()) {
      Skip(changes, between.reason);
    } else {
      const std::size_t before = trials_.size();
      const auto trial = TrialOf(between.config);
      if (!trial) return trial.error();
      if (trials_.size() > before) Tell({++steps_, between.made.size(), (*trial)->what});
      if ((*trial)->fault == Fault::kNothing) tried.judgement = Judgement::kGood;
      if ((*trial)->fault == wanted_.fault) tried.judgement = Judgement::kBad;
      if (tried.judgement == Judgement::kSkipped) Skip(changes, (*trial)->what);
    }
    return tried_[changes] = std::move(tried);
  }

  void Skip(const ChangeSet& changes, const std::string& why) {
    std::string what = fmt::format("{} of the changes", changes.size());
    if (changes.size() == 1) what = between_.NameOf(changes.front());
    skipped_.push_back(fmt::format("{}: {}", what, why));
    Tell({steps_, changes.size(), "skipped: " + why});
  }

  void Tell(const BisectStep& step) const {
    if (listener_.on_step) listener_.on_step(step);
  }

  // By what the configuration sets: equal kernels are looked at once.
  Result<const BootTrial*> TrialOf(const std::string& config) {
    const std::string essence = EssenceOf(config);
    if (const auto known = trials_.find(essence); known != trials_.end()) return &known->second;
    const auto build = lab_.builder->Build({config, kMaxBuilding, request_.stop});
    if (!build) return build.error();
    BootTrial trial = TrialOn(build->kernel ? RunResult{} : ResultOf(*build), false);
    if (build->kernel) {
      auto booted = TryBoot(*build->kernel);
      if (!booted) return booted.error();
      trial = std::move(*booted);
    }
    return &(trials_[essence] = std::move(trial));
  }

  Result<BootTrial> TryBoot(const BuiltKernel& kernel) const {
    std::vector<double> logs;
    const std::uint64_t seeds = request_.metric.empty() ? 1 : kSeedsOfMetric;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      MeasureOrder order = MeasureAll(lab_, kernel);
      order.seed = seed;
      order.stop = request_.stop;
      const auto ran = MeasureKernel(*lab_.guest, order);
      if (!ran) return ran.error();
      if (request_.stop.stop_requested()) return Error{Errc::kUnavailable, "asked to stop"};
      if (ran->outcome != Outcome::kAccepted) return TrialOn(*ran, true);
      if (request_.metric.empty()) break;
      logs.push_back(std::log(ran->sample.metrics.at(request_.metric).value));
    }
    return request_.metric.empty() ? BootTrial{Fault::kNothing, "boots"}
                                   : JudgeSpeed(std::move(logs));
  }

  // Against the good one, a pair a seed.
  BootTrial JudgeSpeed(std::vector<double> logs) const {
    if (usual_.empty()) return {Fault::kNothing, "boots", {}, std::move(logs)};
    double worse = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      worse += (logs[i] - usual_[i]) / static_cast<double>(logs.size());
    }
    const double change = std::expm1(worse);
    const bool is_worse =
        IsHigherBetter() ? change < -request_.worse_than : change > request_.worse_than;
    return {is_worse ? Fault::kSlower : Fault::kNothing,
            fmt::format("boots, {} {:+.2f} %", request_.metric, 100 * change),
            {},
            std::move(logs)};
  }

  bool IsHigherBetter() const {
    for (const MetricFacts& metric : MetricsOf(WorkloadNames(), true)) {
      if (metric.name == request_.metric) return metric.direction == Direction::kHigherIsBetter;
    }
    return true;
  }

  BisectAnswer AnswerOf(const Culprits& culprits) const {
    BisectAnswer answer;
    answer.fault = wanted_.what;
    answer.evidence = wanted_.evidence;
    answer.is_minimal = culprits.is_minimal;
    answer.changes = between_.changes().size();
    answer.steps = steps_;
    answer.skipped = skipped_;
    ChangeSet all;
    for (const ChangeSet& group : culprits.groups) {
      std::vector<std::string> names;
      for (const std::size_t change : group) names.push_back(between_.NameOf(change));
      all.insert(all.end(), group.begin(), group.end());
      answer.options.push_back(std::move(names));
    }
    std::sort(all.begin(), all.end());
    const auto tried = tried_.find(all);
    for (const std::size_t change : tried == tried_.end() ? ChangeSet{} : tried->second.made) {
      if (!std::binary_search(all.begin(), all.end(), change)) {
        answer.consequences.push_back(between_.NameOf(change));
      }
    }
    return answer;
  }

  KernelLab& lab_;
  const BisectRequest& request_;
  const BisectListener& listener_;
  const ConfigsBetween& between_;
  BootTrial wanted_;           // Of the bad one.
  std::vector<double> usual_;  // The good one's metric, one a seed.
  std::size_t steps_ = 0;
  std::vector<std::string> skipped_;
  std::map<ChangeSet, ChangesTried> tried_;
  std::map<std::string, BootTrial> trials_;  // By essence.
};

Result<void> CheckMetric(const BisectRequest& request) {
  if (request.metric.empty()) return {};
  std::vector<std::string> names;
  for (const MetricFacts& metric : MetricsOf(WorkloadNames(), true)) names.push_back(metric.name);
  if (std::find(names.begin(), names.end(), request.metric) != names.end()) return {};
  return Error{Errc::kInvalidArgument, fmt::format("{}: no such metric; there are {}",
                                                   request.metric, fmt::join(names, ", "))};
}

}  // namespace

Result<BisectAnswer> BisectKernels(KernelLab& lab, const BisectRequest& request,
                                   const BisectListener& listener) {
  if (auto known = CheckMetric(request); !known) return known.error();
  OptionsRequest base;
  base.base = request.good;
  base.cache = lab.cache;
  const auto options = KernelOptions::Load(lab.source, base);
  if (!options) return options.error();
  const auto from = ConfigFor(*options, {});
  if (!from) return from.error();
  const auto to = ConfigFor(lab, request.bad, {});
  if (!to) return to.error();
  const ConfigsBetween between(options->solver(), from->config, to->config);
  const std::size_t changes = between.changes().size();
  if (changes == 0) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{} and {} do not differ in any option that can be set", request.good,
                             request.bad)};
  }
  if (listener.on_start) listener.on_start(changes, MaxStepsForOne(changes));
  return KernelBisect(lab, request, listener, between).Run(from->config, to->config);
}

}  // namespace hone::kernels
