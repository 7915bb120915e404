// SPDX-License-Identifier: Apache-2.0
#include "hone/app/warm_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "hone/app/stored_run.h"
#include "hone/learn/campaign_policy.h"
#include "hone/learn/ppo_proposer.h"
#include "hone/tune/campaign/campaign_history.h"

namespace hone::app {
namespace {

std::string GoalOf(const RewardRule& rule) {
  std::vector<std::string> goals;
  for (const Objective& objective : rule.objectives) {
    const bool is_lower = objective.direction == Direction::kLowerIsBetter;
    goals.push_back(fmt::format("{} {}", is_lower ? "less" : "more", objective.metric));
  }
  return fmt::format("{}", fmt::join(goals, ", "));
}

// Empty if what the run learnt means the same in this campaign.
std::string WhyNot(const tune::CampaignStart& run, const TunePlan& plan) {
  if (run.spec.domain != plan.spec.domain) {
    return fmt::format("it is a campaign of the domain {}, this one of {}", run.spec.domain,
                       plan.spec.domain);
  }
  const std::string goal = GoalOf(run.spec.rule);
  if (goal != GoalOf(plan.spec.rule)) {
    return fmt::format("it was after {}, this campaign is after {}", goal, GoalOf(plan.spec.rule));
  }
  const std::string why = learn::WhyUnfit(run.space, plan.domain->SearchSpace());
  return why.empty() ? "" : "its parameters are not those of this campaign: " + why;
}

std::vector<tune::Trial> JudgedTrials(const tune::CampaignHistory& history) {
  std::vector<tune::Trial> trials;
  for (const tune::TrialHistory& each : tune::TrialsOf(history)) {
    if (each.outcome == Outcome::kAccepted && !each.reward) continue;
    trials.push_back({.number = each.number,
                      .candidate = each.candidate,
                      .outcome = each.outcome,
                      .is_within_limits = each.is_within_limits,
                      .reward = each.reward.value_or(Estimate()),
                      .objectives = {},
                      .observations = {}});
  }
  return trials;
}

Result<std::optional<learn::CampaignPolicy>> PolicyOf(const std::filesystem::path& store,
                                                      Clock& clock, const std::string& id) {
  auto campaigns = OpenForReading(store, clock);
  if (!campaigns) return campaigns.error();
  const auto text = campaigns->Policy(id);
  if (!text) return text.error();
  if (!*text) return std::optional<learn::CampaignPolicy>();
  auto policy =
      learn::ReadCampaignPolicy(**text, fmt::format("{}: policy of {}", store.string(), id));
  if (!policy) return Error{Errc::kCorrupt, policy.error().message};
  return std::optional(std::move(*policy));
}

}  // namespace

Result<std::string> WarmStart(const std::filesystem::path& store, Clock& clock,
                              const std::string& run, TunePlan& plan) {
  const auto refuse = [&](const std::string& why) {
    return Error{Errc::kInvalidArgument, fmt::format("--warm-start {}: {}", run, why)};
  };
  if (plan.spec.search.proposer != "ppo") {
    return refuse(fmt::format("the engine {} does not learn from other runs; add --engine ppo",
                              plan.spec.search.proposer));
  }
  const auto history = LoadRun(store, clock, run);
  if (!history) return history.error();
  const std::string& id = history->campaign.id;
  if (const std::string why = WhyNot(history->campaign.start, plan); !why.empty()) {
    return refuse(why);
  }
  const auto policy = PolicyOf(store, clock, id);
  if (!policy) return policy.error();
  const std::vector<tune::Trial> trials = JudgedTrials(*history);
  if (trials.empty()) return refuse("no trial of it was judged yet");
  plan.spec.search.options["history"] = learn::HistoryText(trials);
  if (*policy) plan.spec.search.options["initial_policy"] = ToText(**policy);
  if (*policy) {
    return fmt::format(
        "Begins with the policy of {}, which learnt from {} trials, and a surrogate of them.\n", id,
        (*policy)->trials);
  }
  return fmt::format(
      "Begins with a policy that learns on a surrogate of the {} trials of {}, which stored "
      "none.\n",
      trials.size(), id);
}

}  // namespace hone::app
