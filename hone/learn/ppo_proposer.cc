// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/ppo_proposer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "hone/core/rng.h"
#include "hone/learn/campaign_policy.h"
#include "hone/learn/ppo.h"
#include "hone/learn/pretrain.h"
#include "hone/learn/tuning_options.h"
#include "hone/learn/tuning_policy.h"
#include "hone/tune/proposers/model/trial_memory.h"
#include "hone/tune/proposers/random_search.h"
#include "hone/tune/proposers/trial_history.h"

namespace hone::learn {
namespace {

constexpr int kMaxTries = 64;        // For a candidate that was not asked before.
constexpr double kFailureUnits = 2;  // A failure counts as so many spreads below the worst.
constexpr double kMinSpread = 1e-6;
constexpr int kFailuresToEnd = 3;  // In a row; they end an episode.

// A trial of the rollout under way.
struct Step {
  Candidate candidate;
  std::vector<double> observation;
  std::vector<double> action;
  std::vector<double> mask;
  double log_prob = 0;
  double value = 0;
  bool begins_episode = false;
  std::optional<tune::Trial> trial;
  std::vector<double> after;  // What the policy saw once the trial was told.
};

class PpoProposer final : public tune::Proposer {
 public:
  PpoProposer(const tune::ProposerSettings& settings, const TuningOptions& options,
              std::unique_ptr<tune::Proposer> judge)
      : space_(settings.space),
        baseline_(settings.baseline),
        options_(options),
        rng_(Rng(settings.seed).Split("ppo proposer")),
        judge_(std::move(judge)),
        view_(settings.space, settings.baseline.assignment),
        learner_(options.ppo, view_.size(), DistributionFor(settings.space)) {}

  Result<void> BeginWith(const CampaignPolicy& policy) {
    ActorCriticState state = learner_.network().Save();
    if (state.parameters.size() != policy.parameters.size()) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("proposer ppo: option initial_policy: its networks have {} numbers, those "
                      "that fit here {}",
                      policy.parameters.size(), state.parameters.size())};
    }
    state.parameters = policy.parameters;
    if (auto loaded = learner_.network().Load(state); !loaded) return loaded;
    expected_ = policy.deltas;
    view_.Expect(policy.deltas);
    trials_before_ = policy.trials;
    NoteLearnt();
    return {};
  }

  void LearnFrom(const std::vector<tune::Trial>& history) {
    PretrainOn(history, space_, baseline_, learner_, view_.numbers(), rng_.Split("history"));
    // Those of the campaign that the policy comes from are counted already.
    if (!options_.initial_policy) trials_before_ = std::ssize(history);
    NoteLearnt();
  }

  Result<Candidate> Ask() override {
    Step step;
    step.begins_episode = BeginsEpisode();
    if (step.begins_episode) {
      view_.BeginEpisode();
      steps_in_episode_ = 0;
      failures_in_a_row_ = 0;
    }
    step.observation = view_.numbers();
    Rng rng = rng_.Split("ask").Split(memory_.asks());
    for (int tries = 0; tries < kMaxTries; ++tries) {
      Draw(step, rng);
      if (step.candidate != baseline_ && !memory_.WasAsked(step.candidate)) break;
    }
    memory_.NoteAsked(step.candidate);
    steps_.push_back(step);
    ++steps_in_episode_;
    return step.candidate;
  }

  Result<void> Tell(const tune::Trial& trial) override {
    if (auto told = memory_.Tell(space_, trial); !told) return told;
    if (auto told = judge_->Tell(trial); !told) return told;
    if (auto known = CheckDeltas(trial); !known) return known;
    for (Step& step : steps_) {
      const bool is_same =
          step.trial ? step.trial->number == trial.number : step.candidate == trial.candidate;
      if (!is_same) continue;
      const bool is_new = !step.trial;
      step.trial = trial;
      if (!is_new) break;
      Note(trial);
      step.after = view_.numbers();
      break;
    }
    if (IsRolloutFull()) Improve();
    return {};
  }

  Result<std::vector<tune::Recommendation>> Recommend(std::size_t max) override {
    return judge_->Recommend(max);
  }

  // None to be expected once the mean reward has stopped rising; before that it does not know.
  std::optional<double> ExpectedRemainingGain() override {
    if (options_.wait_timeout == 0 || updates_since_best_ < options_.wait_timeout)
      return std::nullopt;
    return 0;
  }

  std::string Learnt() override { return learnt_; }

 private:
  void Draw(Step& step, Rng& rng) {
    PpoLearner::Choice choice = learner_.Act(step.observation, {}, rng);
    std::vector<double> unit(choice.actions.size());
    learner_.distribution().ToUnit(choice.actions, unit);
    step.candidate = baseline_;
    step.candidate.assignment = space_.FromUnit(unit);
    step.mask = MaskOf(space_, learner_.distribution(), step.candidate.assignment);
    step.log_prob = learner_.LogProbOf(0, choice.actions, step.mask);
    step.action = std::move(choice.actions);
    step.value = choice.values.front();
  }

  bool BeginsEpisode() const {
    if (memory_.asks() == 0 || failures_in_a_row_ >= kFailuresToEnd) return true;
    return options_.steps_per_episode > 0 && steps_in_episode_ >= options_.steps_per_episode;
  }

  // A policy that has learnt to look at some deltas is blind where the runs report none of them.
  Result<void> CheckDeltas(const tune::Trial& trial) {
    if (expected_.empty() || trial.observations.empty()) return {};
    const auto is_seen = [&](const TuningView::Delta& delta) {
      return trial.observations.contains(delta.name);
    };
    if (std::ranges::none_of(expected_, is_seen)) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("proposer ppo: option initial_policy: it was trained on runs that report {} "
                      "and {} more; these report none of them: it fits another workload",
                      expected_.front().name, expected_.size() - 1)};
    }
    expected_.clear();
    return {};
  }

  // Everything of it has been told, and there are n_steps of it, or none will follow.
  bool IsRolloutFull() const {
    if (steps_.empty() || std::ranges::any_of(steps_, [](const Step& s) { return !s.trial; })) {
      return false;
    }
    if (taken_ >= options_.ppo.total_timesteps) return false;
    const std::int64_t count = std::ssize(steps_);
    return count >= options_.ppo.n_steps || taken_ + count >= options_.ppo.total_timesteps;
  }

  void Note(const tune::Trial& trial) {
    const bool is_failed = trial.outcome != Outcome::kAccepted;
    failures_in_a_row_ = is_failed ? failures_in_a_row_ + 1 : 0;
    view_.Note(is_failed ? nullptr : &trial.candidate.assignment, RewardOf(trial),
               trial.observations);
  }

  // In units of the spread of all rewards so far, so that no setting depends on a metric's scale.
  double RewardOf(const tune::Trial& trial) const {
    const double spread = Spread();
    if (tune::IsFeasible(trial)) return trial.reward.mean / spread;
    double worst = 0;
    for (const auto& [number, other] : memory_.trials()) {
      if (tune::IsFeasible(other)) worst = std::min(worst, other.reward.mean);
    }
    return worst / spread - kFailureUnits;
  }

  double Spread() const {
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (const auto& [number, trial] : memory_.trials()) {
      if (!tune::IsFeasible(trial)) continue;
      sum += trial.reward.mean;
      squares += trial.reward.mean * trial.reward.mean;
      ++count;
    }
    if (count < 2) return 1;
    return std::sqrt(std::max(squares / count - sum * sum / count / count, 0.0)) + kMinSpread;
  }

  void Improve() {
    Rollout rollout;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      const auto append = [](std::vector<double>& to, const std::vector<double>& more) {
        to.insert(to.end(), more.begin(), more.end());
      };
      append(rollout.observations, step.observation);
      append(rollout.actions, step.action);
      append(rollout.masks, step.mask);
      rollout.log_probs.push_back(step.log_prob);
      rollout.values.push_back(step.value);
      rollout.rewards.push_back(RewardOf(*step.trial));
      const bool is_end = i + 1 < steps_.size() ? steps_[i + 1].begins_episode : BeginsEpisode();
      rollout.ends.push_back(is_end);
      // The steps of an episode are limited, its trials could go on: more reward would have come
      // after what the policy saw last. Where failures ended it, none is expected.
      if (is_end && options_.ppo.gamma > 0 && tune::IsFeasible(*step.trial)) {
        rollout.rewards.back() += options_.ppo.gamma * learner_.Values(step.after).front();
      }
    }
    const Advantages advantages = EstimateAdvantages(rollout, learner_.Values(view_.numbers()),
                                                     options_.ppo.gamma, options_.ppo.gae_lambda);
    taken_ += std::ssize(steps_);
    const double progress_remaining =
        1 - static_cast<double>(taken_) / static_cast<double>(options_.ppo.total_timesteps);
    static_cast<void>(learner_.Update(rollout, advantages, std::max(progress_remaining, 0.0),
                                      rng_.Split("update").Split(memory_.asks())));
    NoteProgress(rollout.rewards);
    NoteLearnt();
    steps_.clear();
  }

  void NoteLearnt() {
    learnt_ = ToText(CampaignPolicy{.space = space_,
                                    .net_arch = options_.ppo.net_arch,
                                    .activation_fn = options_.ppo.activation_fn,
                                    .precision = options_.ppo.precision,
                                    .trials = trials_before_ + taken_,
                                    .deltas = view_.deltas(),
                                    .parameters = learner_.network().Save().parameters});
  }

  void NoteProgress(const std::vector<double>& rewards) {
    double mean = 0;
    for (const double reward : rewards) mean += reward / static_cast<double>(rewards.size());
    const bool is_better = mean > best_mean_;
    updates_since_best_ = is_better ? 0 : updates_since_best_ + 1;
    if (is_better) best_mean_ = mean;
  }

  const Space& space_;
  const Candidate baseline_;
  const TuningOptions options_;
  const Rng rng_;  // Never drawn from: each decision splits its own stream off.
  std::unique_ptr<tune::Proposer> judge_;  // Remembers the trials and says which is best.
  TuningView view_;
  PpoLearner learner_;
  tune::TrialMemory memory_;
  std::vector<Step> steps_;  // Of the rollout under way.
  std::int64_t taken_ = 0;   // Steps that were learnt from.
  std::int64_t steps_in_episode_ = 0;
  int failures_in_a_row_ = 0;
  double best_mean_ = -HUGE_VAL;
  std::int64_t updates_since_best_ = 0;
  std::vector<TuningView::Delta> expected_;  // Of a policy to begin with, until one is seen.
  std::int64_t trials_before_ = 0;           // That it learnt from in earlier campaigns.
  std::string learnt_;                       // As of the last update.
};

}  // namespace

Result<std::unique_ptr<tune::Proposer>> MakePpoProposer(const tune::ProposerSettings& settings) {
  if (settings.space.UnitSize() == 0) {
    return Error{Errc::kInvalidArgument, "proposer ppo: the space has no parameters"};
  }
  const auto options = ReadTuningOptions(settings);
  if (!options) {
    return Error{options.error().code, "proposer ppo: " + options.error().message};
  }
  tune::ProposerSettings plain = settings;
  plain.options.clear();
  auto judge = tune::MakeRandomSearch(plain);
  if (!judge) return judge.error();
  auto proposer = std::make_unique<PpoProposer>(settings, *options, std::move(*judge));
  if (options->initial_policy) {
    if (auto begun = proposer->BeginWith(*options->initial_policy); !begun) return begun.error();
  }
  if (!options->history.empty()) {
    const auto history = tune::ReadHistory(options->history, settings.space);
    if (!history) return history.error();
    proposer->LearnFrom(*history);
  }
  return proposer;
}

tune::ProposerEntry PpoProposerEntry() {
  return {.name = "ppo",
          .summary = "a policy that learns by proximal policy optimisation",
          .make = MakePpoProposer};
}

}  // namespace hone::learn
