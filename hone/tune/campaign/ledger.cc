// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/ledger.h"

#include <fmt/format.h>

#include <utility>

namespace hone::tune {

Ledger::Ledger(std::vector<Decision> stored, Sink sink)
    : decisions_(std::move(stored)), stored_(decisions_.size()), sink_(std::move(sink)) {}

Result<void> Ledger::Record(Decision decision) {
  if (!IsPastStored()) {
    const Decision& before = decisions_[cursor_];
    if (before.kind != decision.kind || before.choice != decision.choice) {
      return Error{
          Errc::kCorrupt,
          fmt::format("decision {}: stored is {} {}, but the same seed and evaluations now "
                      "give {} {}",
                      cursor_, before.kind, Dump(before.choice), decision.kind,
                      Dump(decision.choice))};
    }
    ++cursor_;
    return {};
  }
  if (sink_) {
    if (auto stored = sink_(cursor_, decision); !stored) return stored;
  }
  decisions_.push_back(std::move(decision));
  ++cursor_;
  return {};
}

bool Ledger::NextIs(DecisionKind kind) const {
  return !IsPastStored() && Is(decisions_[cursor_], kind);
}

}  // namespace hone::tune
