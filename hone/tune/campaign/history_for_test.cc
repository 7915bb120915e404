// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/history_for_test.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/core/check.h"

namespace hone::tune {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kStart{1'700'000'000s};

}  // namespace

HistoryBuilder::HistoryBuilder(bool has_latency) : has_latency_(has_latency) {
  StoredCampaign& campaign = history_.campaign;
  campaign.id = "toy-7";
  campaign.created = kStart;
  campaign.updated = kStart + 90s;
  CampaignStart& start = campaign.start;
  start.version = "0.1.0";
  start.machine = {{"cpu", "Imaginary 9000"}, {"kernel", "6.1.0"}};
  start.spec.domain = "toy";
  start.spec.seed = 42;
  start.spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  if (has_latency) {
    start.spec.rule.objectives.push_back({"latency", Direction::kLowerIsBetter, 1});
  }
  start.space =
      *Space::Make({{"threads", IntegerRange{1, 100'000}, std::int64_t{1}, "1", "", {}, {}},
                    {"fast", Boolean{}, false, "", "", {}, {}}});
  start.baseline.assignment = start.space.Defaults();
}

Candidate HistoryBuilder::CandidateWith(std::int64_t threads) {
  return {{{"threads", threads}, {"fast", true}}, ""};
}

Sample HistoryBuilder::MakeSample(Arm arm, double gain) {
  Sample sample;
  sample.arm = arm;
  const double shift = arm == Arm::kCandidate ? gain : 0;
  sample.metrics["throughput"] = {1000 * std::exp(shift + 0.02 * rng_.Normal()), 1.5, 4};
  if (has_latency_) sample.metrics["latency"] = {10 * std::exp(0.02 * rng_.Normal() + shift), 0, 1};
  if (rng_.Below(12) == 0) sample.marks = {"steal 7 %"};
  sample.started = kStart + position_ * 100ms;
  sample.duration = 90ms;
  ++position_;
  return sample;
}

HistoryBlock& HistoryBuilder::AddBlock(const std::string& name, const Candidate& candidate,
                                       double gain, std::int64_t pairs) {
  HistoryBlock block;
  block.name = name;
  block.candidate = candidate;
  block.baseline = history_.campaign.start.baseline;
  block.position = position_;
  block.evaluation.task = history_.campaign.id + "/" + name;
  block.evaluation.provenance.started = kStart + position_ * 100ms;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const bool is_baseline_first = rng_.Coin();
    const Arm first = is_baseline_first ? Arm::kBaseline : Arm::kCandidate;
    const Arm second = is_baseline_first ? Arm::kCandidate : Arm::kBaseline;
    block.evaluation.samples.push_back(MakeSample(first, gain));
    block.evaluation.samples.push_back(MakeSample(second, gain));
  }
  block.runs = 2 * pairs;
  block.evaluation.metrics = {{"throughput", "ops/s", 1000, 5, pairs}};
  if (has_latency_) block.evaluation.metrics.push_back({"latency", "ms", 10, 0.1, pairs});
  block.evaluation.provenance.finished = kStart + position_ * 100ms;
  history_.blocks.push_back(std::move(block));
  return history_.blocks.back();
}

void HistoryBuilder::Decide(const std::string& kind, Json choice, Json grounds) {
  history_.decisions.push_back(
      {{kind, std::move(choice), std::move(grounds)}, kStart + position_ * 100ms});
}

void HistoryBuilder::AddTrial(std::int64_t number, double gain) {
  const Candidate candidate = CandidateWith(number + 2);
  Decide("ask", {{"trial", number}, {"candidate", ToJson(candidate)}}, Json::object());
  AddBlock(fmt::format("trial/{}/0", number), candidate, gain, 2);
  Decide("race", {{"trial", number}, {"round", 0}, {"outcome", "accepted"}, {"step", "dull"}},
         {{"reward", ToJson(Estimate{gain, 0.02, 2})}, {"is_within_limits", true}});
}

void HistoryBuilder::AddFailedTrial(std::int64_t number, Outcome outcome,
                                    const std::string& reason) {
  const Candidate candidate = CandidateWith(number + 2);
  Decide("ask", {{"trial", number}, {"candidate", ToJson(candidate)}}, Json::object());
  Evaluation& evaluation = AddBlock(fmt::format("trial/{}/0", number), candidate, 0, 1).evaluation;
  evaluation.outcome = outcome;
  evaluation.reason = reason;
  Decide("race",
         {{"trial", number}, {"round", 0}, {"outcome", NameOf(outcome)}, {"step", "enough"}},
         {{"reward", ToJson(Estimate{-1, 0.02, 0})}, {"is_within_limits", true}});
}

Proof HistoryBuilder::ProofFrom(BlockPhase phase, const Candidate& candidate) const {
  const RewardRule& rule = history_.campaign.start.spec.rule;
  const auto numbers = NumbersOf(rule, ComparedPairs(history_, phase, candidate));
  HONE_CHECK(numbers.has_value());
  Proof proof;
  proof.candidate = candidate;
  proof.reward = TestPairs(numbers->rewards);
  for (std::size_t i = 0; i < rule.objectives.size(); ++i) {
    proof.objectives.push_back({rule.objectives[i].metric, TestPairs(numbers->objectives[i])});
  }
  proof.adjusted_p = proof.reward.p_value;
  proof.is_gain = proof.reward.interval.low > 0;
  return proof;
}

void HistoryBuilder::Finish(const Verdict& verdict) {
  history_.campaign.verdict = verdict;
  history_.campaign.state = CampaignState::kDone;
  Decide("verdict", {{"kind", NameOf(verdict.kind)}}, ToJson(verdict));
}

CampaignHistory HistoryBuilder::Gain() {
  HistoryBuilder builder;
  const Candidate& baseline = builder.history().campaign.start.baseline;
  builder.AddBlock("gate", baseline, 0, 10);
  for (const std::int64_t number : {0, 1, 2, 3}) {
    builder.AddTrial(number, 0.03 * static_cast<double>(number));
  }
  builder.AddFailedTrial(4, Outcome::kCrashed, "signal 11");
  builder.Decide("stop", {{"why", "all trials made"}, {"trials", 5}}, {{"pairs", 8}});
  const Candidate winner = CandidateWith(5);
  builder.AddBlock("finals/3", winner, 0.09, 8);
  builder.Decide("final", {{"trial", 3}, {"candidate", ToJson(winner)}},
                 {{"reward", ToJson(Estimate{0.09, 0.01, 10})}, {"outcome", "accepted"}});
  builder.AddBlock("proof/0", winner, 0.09, 6);
  builder.AddBlock("proof/1", winner, 0.09, 6);
  Verdict verdict;
  verdict.kind = Verdict::Kind::kGain;
  verdict.reason = "The winner beat the baseline on fresh runs.";
  verdict.proof = builder.ProofFrom(BlockPhase::kProof, winner);
  verdict.effects = {{"threads", "1", "5", verdict.proof->reward}};
  verdict.effects.push_back({"fast", "false", "true", {0.01, {-0.01, 0.03}, 0.4, 12}});
  verdict.detectable = 0.02;
  builder.Finish(verdict);
  return builder.history();
}

}  // namespace hone::tune
