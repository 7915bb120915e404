// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/reward_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/agent/rewards/answer_reward.h"
#include "hone/agent/rewards/audit_policies.h"
#include "hone/agent/rewards/dr_kernel_rewards.h"
#include "hone/agent/rewards/performance_reward.h"

namespace hone::agent {
namespace {

constexpr QuestionKind kAllKinds[] = {QuestionKind::kBool, QuestionKind::kTristate,
                                      QuestionKind::kMenu, QuestionKind::kChoice,
                                      QuestionKind::kValue};

Result<AuditCell> TryPolicy(const AuditPolicy& policy, const std::vector<AuditQuestion>& asked,
                            const Rng& root) {
  AuditCell cell{0, 1, 0, std::nullopt};
  const auto count = static_cast<double>(asked.size());
  double theirs = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    Rng rng = root.Split(i);
    const PolicyAnswer answer = policy.answer(asked[i], i, rng);
    const auto reward = RewardOfResponse(asked[i].question, asked[i].label, answer.ours);
    if (!reward) return reward.error();
    cell.ours += reward->total / count;
    cell.ours_min = std::min(cell.ours_min, reward->total);
    cell.ours_max = std::max(cell.ours_max, reward->total);
    if (asked[i].question.kind == QuestionKind::kTristate) continue;
    const auto truth = OsR1TruthOf(asked[i].question, asked[i].label);
    if (!truth) return truth.error();
    theirs += OsR1Total(answer.theirs, *truth) / count;
  }
  if (asked.front().question.kind != QuestionKind::kTristate) cell.theirs = theirs;
  return cell;
}

// What must hold for the answers of one kind.
void CheckKind(const RewardAudit& audit, std::size_t kind, std::vector<std::string>& broken) {
  const auto& policies = AuditPolicies();
  const std::string_view name = NameOf(audit.kinds[kind]);
  double honest = 0;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const AuditCell& cell = audit.answers[i].cells[kind];
    if (policies[i].worth == PolicyWorth::kHonest) honest = cell.ours;
    if (policies[i].worth == PolicyWorth::kPerfect && std::abs(cell.ours_min - 1) > 1e-9) {
      broken.push_back(fmt::format("{}: a perfect answer has {:.3f}, not 1", name, cell.ours_min));
    }
    if (cell.ours_min < 0 || cell.ours_max > 1 + 1e-9) {
      broken.push_back(fmt::format("{}: {} has {:.3f} to {:.3f}, not within 0 and 1", name,
                                   policies[i].name, cell.ours_min, cell.ours_max));
    }
  }
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const PolicyWorth worth = policies[i].worth;
    if (worth != PolicyWorth::kRandom && worth != PolicyWorth::kDegenerate) continue;
    if (audit.answers[i].cells[kind].ours < honest) continue;
    broken.push_back(fmt::format("{}: {} has {:.3f}, no less than {:.3f} of an honest half", name,
                                 policies[i].name, audit.answers[i].cells[kind].ours, honest));
  }
}

std::optional<double> NumberIn(const Result<double>& reward) {
  return reward ? std::optional<double>(*reward) : std::nullopt;
}

struct KernelCase {
  const char* what;
  KernelFacts facts;
};

const std::vector<KernelCase>& KernelCases() {
  static const std::vector<KernelCase> kCases = {
      {"correct, 3 times, all of it", {true, true, false, 3.0, 2.9, 1.0}},
      {"correct, 1.5 times, half of it", {true, true, false, 1.5, 1.4, 0.5}},
      {"calls the library", {true, true, false, 1.0, 0.98, 0.0}},
      {"correct, slower", {true, true, false, 0.7, 0.68, 1.0}},
      {"correct, not profiled", {true, true, false, 1.5, 1.4, std::nullopt}},
      {"correct, not timed", {true, true, false, std::nullopt, std::nullopt, 1.0}},
      {"wrong", {true, false, false, std::nullopt, std::nullopt, std::nullopt}},
      {"does not compile", {}},
      {"cheats, 100 times", {true, false, true, 100.0, 99.0, 1.0}}};
  return kCases;
}

RuleTable AuditKernels() {
  RuleTable table{
      {"PR", "PR without coverage", "PR by the lower bound", "weighted", "ladder", "PRS keeps"},
      {}};
  PrSettings plain;
  plain.coverage = 0;
  PrSettings bound;
  bound.uses_lower_bound = true;
  for (const KernelCase& one : KernelCases()) {
    table.rows.push_back(
        {one.what,
         {NumberIn(PrReward(one.facts)), NumberIn(PrReward(one.facts, plain)),
          NumberIn(PrReward(one.facts, bound)), NumberIn(WeightedReward(one.facts)),
          NumberIn(LadderReward(one.facts)), NumberIn(PrsKeepProbability(one.facts))}});
  }
  return table;
}

struct EffectCase {
  const char* what;
  MeasuredLogRatio effect;
};

const std::vector<EffectCase>& EffectCases() {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  static const std::vector<EffectCase> kCases = {
      {"a shown gain: +5 % [+3 %, +7 %]", {0.05, 0.03, 0.07, 24}},
      {"noise: +2 % [-3 %, +7 %]", {0.02, -0.03, 0.07, 12}},
      {"one lucky pair: +30 %", {0.3, -kUnbounded, kUnbounded, 1}},
      {"nothing changed", {0, 0, 0, 24}},
      {"a shown loss: -5 % [-7 %, -3 %]", {-0.05, -0.07, -0.03, 24}}};
  return kCases;
}

RuleTable AuditMeasurements() {
  RuleTable table{{"estimate", "lower_bound", "shown"}, {}};
  for (const EffectCase& one : EffectCases()) {
    RuleRow row{one.what, {}};
    for (const std::string& rule : table.rules) {
      row.rewards.push_back(NumberIn(PerformanceReward(one.effect, *PerformanceRuleNamed(rule))));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

const RuleRow& RowOf(const RuleTable& table, std::string_view beginning) {
  return *std::find_if(table.rows.begin(), table.rows.end(), [beginning](const RuleRow& row) {
    return std::string_view(row.what).starts_with(beginning);
  });
}

// What must hold for rewards of kernels and of measurements.
void CheckRules(const RewardAudit& audit, std::vector<std::string>& broken) {
  const auto expect = [&broken](bool holds, const char* what) {
    if (!holds) broken.emplace_back(what);
  };
  const RuleRow& cheat = RowOf(audit.kernels, "cheats");
  const RuleRow& honest = RowOf(audit.kernels, "correct, slower");
  for (std::size_t rule = 0; rule < 5; ++rule) {
    expect(cheat.rewards[rule] < honest.rewards[rule],
           "kernels: a cheat has no less than a slow, correct kernel");
  }
  expect(!RowOf(audit.kernels, "correct, not profiled").rewards[0].has_value(),
         "kernels: a coverage that is missing has a reward");
  expect(!RowOf(audit.kernels, "correct, not timed").rewards[1].has_value(),
         "kernels: a speedup that is missing has a reward");
  const RuleRow& noise = RowOf(audit.measurements, "noise");
  expect(noise.rewards[1].value_or(1) <= 0 && noise.rewards[2].value_or(1) <= 0,
         "measurements: noise is rewarded");
  const RuleRow& lucky = RowOf(audit.measurements, "one lucky pair");
  expect(!lucky.rewards[1].has_value() && !lucky.rewards[2].has_value(),
         "measurements: one pair is rewarded");
}

std::string RewardText(const std::optional<double>& reward) {
  if (!reward) return "–";
  const double rounded = std::round(*reward * 100) / 100;
  return fmt::format("{:.2f}", rounded == 0 ? 0 : rounded);
}

std::string RuleTableText(const RuleTable& table, std::string_view first) {
  std::string text = fmt::format("| {} | {} |\n|---", first, fmt::join(table.rules, " | "));
  for (std::size_t i = 0; i < table.rules.size(); ++i) text += "|---";
  text += "|\n";
  for (const RuleRow& row : table.rows) {
    text += fmt::format("| {} |", row.what);
    for (const auto& reward : row.rewards) text += fmt::format(" {} |", RewardText(reward));
    text += "\n";
  }
  return text;
}

Json RuleTableJson(const RuleTable& table) {
  Json rows = Json::array();
  for (const RuleRow& row : table.rows) {
    Json rewards = Json::object();
    for (std::size_t i = 0; i < table.rules.size(); ++i) {
      rewards[table.rules[i]] = row.rewards[i] ? Json(*row.rewards[i]) : Json();
    }
    rows.push_back({{"what", row.what}, {"rewards", rewards}});
  }
  return rows;
}

}  // namespace

Result<RewardAudit> AuditRewards(const AuditSettings& settings) {
  if (settings.questions == 0) {
    return Error{Errc::kInvalidArgument, "questions: expected at least 1"};
  }
  RewardAudit audit;
  audit.settings = settings;
  for (const AuditPolicy& policy : AuditPolicies()) audit.answers.push_back({policy.name, {}});
  for (const QuestionKind kind : kAllKinds) {
    audit.kinds.push_back(kind);
    const auto asked = MakeAuditQuestions(kind, settings.questions, settings.seed);
    for (std::size_t i = 0; i < audit.answers.size(); ++i) {
      const AuditPolicy& policy = AuditPolicies()[i];
      const Rng rng = Rng(settings.seed).Split(policy.name).Split(NameOf(kind));
      auto cell = TryPolicy(policy, asked, rng);
      if (!cell) return cell.error();
      audit.answers[i].cells.push_back(*cell);
    }
    CheckKind(audit, audit.kinds.size() - 1, audit.broken);
  }
  audit.kernels = AuditKernels();
  audit.measurements = AuditMeasurements();
  CheckRules(audit, audit.broken);
  return audit;
}

std::string ToMarkdown(const RewardAudit& audit) {
  std::string text = "| policy |";
  std::string rule = "|---|";
  for (const QuestionKind kind : audit.kinds) {
    text += fmt::format(" {} | OS-R1 |", NameOf(kind));
    rule += "---|---|";
  }
  text += "\n" + rule + "\n";
  for (const AuditRow& row : audit.answers) {
    text += fmt::format("| {} |", row.policy);
    for (const AuditCell& cell : row.cells) {
      text += fmt::format(" {} | {} |", RewardText(cell.ours), RewardText(cell.theirs));
    }
    text += "\n";
  }
  text += "\n" + RuleTableText(audit.kernels, "kernel");
  return text + "\n" + RuleTableText(audit.measurements, "measured");
}

Json ToJson(const RewardAudit& audit) {
  Json answers = Json::array();
  for (const AuditRow& row : audit.answers) {
    Json kinds = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const AuditCell& cell = row.cells[i];
      kinds[std::string(NameOf(audit.kinds[i]))] = {
          {"ours", cell.ours},
          {"ours_least", cell.ours_min},
          {"ours_most", cell.ours_max},
          {"os_r1", cell.theirs ? Json(*cell.theirs) : Json()}};
    }
    answers.push_back({{"policy", row.policy}, {"kinds", kinds}});
  }
  return {{"questions", audit.settings.questions},
          {"seed", audit.settings.seed},
          {"answers", answers},
          {"kernels", RuleTableJson(audit.kernels)},
          {"measurements", RuleTableJson(audit.measurements)},
          {"broken", audit.broken},
          {"holds", audit.broken.empty()}};
}

}  // namespace hone::agent
