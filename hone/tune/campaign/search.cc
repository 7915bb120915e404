// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/tune/campaign/race.h"
#include "hone/tune/proposers/bayes.h"

namespace hone::tune {
namespace {

constexpr const char* kInterrupted = "interrupted";
constexpr const char* kNoPairsLeft = "the budget of pairs is spent";
constexpr const char* kNoTimeLeft = "the time is spent";

// Little expected remaining gain ends a search only so many times in a row.
constexpr int kDullRounds = 3;

std::string FailureOf(const PairBlock& block) {
  if (block.outcome == Outcome::kAccepted) return "";
  return fmt::format("{}: {}", NameOf(block.outcome), block.reason);
}

// Empty if that is how a search is meant to end.
std::string CutShortBy(const std::string& stop_reason) {
  if (stop_reason == kInterrupted) return "the search was interrupted";
  if (stop_reason == kNoPairsLeft) return "the budget of pairs was spent";
  return stop_reason == kNoTimeLeft ? "the time was spent" : "";
}

}  // namespace

std::int64_t EnoughTrials(const Space& space, std::int64_t planned) {
  const std::int64_t wanted = std::min(DesignTrials(space), (planned + 1) / 2);
  return std::min(planned, std::max(kMinTrials, wanted));
}

Search::Search(Stage& stage, Proposer& proposer, std::vector<double> gate_rewards,
               std::stop_token wrap_up)
    : stage_(stage),
      proposer_(proposer),
      book_(stage.spec.rule, std::move(gate_rewards)),
      wrap_up_(std::move(wrap_up)) {}

bool Search::was_interrupted() const { return stop_reason_ == kInterrupted; }

SearchTally Search::Tally() const {
  SearchTally tally = tally_;
  tally.planned = stage_.spec.search.max_trials;
  tally.cut_short_by = CutShortBy(stop_reason_);
  tally.is_enough =
      tally.cut_short_by.empty() || tally.finished >= EnoughTrials(stage_.space, tally.planned);
  return tally;
}

Result<void> Search::Run() {
  stage_.runner.ListenTo(wrap_up_);
  stage_.Enter(Phase::kSearch, stage_.spec.search.max_trials);
  while (true) {
    const auto reason = ReasonToStop();
    if (!reason) return reason.error();
    if (*reason) return Stop(**reason);
    const auto numbers = AskBatch();
    if (!numbers) return numbers.error();
    const auto raced = RaceBatch(*numbers);
    if (!raced) return raced.error();
    if (!*raced) return Stop(kInterrupted);
    if (auto kept = KeepLearnt(); !kept) return kept;
    stage_.progress.trials = book_.size();
    stage_.Report(book_.size());
  }
}

Result<void> Search::Stop(const std::string& reason) {
  stop_reason_ = reason;
  return stage_.ledger.Record(
      ToDecision(StopDecision{.why = reason, .trials = book_.size(), .pairs = book_.pairs()}));
}

// What a resumed campaign only learns again is in the store already, or something newer is.
Result<void> Search::KeepLearnt() {
  if (!stage_.keep_learnt || !stage_.ledger.IsPastStored()) return {};
  std::string learnt = proposer_.Learnt();
  if (learnt.empty() || learnt == kept_) return {};
  if (auto kept = stage_.keep_learnt(learnt); !kept) return kept;
  kept_ = std::move(learnt);
  return {};
}

Result<std::optional<std::string>> Search::ReasonToStop() {
  const SearchSettings& settings = stage_.spec.search;
  using Reason = std::optional<std::string>;
  if (book_.size() >= settings.max_trials) return Reason("all trials made");
  if (settings.max_pairs > 0 && book_.pairs() + stage_.spec.race.first_pairs > settings.max_pairs) {
    return Reason(kNoPairsLeft);
  }
  if (settings.max_time.count() > 0 && stage_.runner.measured() >= settings.max_time) {
    return Reason(kNoTimeLeft);
  }
  if (stage_.search_end.count() > 0 && stage_.runner.measured() >= stage_.search_end) {
    return Reason(kNoTimeLeft);
  }
  if (settings.min_remaining_gain > 0 && book_.size() >= kMinTrials) {
    const auto remaining = proposer_.ExpectedRemainingGain();
    const bool is_little = remaining && *remaining < settings.min_remaining_gain;
    dull_rounds_ = is_little ? dull_rounds_ + 1 : 0;
    if (dull_rounds_ >= kDullRounds) return Reason("little more to be expected");
  }
  if (wrap_up_.stop_requested() || stage_.ledger.NextIs(DecisionKind::kStop))
    return Reason(kInterrupted);
  return Reason();
}

Result<std::vector<std::int64_t>> Search::AskBatch() {
  const std::int64_t count =
      std::min(stage_.spec.search.batch, stage_.spec.search.max_trials - book_.size());
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto candidate = proposer_.Ask();
    if (!candidate) return candidate.error();
    const std::int64_t number = book_.Open(*candidate);
    if (auto recorded = stage_.ledger.Record(ToDecision(AskDecision{number, *candidate}));
        !recorded) {
      return recorded.error();
    }
    numbers.push_back(number);
  }
  return numbers;
}

Result<bool> Search::RaceBatch(std::vector<std::int64_t> numbers) {
  for (int round = 0; !numbers.empty(); ++round) {
    const std::int64_t pairs =
        round == 0 ? stage_.spec.race.first_pairs : stage_.spec.race.more_pairs;
    for (const std::int64_t number : numbers) {
      if (auto started = stage_.runner.Start({{BlockPhase::kTrial, number, round},
                                              stage_.baseline,
                                              book_.Get(number).candidate,
                                              pairs});
          !started) {
        return started.error();
      }
    }
    auto still_racing = FinishRound(numbers, round);
    if (!still_racing) return still_racing.error();
    if (!*still_racing) return false;
    numbers = std::move(**still_racing);
  }
  return true;
}

Result<std::optional<std::vector<std::int64_t>>> Search::FinishRound(
    const std::vector<std::int64_t>& numbers, int round) {
  std::vector<std::int64_t> still_racing;
  for (const std::int64_t number : numbers) {
    const auto block = stage_.runner.Finish();
    if (!block) return block.error();
    if (block->is_interrupted) return std::optional<std::vector<std::int64_t>>();
    book_.Add(number, *block);
    const Trial trial = book_.Get(number);
    ShowCurrent(number, trial, *block);
    RaceStep step = RaceStep::kEnough;
    if (trial.outcome == Outcome::kAccepted && trial.is_within_limits) {
      step = JudgeRace(stage_.spec.race, book_.NumbersFor(number).rewards, trial.reward,
                       book_.SureBest(number), book_.Noise());
    }
    if (auto recorded = stage_.ledger.Record(
            ToDecision(RaceDecision{.trial = number,
                                    .round = round,
                                    .outcome = trial.outcome,
                                    .step = step,
                                    .reward = trial.reward,
                                    .is_within_limits = trial.is_within_limits}));
        !recorded) {
      return recorded.error();
    }
    UpdateBest(number, trial);
    if (step == RaceStep::kMore) {
      still_racing.push_back(number);
      continue;
    }
    ++tally_.finished;
    tally_.failed += trial.outcome == Outcome::kAccepted ? 0 : 1;
    tally_.outside += trial.outcome == Outcome::kAccepted && !trial.is_within_limits ? 1 : 0;
    if (auto told = proposer_.Tell(trial); !told) {
      return told.error();
    }
  }
  return std::optional(std::move(still_racing));
}

std::int64_t Search::NumberOf(const Candidate& candidate) {
  for (std::int64_t i = 0; i < book_.size(); ++i) {
    if (book_.Get(i).candidate == candidate) return i;
  }
  return book_.Open(candidate);
}

Result<std::vector<Recommendation>> Search::ChooseFinalists() {
  const auto max = static_cast<std::size_t>(stage_.spec.proof.finalists);
  auto favourites = proposer_.Recommend(max);
  if (!favourites || favourites->empty() || was_interrupted()) return favourites;

  const std::int64_t pairs = stage_.spec.race.max_pairs;
  stage_.Enter(Phase::kFinals, pairs * static_cast<std::int64_t>(favourites->size()));
  std::int64_t done = 0;
  for (const Recommendation& favourite : *favourites) {
    const std::int64_t number = NumberOf(favourite.candidate);
    const auto block = stage_.runner.Run(
        {{BlockPhase::kFinals, number}, stage_.baseline, favourite.candidate, pairs});
    if (!block) return block.error();
    if (block->is_interrupted) return Abandoned();
    book_.Add(number, *block);
    const Trial trial = book_.Get(number);
    if (auto recorded =
            stage_.ledger.Record(ToDecision(FinalDecision{.trial = number,
                                                          .candidate = favourite.candidate,
                                                          .outcome = trial.outcome,
                                                          .reward = trial.reward}));
        !recorded) {
      return recorded.error();
    }
    if (auto told = proposer_.Tell(trial); !told) return told.error();
    UpdateBest(number, trial);
    ShowCurrent(number, trial, *block);
    stage_.Report(done += pairs);
  }
  return proposer_.Recommend(max);
}

void Search::ShowCurrent(std::int64_t number, const Trial& trial, const PairBlock& block) {
  stage_.progress.current =
      Progress::Current{number, DescribeChange(stage_.baseline, trial.candidate),
                        book_.NumbersFor(number).rewards, trial.reward, FailureOf(block)};
  stage_.Report(stage_.progress.done);
}

void Search::UpdateBest(std::int64_t number, const Trial& trial) {
  const bool counts = trial.outcome == Outcome::kAccepted && trial.is_within_limits;
  best_.Add(number, counts ? std::optional(trial.reward) : std::nullopt);
  if (!best_.trial()) return;
  const Trial best = book_.Get(*best_.trial());
  stage_.progress.best =
      Progress::Best{DescribeChange(stage_.baseline, best.candidate), best.reward};
}

}  // namespace hone::tune
