// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/pair_runner.h"

#include <fmt/format.h>

#include <utility>

#include "hone/core/check.h"
#include "hone/eval/queue/queue_rules.h"
#include "hone/eval/worker/task_evaluation.h"

namespace hone::tune {
namespace {

// How long one wait lasts; it is woken when something happens.
constexpr TaskQueue::Duration kWaitTimeout = std::chrono::hours(1);

// A task that was dropped is tried again under another id: always if that was in an earlier life
// of the campaign, and this often in this one, since kills of earlier lives count as attempts.
constexpr int kMaxRetries = 1;

std::vector<Arm> RandomOrder(std::int64_t pairs, Rng rng) {
  std::vector<Arm> order;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const bool is_baseline_first = rng.Coin();
    order.push_back(is_baseline_first ? Arm::kBaseline : Arm::kCandidate);
    order.push_back(is_baseline_first ? Arm::kCandidate : Arm::kBaseline);
  }
  return order;
}

// "trial/7/0" as people say it.
std::string WordsFor(const std::string& block) {
  const auto id = ParseBlockId(block);
  if (!id) return block;
  if (const auto trial = id->Trial()) return fmt::format("candidate {}", *trial);
  return fmt::format("the {}", NameOf(id->phase));
}

}  // namespace

PairRunner::PairRunner(const CampaignSpec& spec, std::string campaign, Capabilities needs,
                       TaskQueue& queue, const Ledger& ledger)
    : spec_(spec),
      campaign_(std::move(campaign)),
      needs_(std::move(needs)),
      queue_(&queue),
      ledger_(&ledger),
      rng_(Rng(spec.seed).Split("pairs")) {}

Task PairRunner::TaskFor(const PairOrder& order) {
  Task task;
  task.id = TaskIdOf(campaign_, order.id);
  task.domain = spec_.domain;
  task.options = spec_.options;
  task.candidate = order.candidate;
  task.baseline = order.baseline;
  const Rng rng = rng_.Split(static_cast<std::uint64_t>(position_));
  task.order = RandomOrder(order.pairs, rng.Split("order"));
  task.seed = rng.Split("seed").Next();
  task.position = position_;
  task.run_timeout = spec_.run_timeout;
  task.owner = campaign_;
  task.needs = needs_;
  position_ += static_cast<std::int64_t>(task.order.size());
  return task;
}

Result<void> PairRunner::Start(const PairOrder& order) {
  waiting_.push_back(TaskFor(order));
  if (ledger_->NextIs(DecisionKind::kStop)) return {};
  const auto kept = queue_->Await(waiting_.back().id, TaskQueue::Duration::zero());
  was_kept_ = kept && *kept;
  return queue_->Push(waiting_.back());
}

Result<PairBlock> PairRunner::Run(const PairOrder& order) {
  if (auto started = Start(order); !started) return started.error();
  return Finish();
}

Result<PairBlock> PairRunner::Finish() {
  HONE_CHECK(!waiting_.empty());
  if (ledger_->NextIs(DecisionKind::kStop)) return Interrupt();
  auto evaluation = AwaitEvaluation();
  if (!evaluation) return evaluation.error();
  if (!*evaluation) return Interrupt();
  waiting_.pop_front();

  PairBlock block;
  block.outcome = (*evaluation)->outcome;
  block.reason = (*evaluation)->reason;
  block.pairs = PairsOf(**evaluation);
  block.evidence = (*evaluation)->evidence;
  suspicions_.Add(**evaluation);
  block.duration = (*evaluation)->provenance.finished - (*evaluation)->provenance.started -
                   PausedIn(**evaluation);
  measured_ += block.duration;
  return block;
}

Result<void> PairRunner::CancelWaiting() {
  for (const Task& task : waiting_) {
    auto cancelled = queue_->Cancel(task.id);
    if (!cancelled && cancelled.error().code != Errc::kNotFound) return cancelled.error();
  }
  waiting_.clear();
  return {};
}

Result<PairBlock> PairRunner::Interrupt() {
  if (auto cancelled = CancelWaiting(); !cancelled) return cancelled.error();
  PairBlock block;
  block.is_interrupted = true;
  return block;
}

Result<std::optional<Settlement>> PairRunner::AwaitSettled(const TaskId& id) {
  while (true) {
    auto settled = queue_->Await(id, kWaitTimeout, stop_);
    if (!settled || *settled || stop_.stop_requested()) return settled;
  }
}

Result<std::optional<Evaluation>> PairRunner::AwaitEvaluation() {
  Task& task = waiting_.front();
  const TaskId first_id = task.id;
  int retries = kMaxRetries;
  for (int life = 1;; ++life) {
    auto settled = queue_->Await(task.id, TaskQueue::Duration::zero());
    const bool is_old = settled && *settled;  // From before this process.
    if (!is_old) settled = AwaitSettled(task.id);
    if (!settled) return settled.error();
    if (!*settled) return std::optional<Evaluation>();
    if (auto* evaluation = std::get_if<Evaluation>(&(*settled)->end)) {
      return std::optional<Evaluation>(std::move(*evaluation));
    }
    const auto& drop = std::get<Settlement::Drop>((*settled)->end);
    if (!is_old && retries-- == 0) {
      has_given_up_ = true;
      return Error{Errc::kUnavailable, fmt::format("the runs of {} could not be made: {}",
                                                   WordsFor(first_id.substr(campaign_.size() + 1)),
                                                   LastReasonIn(drop.reason))};
    }
    task.id = InLife(first_id, life);
    if (auto pushed = queue_->Push(task); !pushed) return pushed.error();
  }
}

}  // namespace hone::tune
