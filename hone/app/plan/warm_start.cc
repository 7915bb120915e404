// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/warm_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "hone/app/stored/stored_run.h"
#include "hone/learn/campaign_policy.h"
#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/proposers/trial_history.h"

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

// Empty if what the run measured means the same in this campaign.
std::string WhyNot(const tune::CampaignStart& run, const TunePlan& plan) {
  if (run.spec.domain != plan.spec.domain) {
    return fmt::format("it is a campaign of the domain {}, this one of {}", run.spec.domain,
                       plan.spec.domain);
  }
  const std::string goal = GoalOf(run.spec.rule);
  if (goal != GoalOf(plan.spec.rule)) {
    return fmt::format("it was after {}, this campaign is after {}", goal, GoalOf(plan.spec.rule));
  }
  return "";
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

// The candidate as this campaign would write it: what was no parameter then is as it is now.
// nullopt if it differs from its baseline in what is none now, or holds a value that is not
// allowed.
std::optional<Candidate> Translated(const Candidate& candidate, const Candidate& baseline,
                                    const Space& space) {
  Candidate here{space.Defaults(), candidate.source};
  for (const auto& [name, value] : candidate.assignment) {
    if (space.IndexOf(name)) {
      here.assignment[name] = value;
      continue;
    }
    const auto before = baseline.assignment.find(name);
    if (before == baseline.assignment.end() || before->second != value) return std::nullopt;
  }
  if (!space.Validate(here.assignment)) return std::nullopt;
  return here;
}

using Refuse = std::function<Error(const std::string&)>;

Result<std::string> WarmBayes(const tune::CampaignHistory& history, TunePlan& plan,
                              const Refuse& refuse) {
  std::vector<tune::Trial> fit;
  const std::vector<tune::Trial> judged = JudgedTrials(history);
  for (const tune::Trial& trial : judged) {
    auto here =
        Translated(trial.candidate, history.campaign.start.baseline, plan.domain->SearchSpace());
    if (!here) continue;
    fit.push_back(trial);
    fit.back().candidate = std::move(*here);
  }
  if (fit.empty()) {
    return refuse(judged.empty() ? "no trial of it was judged yet"
                                 : "none of its trials can be made with these parameters");
  }
  plan.spec.search.options["history"] = tune::HistoryText(fit);
  return fmt::format("Begins with {} of the {} trials of {}, and forgets them if they mislead.\n",
                     fit.size(), judged.size(), history.campaign.id);
}

Result<std::string> WarmPpo(const std::filesystem::path& store, Clock& clock,
                            const tune::CampaignHistory& history, TunePlan& plan,
                            const Refuse& refuse) {
  const std::string& id = history.campaign.id;
  const std::string why = learn::WhyUnfit(history.campaign.start.space, plan.domain->SearchSpace());
  if (!why.empty()) return refuse("its parameters are not those of this campaign: " + why);
  const auto policy = PolicyOf(store, clock, id);
  if (!policy) return policy.error();
  const std::vector<tune::Trial> trials = JudgedTrials(history);
  if (trials.empty()) return refuse("no trial of it was judged yet");
  plan.spec.search.options["history"] = tune::HistoryText(trials);
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

}  // namespace

Result<std::string> WarmStart(const std::filesystem::path& store, Clock& clock,
                              const std::string& run, TunePlan& plan) {
  const Refuse refuse = [&](const std::string& why) {
    return Error{Errc::kInvalidArgument, fmt::format("--warm-start {}: {}", run, why)};
  };
  const std::string& engine = plan.spec.search.proposer;
  if (engine != "ppo" && engine != "bayes" && engine != "llm") {
    return refuse(
        fmt::format("the engine {} does not learn from other runs; leave --engine away, "
                    "or add --engine ppo",
                    engine));
  }
  const auto history = LoadRun(store, clock, run);
  if (!history) return history.error();
  if (const std::string why = WhyNot(history->campaign.start, plan); !why.empty()) {
    return refuse(why);
  }
  if (engine != "ppo") return WarmBayes(*history, plan, refuse);
  return WarmPpo(store, clock, *history, plan, refuse);
}

}  // namespace hone::app
