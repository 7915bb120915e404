// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hone/core/result.h"
#include "hone/core/task.h"

namespace hone::tune {

// What a comparison is for.
enum class BlockPhase {
  kGate,
  kTrial,
  kFinals,
  kProof,
  kAblation,
  kProofReduced,
  kFront,
  kCheck,  // Whether the baseline still runs, asked where runs could not be made.
};

// As in ids and exports: "trial", "proof-reduced".
std::string_view NameOf(BlockPhase phase);

// Names one comparison of a campaign: unique in it, and the same in every replay.
struct BlockId {
  BlockPhase phase = BlockPhase::kGate;
  // Of the trial, the ablation's comparison, the front's point or the decision before a check.
  std::int64_t number = 0;
  std::int64_t round = 0;  // Of the trial's race, or of the blocks that one proof is made of.

  // Which trial is compared; none in phases that are about no trial.
  std::optional<std::int64_t> Trial() const;

  bool operator==(const BlockId&) const = default;
};

// "gate", "trial/7/0", "finals/7", "proof/0", "ablation/2/0", "check/9/0". This is stored, in the
// ids of tasks.
std::string ToText(const BlockId& id);
Result<BlockId> ParseBlockId(std::string_view text);

// The task of a comparison: "toy-7/trial/7/0".
TaskId TaskIdOf(const std::string& campaign, const BlockId& block);

// A task that was dropped is tried again under the id of its next life: "toy-7/trial/7/0~1". The
// first life, 0, has no mark.
TaskId InLife(const TaskId& first, int life);

struct TaskLife {
  TaskId first;  // The id in its first life.
  int life = 0;
};
TaskLife LifeOf(const TaskId& task);

}  // namespace hone::tune
