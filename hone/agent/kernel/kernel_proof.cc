// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/kernel/kernel_proof.h"

#include <algorithm>
#include <utility>

namespace hone::agent {
namespace {

bool HasFallen(const KernelProof& proof, const std::string& source) {
  return std::any_of(proof.fallen.begin(), proof.fallen.end(),
                     [&](const FallenKernel& one) { return one.attempt.source == source; });
}

// One judgement on fresh runs.
Json FreshJson(const KernelAttempt& attempt, const KernelVerdict& fresh) {
  Json json{
      {"number", attempt.number}, {"outcome", NameOf(fresh.outcome)}, {"feedback", fresh.feedback}};
  if (fresh.speedup) {
    json["speedup"] = {fresh.speedup->value, fresh.speedup->low, fresh.speedup->high};
  }
  return json;
}

}  // namespace

Json ToJson(const KernelProof& proof) {
  Json json{{"winner", nullptr}, {"fallen", Json::array()}};
  for (const FallenKernel& one : proof.fallen) {
    json["fallen"].push_back(FreshJson(one.attempt, one.fresh));
  }
  if (proof.winner && proof.fresh) json["winner"] = FreshJson(*proof.winner, *proof.fresh);
  if (proof.winner && !proof.fresh) {
    json["winner"] = {{"number", proof.winner->number}, {"not_proven", proof.why_not}};
  }
  return json;
}

KernelProof ProveBest(const KernelSearchResult& result, const KernelJudging& judge,
                      const std::stop_token& stop) {
  KernelProof proof;
  for (const KernelAttempt* attempt : result.Ranked()) {
    if (proof.fallen.size() == kMaxProofs) break;
    if (HasFallen(proof, attempt->source)) continue;
    auto fresh = judge(attempt->source, stop);
    if (fresh && fresh->outcome != Outcome::kAccepted) {
      proof.fallen.push_back({*attempt, std::move(*fresh)});
      continue;
    }
    proof.winner = *attempt;
    if (fresh) {
      proof.fresh = std::move(*fresh);
    } else {
      proof.why_not = fresh.error().message;
    }
    return proof;
  }
  return proof;
}

}  // namespace hone::agent
