// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "hone/agent/rewards/audit_questions.h"
#include "hone/agent/rewards/os_r1_rewards.h"
#include "hone/core/rng.h"

namespace hone::agent {

// One answer in both grammars: ours, and OS-R1's.
struct PolicyAnswer {
  std::string ours;
  OsR1Episode theirs;
};

enum class PolicyWorth { kPerfect, kHonest, kRandom, kDegenerate };

// A way to answer. It is told what is right, and makes of it what it is named after. `number` is
// the question's place in its set.
struct AuditPolicy {
  std::string name;
  PolicyWorth worth = PolicyWorth::kDegenerate;
  std::function<PolicyAnswer(const AuditQuestion& asked, std::size_t number, Rng& rng)> answer;
};

// Perfect first, then the honest partial one (half of what should change, every second question
// where that is one thing, and nothing else), random, and every degenerate one.
const std::vector<AuditPolicy>& AuditPolicies();

}  // namespace hone::agent
