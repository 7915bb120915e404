// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/source_record.h"

#include "hone/core/value.h"
#include "hone/tune/proposers/model/trial_memory.h"

namespace hone::agent {
namespace {

constexpr double kPriorWins = 1;  // And as many losses.

}  // namespace

void SourceRecord::NoteModels(const Candidate& asked, const Candidate& unmoved) {
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

}  // namespace hone::agent
