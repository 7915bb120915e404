// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/candidate.h"
#include "hone/core/evaluation.h"
#include "hone/core/metric.h"
#include "hone/core/result.h"
#include "hone/core/space.h"

namespace hone::tune {

// What a proposer learns of one candidate. A later trial with the same number replaces it: the
// race gave the candidate more pairs.
struct Trial {
  std::int64_t number = 0;
  Candidate candidate;
  Outcome outcome = Outcome::kAccepted;
  std::string reason = {};  // Of an outcome that is not accepted, for people; it may quote anybody.
  bool is_within_limits = true;
  Estimate reward;                             // Meaningless unless accepted. More is better; the
                                               // baseline is at 0.
  std::vector<Estimate> objectives;            // Log-ratios in the order of the rule's objectives.
  std::map<std::string, double> observations;  // Means over the candidate's runs.
};

struct Recommendation {
  Candidate candidate;
  Estimate reward;  // What the proposer believes, after all it has seen: a posterior.
};

// Chooses the next candidate and learns from evaluations. Not safe for concurrent use. The same
// settings and the same calls give the same answers, always. Implementations must pass
// tune/proposers/proposer_contract.h.
class Proposer {
 public:
  virtual ~Proposer() = default;

  // The next candidate: valid in the space, constraints kept. Several may be asked for before the
  // first is told; they differ where the space allows it.
  virtual Result<Candidate> Ask() = 0;

  virtual Result<void> Tell(const Trial& trial) = 0;

  // The best so far by belief, never by best observation; best first, at most `max`, all
  // different, all accepted and within limits as far as known. Empty if nothing is worth trying.
  virtual Result<std::vector<Recommendation>> Recommend(std::size_t max) = 0;

  // How much better than the best recommendation the next trials may still come out, in units of
  // reward; nullopt if this proposer has no belief about that.
  virtual std::optional<double> ExpectedRemainingGain() = 0;

  // What it has learnt so far, in a form from which a later campaign can begin: it is stored with
  // the campaign, and goes into the later one's options. Empty where nothing is kept but the
  // trials.
  virtual std::string Learnt() { return {}; }
};

// Everything a proposer may depend on.
struct ProposerSettings {
  const Space& space;  // Outlives the proposer.
  Candidate baseline;
  std::uint64_t seed = 0;
  std::int64_t planned_trials = 0;  // A hint; 0 if unknown.
  bool wants_front = false;         // Spread over the trade-off of the objectives.
  std::map<std::string, std::string> options;
  std::map<std::string, double> prices = {};  // Domain::PricesOfChanges.
};

// How a proposer is found by name: one entry each, listed in app/builtins.cc.
struct ProposerEntry {
  std::string name;
  std::string summary;
  std::function<Result<std::unique_ptr<Proposer>>(const ProposerSettings&)> make;
};
using ProposerTable = std::map<std::string, ProposerEntry>;

}  // namespace hone::tune
