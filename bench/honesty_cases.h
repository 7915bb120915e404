// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/simulated_campaign.h"
#include "hone/domains/toy/toy_surface.h"

// Kinds of simulated campaigns that make a verdict say each of its sentences.
namespace hone {

// What becomes of candidates when the winner is proven.
enum class InProof { kSame, kLose, kDoNothing, kCrash };

struct HonestyCase {
  std::string name;
  std::string surface = "smooth";
  double gain = 0.10;
  double noise = 0.05;               // Of a run.
  std::optional<double> limit = {};  // latency_ms at most; the baseline has 10.
  bool wants_front = false;          // Of throughput and latency.
  bool is_interrupted = false;
  bool has_few_pairs = false;  // --pairs
  bool has_time = false;       // --time
  bool has_budget = false;     // --budget, from just enough to plenty.
  bool has_no_time = false;    // --budget that is too short for anything.
  bool is_spread = false;      // --proof-over
  InProof in_proof = InProof::kSame;
  bool only_baseline_runs = false;
  bool nothing_runs = false;
  double marked_share = 0;  // Of the runs.
  double drift = 0;         // As in SimulatedCampaign.
  double wander = 0;

  bool MayBeCutShort() const { return is_interrupted || has_few_pairs || has_time || has_budget; }
  // A quarter of the runs is where suspicion becomes grave.
  bool IsSuspect() const { return marked_share >= 0.25; }
  bool IsStill() const { return drift == 0 && wander == 0; }
};

std::vector<HonestyCase> HonestyCases();

// One campaign of a case, and the truth about it. Gains are log-ratios over the baseline.
struct Played {
  HonestyCase given;
  toy::Surface surface;
  SimulatedCampaign campaign;
  SimulatedOutcome outcome;

  double GainOf(const Assignment& assignment) const;      // In the search.
  double ProvenGain(const Assignment& assignment) const;  // In the proof of a winner.
  double LatencyOf(const Assignment& assignment) const;
  std::vector<double> GainsOf(const Assignment& assignment) const;  // Of each objective.
  double LargestGain() const;
  double TypicalEffect() const;
  std::int64_t CountKept(double bound) const;
  double PairNoise() const;
  // The pairs that a --budget must have room for, counted here so that the program's own plan is
  // held against it.
  std::chrono::milliseconds SmallestBudget() const;
  bool HasTriedEnough() const;  // Likewise.

  // All that is told: reason, notes, warnings of the gate.
  std::string Text() const;
  bool Says(std::string_view words) const;
  std::optional<double> NumberBefore(std::string_view words) const;
};

Played Play(const HonestyCase& given, std::uint64_t seed);

}  // namespace hone
