// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "hone/tune/watch/watch_level.h"
#include "hone/tune/watch/watch_memory.h"
#include "hone/tune/watch/watch_runs.h"

namespace hone::tune {
namespace {

using Kind = WatchEvent::Kind;

std::vector<Evidence> PrintedBy(const Sample& sample) {
  if (sample.output.empty()) return {};
  return {{"benchmark: output", sample.output}};
}

class Loop {
 public:
  Loop(const WatchSubject& subject, const WatchSettings& settings, const WatchHooks& hooks)
      : subject_(subject),
        settings_(settings),
        hooks_(hooks),
        region_(subject.space, subject.originals, settings.steps),
        rng_(settings.seed),
        runs_(subject, settings, hooks),
        incumbent_(subject.originals),
        level_(subject.rule, settings.runs_per_false_alarm, rng_.Split("ranks")) {
    summary_.originals = subject.originals;
  }

  Result<WatchSummary> Run() {
    auto worked = Work();
    summary_.runs = runs_.count();
    summary_.failures += runs_.lost();
    summary_.in_force = incumbent_;
    summary_.suspicions = runs_.suspicions().GraveTexts();
    const auto told =
        Tell(Kind::kEnd, "", worked ? "" : worked.error().message, incumbent_, summary_.gain);
    if (!worked && summary_.does_not_run.empty()) return worked.error();
    if (!told) return told.error();
    return summary_;
  }

 private:
  Result<void> Work() {
    const auto stuck = region_.Stuck();
    const std::string note =
        stuck.empty() ? ""
                      : fmt::format("no step within the radius moves {}", fmt::join(stuck, ", "));
    if (auto told = Tell(Kind::kStart, "", note, incumbent_); !told) return told;
    while (!IsOver()) {
      if (auto done = Round(); !done) return done;
    }
    return {};
  }

  bool IsOver() const {
    const bool is_last = settings_.max_rounds > 0 && summary_.rounds >= settings_.max_rounds;
    return is_last || hooks_.is_over();
  }

  Result<void> Round() {
    if (auto settled = Settle(); !settled || !IsSettled()) return settled;
    ++summary_.rounds;
    if (level_.IsShifted()) {
      if (auto handled = HandleShift(); !handled || !IsSettled()) return handled;
    }
    if (IsSuspicious()) return RestUnderSuspicion();
    is_suspicion_told_ = false;
    if (failures_in_a_row_ > 0) return MeasureIncumbent();  // Nothing is tried beside what is down.
    if (is_strained_) return Rest();
    if (wants_proof_ && !IsOriginal()) return Prove();
    const auto steps = region_.StepsFrom(incumbent_);
    const auto step =
        memory_.Next(steps, summary_.rounds,
                     rng_.Split("step").Split(static_cast<std::uint64_t>(summary_.rounds)));
    if (step) return Try(*step, steps.size());
    return RestOrProve();
  }

  // Runs of the incumbent, until enough is known of it and it is in force.
  Result<void> Settle() {
    const bool is_new = !IsSettled();
    while (!IsSettled() || !runs_.IsInForce(incumbent_)) {
      if (hooks_.is_over()) return {};
      if (auto measured = MeasureIncumbent(); !measured) return measured;
    }
    if (!is_new) return {};
    WatchEvent event = EventOf(Kind::kLevel, "", "", incumbent_);
    for (const auto& [name, reading] : level_.recent().Typical().metrics) {
      event.metrics[name] = reading.value;
    }
    event.gain = WatchGain{level_.recent().RewardSpread(), {}, 0};
    return hooks_.record(event);
  }

  bool IsSettled() const {
    return static_cast<std::int64_t>(level_.recent().size()) >= settings_.settle_runs;
  }

  Result<void> MeasureIncumbent() {
    auto run = runs_.Make(incumbent_, summary_.rounds);
    if (!run) return run.error();
    switch (run->end) {
      case WatchRun::End::kMeasured:
        return Learn(run->sample);
      case WatchRun::End::kFailed:
        return GiveUp(run->reason, std::move(run->evidence));
      case WatchRun::End::kLost:
        break;
    }
    if (hooks_.is_over()) return {};
    if (auto told = Tell(Kind::kFailed, "", run->reason, incumbent_); !told) return told;
    hooks_.rest();
    return {};
  }

  // From a run of the incumbent, wherever it was made.
  Result<void> Learn(const Sample& sample) {
    if (auto learned = level_.Learn(sample); !learned) {
      return GiveUp(learned.error().message, PrintedBy(sample));
    }
    failures_in_a_row_ = 0;
    const std::string broken = BrokenLimit(subject_.rule, sample);
    if (!broken.empty()) return GiveUpUnderStrain(broken);
    is_strained_ = false;
    return {};
  }

  Result<void> GiveUpUnderStrain(const std::string& broken) {
    if (!IsOriginal()) return Revert(broken);
    if (std::exchange(is_strained_, true)) return {};  // Told already.
    return Tell(Kind::kStrained, "", broken, incumbent_);
  }

  bool IsSuspicious() const { return !runs_.suspicions().GraveTexts().empty(); }

  std::string WhySuspicious() const {
    return fmt::format("{}", fmt::join(runs_.suspicions().GraveTexts(), "; "));
  }

  std::string SuspicionText() const { return "suspicious: " + WhySuspicious(); }

  // Numbers that may not be measured show nothing: what was adopted by them goes, no step is tried.
  Result<void> RestUnderSuspicion() {
    if (!IsOriginal()) return Revert(SuspicionText());
    if (!std::exchange(is_suspicion_told_, true)) {
      if (auto told = Tell(Kind::kSuspicious, "", WhySuspicious(), incumbent_); !told) return told;
    }
    return Rest();
  }

  // The incumbent failed. The originals are all that there is, so they get more chances.
  Result<void> GiveUp(const std::string& reason, std::vector<Evidence> evidence) {
    if (!IsOriginal()) return Revert(reason);
    ++summary_.failures;
    if (++failures_in_a_row_ >= settings_.max_failures) {
      summary_.does_not_run =
          fmt::format("the originals themselves failed {} times in a row; the last: {}",
                      failures_in_a_row_, reason);
      summary_.output = std::move(evidence);
      return Error{Errc::kUnavailable, summary_.does_not_run};
    }
    if (auto told = Tell(Kind::kFailed, "", reason, incumbent_); !told) return told;
    hooks_.rest();
    return {};
  }

  Result<void> Revert(const std::string& reason) {
    ++summary_.reverted;
    for (const std::string& key : std::exchange(adopted_, {})) {
      memory_.Harmed(key, summary_.rounds + settings_.harm_rounds);
    }
    memory_.Wake();
    const Candidate given_up = std::exchange(incumbent_, subject_.originals);
    ratios_.clear();
    summary_.gain.reset();
    wants_proof_ = false;
    StartAfresh();
    return Tell(Kind::kReverted, DescribeChange(subject_.originals, given_up), reason, given_up);
  }

  void StartAfresh() {
    level_.Restart();
    is_resting_ = false;
    rested_ = 0;
  }

  Result<void> HandleShift() {
    const double shift = level_.Shift();
    if (std::abs(shift) < settings_.min_shift) {
      level_.RestartDetector();
      return {};
    }
    ++summary_.shifts;
    memory_.Forget(summary_.rounds);
    wants_proof_ = !IsOriginal();
    StartAfresh();
    return Tell(Kind::kShift, "", "", incumbent_, WatchGain{shift, {}, 0});
  }

  Result<void> Try(const WatchStep& step, std::size_t choices) {
    is_resting_ = false;
    const JudgeSettings judge{.alpha = settings_.false_adoption / static_cast<double>(choices),
                              .min_gain = settings_.min_gain,
                              .max_loss = settings_.max_loss,
                              .max_pairs = settings_.trial_pairs};
    auto compared =
        runs_.Compare(incumbent_, step.candidate,
                      ChallengerJudge(TrialRule(), judge, level_.recent()), summary_.rounds);
    if (!compared) return compared.error();
    if (auto told = Conclude(step, *compared); !told) return told;
    return BringIntoForce();
  }

  Result<void> Conclude(const WatchStep& step, const Compared& compared) {
    const bool is_known =
        compared.ruling != Ruling::kMore && compared.ruling != Ruling::kReferenceBroken;
    if (is_known) ++summary_.tried;
    switch (compared.ruling) {
      case Ruling::kMore:
        if (hooks_.is_over()) return {};
        memory_.Lost(step.key);
        return Tell(Kind::kFailed, step.text, compared.reason, step.candidate);
      case Ruling::kBetter:
        if (!IsSuspicious()) return Adopt(step, compared);
        memory_.Dropped(step.key);
        return Tell(Kind::kDropped, step.text, SuspicionText(), step.candidate, compared.gain);
      case Ruling::kHarm:
        ++summary_.harms;
        memory_.Harmed(step.key, summary_.rounds + settings_.harm_rounds);
        if (auto told =
                Tell(Kind::kHarm, step.text, compared.reason, step.candidate, compared.gain);
            !told) {
          return told;
        }
        return LearnAll(compared.reference_runs);
      case Ruling::kNotBetter:
      case Ruling::kUndecided:
        memory_.Dropped(step.key);
        if (auto told =
                Tell(Kind::kDropped, step.text, compared.reason, step.candidate, compared.gain);
            !told) {
          return told;
        }
        return LearnAll(compared.reference_runs);
      case Ruling::kReferenceBroken:
        return compared.has_failed ? GiveUp(compared.reason, compared.evidence)
                                   : GiveUpUnderStrain(compared.reason);
    }
    return {};
  }

  Result<void> Adopt(const WatchStep& step, const Compared& compared) {
    ++summary_.adopted;
    memory_.Adopted(step.key);
    adopted_.push_back(step.key);
    incumbent_ = step.candidate;
    for (const auto& [metric, ratio] : compared.ratios) {
      ratios_[metric] = ratio * (ratios_.contains(metric) ? ratios_[metric] : 1);
    }
    summary_.gain.reset();
    is_unproven_ = true;
    StartAfresh();
    if (auto told = Tell(Kind::kAdopted, step.text, compared.reason, step.candidate, compared.gain);
        !told) {
      return told;
    }
    auto learned = LearnAll(compared.challenger_runs);
    level_
        .RestartDetector();  // Those runs were chosen for being good: they would look like a fall.
    return learned;
  }

  Result<void> LearnAll(const std::vector<Sample>& samples) {
    const Candidate learned = incumbent_;
    for (const Sample& sample : samples) {
      if (auto done = Learn(sample); !done) return done;
      if (incumbent_ != learned) break;  // A run broke a limit, and it was given up.
    }
    return {};
  }

  // Against the originals; what is not surely better than they are does not stay.
  Result<void> Prove() {
    const JudgeSettings judge{.alpha = 1 - settings_.confidence,
                              .min_gain = 0,
                              .max_loss = settings_.max_loss,
                              .max_pairs = settings_.proof_pairs};
    auto compared =
        runs_.Compare(subject_.originals, incumbent_,
                      ChallengerJudge(subject_.rule, judge, level_.recent()), summary_.rounds);
    if (!compared) return compared.error();
    if (auto told = ConcludeProof(*compared); !told) return told;
    return BringIntoForce();
  }

  Result<void> ConcludeProof(const Compared& compared) {
    const std::string what = DescribeChange(subject_.originals, incumbent_);
    if (compared.ruling == Ruling::kMore) {
      if (hooks_.is_over()) return {};
      if (auto told = Tell(Kind::kFailed, what, compared.reason, incumbent_); !told) return told;
      return Rest();
    }
    if (IsSuspicious()) return Revert(SuspicionText());
    const bool are_originals_broken = compared.ruling == Ruling::kReferenceBroken;
    if (!are_originals_broken && compared.ruling != Ruling::kBetter) {
      return Revert(fmt::format("against the originals: {}", compared.reason));
    }
    wants_proof_ = false;
    is_unproven_ = false;
    rested_ = 0;
    if (!are_originals_broken) {
      summary_.gain = compared.gain;
      ratios_ = compared.ratios;
    }
    const std::string reason =
        are_originals_broken ? "the originals: " + compared.reason : compared.reason;
    if (auto told = Tell(Kind::kProven, what, reason, incumbent_, compared.gain); !told) {
      return told;
    }
    return LearnAll(compared.challenger_runs);
  }

  // Nothing is left to try. What was adopted on the way here is proven as a whole first, and then
  // again from time to time.
  Result<void> RestOrProve() {
    const bool is_due = is_unproven_ || rested_ >= settings_.prove_rounds;
    if (is_due && !IsOriginal()) return Prove();
    if (++waited_ >= settings_.rest_rounds) {
      waited_ = 0;
      memory_.Wake();
    }
    ++rested_;
    if (!std::exchange(is_resting_, true)) {
      if (auto told = Tell(Kind::kResting, "", "", incumbent_, summary_.gain); !told) return told;
    }
    return Rest();
  }

  Result<void> Rest() {
    hooks_.rest();
    return MeasureIncumbent();
  }

  // At once, not at the next round's leisure.
  Result<void> BringIntoForce() {
    if (runs_.IsInForce(incumbent_) || hooks_.is_over()) return {};
    return MeasureIncumbent();
  }

  // Limits are relative to the originals, but a trial is run against the incumbent; without this,
  // each of many steps could use up the whole allowance.
  RewardRule TrialRule() const {
    RewardRule rule = subject_.rule;
    for (Limit& limit : rule.limits) {
      const auto ratio = ratios_.find(limit.metric);
      if (limit.is_relative && ratio != ratios_.end()) limit.bound /= ratio->second;
    }
    return rule;
  }

  bool IsOriginal() const { return incumbent_ == subject_.originals; }

  WatchEvent EventOf(Kind kind, std::string what, std::string reason,
                     const Candidate& candidate) const {
    WatchEvent event;
    event.kind = kind;
    event.round = summary_.rounds;
    event.what = std::move(what);
    event.reason = std::move(reason);
    event.candidate = candidate;
    event.in_force = incumbent_;
    return event;
  }

  Result<void> Tell(Kind kind, std::string what, std::string reason, const Candidate& candidate,
                    std::optional<WatchGain> gain = {}) {
    WatchEvent event = EventOf(kind, std::move(what), std::move(reason), candidate);
    event.gain = gain;
    return hooks_.record(event);
  }

  const WatchSubject& subject_;
  const WatchSettings& settings_;
  const WatchHooks& hooks_;
  const TrustRegion region_;
  const Rng rng_;

  WatchRuns runs_;
  Candidate incumbent_;
  std::map<std::string, double>
      ratios_;                        // Of the incumbent over the originals, of limited metrics.
  std::vector<std::string> adopted_;  // Keys of the steps from the originals to the incumbent.
  IncumbentLevel level_;
  StepMemory memory_;
  WatchSummary summary_;
  bool wants_proof_ = false;  // At once, after a shift.
  bool is_unproven_ = false;  // Something was adopted since the last proof.
  bool is_resting_ = false;
  bool is_strained_ = false;  // The originals' last run broke a limit.
  bool is_suspicion_told_ = false;
  std::int64_t rested_ = 0;  // Rounds at rest since the last proof,
  std::int64_t waited_ = 0;  // and since the last sweep.
  int failures_in_a_row_ = 0;
};

}  // namespace

Result<WatchSummary> WatchOver(const WatchSubject& subject, const WatchSettings& settings,
                               const WatchHooks& hooks) {
  if (auto valid = Validate(settings); !valid) return valid.error();
  return Loop(subject, settings, hooks).Run();
}

}  // namespace hone::tune
