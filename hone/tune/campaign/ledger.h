// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "hone/core/result.h"
#include "hone/tune/campaign/decisions.h"

namespace hone::tune {

// The decisions of one campaign, in order. A campaign that starts anew over a ledger that holds
// decisions walks through them again: each Record is checked against what is stored, and only
// what comes after the last stored one is appended. That is how resume and replay work.
class Ledger {
 public:
  // Stores one decision durably; null keeps them in memory only.
  using Sink = std::function<Result<void>(std::size_t index, const Decision& decision)>;

  explicit Ledger(std::vector<Decision> stored = {}, Sink sink = nullptr);

  // kCorrupt if the stored decision at this place is another one.
  Result<void> Record(Decision decision);

  // Whether the next decision is stored already and of this kind. For what came from outside the
  // campaign, such as a Ctrl-C, and must be followed when it is walked through again.
  bool NextIs(DecisionKind kind) const;

  std::size_t position() const { return cursor_; }  // How many were recorded, or checked, so far.
  bool IsPastStored() const { return cursor_ >= stored_; }
  const std::vector<Decision>& decisions() const { return decisions_; }

 private:
  std::vector<Decision> decisions_;
  std::size_t stored_;
  std::size_t cursor_ = 0;
  Sink sink_;
};

}  // namespace hone::tune
