// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/source_record.h"

#include <algorithm>
#include <cmath>

#include "hone/core/value.h"
#include "hone/tune/proposers/model/trial_memory.h"

namespace hone::agent {
namespace {

constexpr double kPriorWins = 1;      // And as many losses.
constexpr double kGuess = 0.5;        // The trust in who was never tried, and in who guesses.
constexpr double kDistrust = 3;       // The power with which the share falls below that.
constexpr double kTrustToDraw = 0.7;  // From here on all of what is wished for draws the search.

}  // namespace

void SourceRecord::NoteModels(const Candidate& asked, const Candidate& unmoved) {
  if (asked == unmoved) return;
  own_.try_emplace(ToText(asked.assignment), Own{.asked = asked, .unmoved = unmoved});
}

void SourceRecord::Tell(const tune::Trial& trial) {
  const auto own = own_.find(ToText(trial.candidate.assignment));
  if (own == own_.end()) return;
  own->second.is_told = true;
  own->second.is_feasible = tune::IsFeasible(trial);
}

double SourceRecord::Trust(const Chance& chance) const {
  double wins = kPriorWins;
  double losses = kPriorWins;
  for (const auto& [text, own] : own_) {
    if (!own.is_told) continue;
    const double win = own.is_feasible ? chance(own.asked, own.unmoved) : 0;
    wins += win;
    losses += 1 - win;
  }
  return wins / (wins + losses);
}

double ShareAt(double trust) { return std::pow(std::min(trust / kGuess, 1.0), kDistrust); }

double DrawAt(double trust) {
  return std::clamp((trust - kGuess) / (kTrustToDraw - kGuess), 0.0, 1.0);
}

}  // namespace hone::agent
