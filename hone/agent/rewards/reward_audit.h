// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/agent/questions/question.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

// Tries every reward rule on policies whose worth is known. What `hone rewards audit` prints, and
// the tables of docs/rewards.md.
namespace hone::agent {

struct AuditSettings {
  std::size_t questions = 100;  // Of each kind.
  std::uint64_t seed = 1;
};

// What a policy got on the questions of one kind, on average.
struct AuditCell {
  double ours = 0;
  double ours_min = 0;  // Over the questions.
  double ours_max = 0;
  std::optional<double> theirs = std::nullopt;  // OS-R1's total; it knows no Tristate.
};

struct AuditRow {
  std::string policy;
  std::vector<AuditCell> cells;  // In the order of the kinds.
};

// One made-up result under several rules; a rule that gives no number says why.
struct RuleRow {
  std::string what;
  std::vector<std::optional<double>> rewards;
};

struct RuleTable {
  std::vector<std::string> rules;
  std::vector<RuleRow> rows;
};

struct RewardAudit {
  AuditSettings settings;
  std::vector<QuestionKind> kinds;
  std::vector<AuditRow> answers;
  RuleTable kernels;       // Dr.Kernel's rules.
  RuleTable measurements;  // Rewards of measured effects.
  // Properties of ours that do not hold; empty if all do. Of OS-R1's rules none is asked for.
  std::vector<std::string> broken;
};

// Takes a few seconds. An Error: a rule of ours could not be computed, which is a defect too.
Result<RewardAudit> AuditRewards(const AuditSettings& settings = {});

std::string ToMarkdown(const RewardAudit& audit);  // The three tables.
Json ToJson(const RewardAudit& audit);

}  // namespace hone::agent
