// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/core/reward.h"
#include "hone/core/rng.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/tune/campaign/block_id.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/ledger.h"
#include "hone/tune/campaign/suspicions.h"

namespace hone::tune {

// Two candidates to compare; `baseline` is the one compared against, usually the baseline itself.
struct PairOrder {
  BlockId id;
  Candidate baseline;
  Candidate candidate;
  std::int64_t pairs = 0;
  std::chrono::milliseconds over{0};  // Of several blocks: begun evenly in this time.
};

struct PairBlock {
  Outcome outcome = Outcome::kAccepted;
  std::string reason;
  std::vector<SamplePair> pairs;  // Those that were completed, whatever the outcome.
  std::vector<Evidence> evidence;
  std::chrono::microseconds duration{0};
  bool is_interrupted = false;  // It was stopped; nothing else is set.
};

// Sends comparisons through the queue, as pairs whose inner order is random, and collects them. A
// comparison that the queue has settled before is not run again: that is how a killed campaign
// goes on. Not safe for concurrent use.
class PairRunner {
 public:
  // `campaign` prefixes the ids of tasks. Queue and ledger outlive this.
  PairRunner(const CampaignSpec& spec, std::string campaign, Capabilities needs, TaskQueue& queue,
             const Ledger& ledger);

  // From now on a stop asked for here interrupts Finish and cancels what was started.
  void ListenTo(std::stop_token stop) { stop_ = std::move(stop); }

  // Starts a comparison. Positions and seeds are given out in the order of these calls.
  Result<void> Start(const PairOrder& order);

  // Waits for the oldest comparison that was started. An Error is a failure of the service. Where
  // the ledger says that a stop came next, the block is interrupted again.
  Result<PairBlock> Finish();

  Result<PairBlock> Run(const PairOrder& order);

  // Cancels all that was started and not finished.
  Result<void> CancelWaiting();

  // A comparison was tried as often as it may be, and never evaluated: Finish returned that Error.
  bool has_given_up() const { return has_given_up_; }

  const std::stop_token& stop() const { return stop_; }
  // The block that was started last had been measured before.
  bool was_kept() const { return was_kept_; }

  std::int64_t runs_planned() const { return position_; }
  std::chrono::microseconds measured() const { return measured_; }  // Of all finished blocks.
  const Suspicions& suspicions() const { return suspicions_; }      // Likewise.

 private:
  Task TaskFor(const PairOrder& order);
  Result<PairBlock> Interrupt();
  Result<std::optional<Settlement>> AwaitSettled(const TaskId& id);
  Result<std::optional<Evaluation>> AwaitEvaluation();  // Of the oldest; null if stopped.

  CampaignSpec spec_;
  std::string campaign_;
  Capabilities needs_;
  TaskQueue* queue_;
  const Ledger* ledger_;
  std::stop_token stop_;
  Rng rng_;
  std::int64_t position_ = 0;
  bool was_kept_ = false;
  bool has_given_up_ = false;
  std::chrono::microseconds measured_{0};
  Suspicions suspicions_;
  std::deque<Task> waiting_;
};

}  // namespace hone::tune
