// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/candidate.h"
#include "hone/core/evaluation.h"
#include "hone/core/metric.h"
#include "hone/core/result.h"
#include "hone/tune/campaign/block_id.h"
#include "hone/tune/campaign/race.h"

namespace hone::tune {

struct GateReport;
struct Verdict;

// Something that the campaign decided, as it is stored. `choice` is what the same seed and the same
// evaluations must give again; `grounds` are the numbers behind it, kept for people.
struct Decision {
  std::string kind;  // The name of a DecisionKind; another build may have stored others.
  Json choice;
  Json grounds;
};

enum class DecisionKind {
  kGate,         // How noisy the machine is.
  kAsk,          // A candidate is taken into the search.
  kRace,         // What becomes of it after a round of pairs.
  kStop,         // The search ends.
  kSensitivity,  // Whether anything that was tried made a difference.
  kFinal,        // What the finals found about a favourite.
  kProve,        // A candidate is put to the proof.
  kPart,         // Pairs of a comparison have come in.
  kAblate,       // Whether a part of the winner can be put back.
  kVerdict,
};

std::string_view NameOf(DecisionKind kind);
bool Is(const Decision& decision, DecisionKind kind);

struct AskDecision {
  std::int64_t trial = 0;
  Candidate candidate;
};

struct RaceDecision {
  std::int64_t trial = 0;
  std::int64_t round = 0;
  Outcome outcome = Outcome::kAccepted;
  RaceStep step = RaceStep::kEnough;
  Estimate reward;
  bool is_within_limits = true;
};

struct StopDecision {
  std::string why;
  std::int64_t trials = 0;
  std::int64_t pairs = 0;
};

struct SensitivityDecision {
  bool is_moved = false;
  double p_value = 1;
};

struct FinalDecision {
  std::int64_t trial = 0;
  Candidate candidate;
  Outcome outcome = Outcome::kAccepted;
  Estimate reward;
};

struct ProveDecision {
  BlockPhase phase = BlockPhase::kProof;
  Candidate candidate;
  std::int64_t pairs = 0;
};

struct PartDecision {
  std::int64_t pairs = 0;  // So far.
};

struct AblateDecision {
  std::vector<std::string> without;
  bool is_free = false;
  double effect = 0;
};

Decision ToDecision(const GateReport& gate);
Decision ToDecision(const AskDecision& ask);
Decision ToDecision(const RaceDecision& race);
Decision ToDecision(const StopDecision& stop);
Decision ToDecision(const SensitivityDecision& sensitivity);
Decision ToDecision(const FinalDecision& favourite);
Decision ToDecision(const ProveDecision& prove);
Decision ToDecision(const PartDecision& part);
Decision ToDecision(const AblateDecision& ablate);
Decision ToDecision(const Verdict& verdict);

// kCorrupt if the decision is of another kind or does not read as one of this build.
Result<GateReport> ReadGate(const Decision& decision);
Result<AskDecision> ReadAsk(const Decision& decision);
Result<RaceDecision> ReadRace(const Decision& decision);
Result<StopDecision> ReadStop(const Decision& decision);
Result<FinalDecision> ReadFinal(const Decision& decision);

// The trial that a decision is about; none for those about no trial.
std::optional<std::int64_t> TrialOf(const Decision& decision);

}  // namespace hone::tune
