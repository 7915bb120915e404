// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/domains/kconfig/bisect/culprits.h"
#include "hone/domains/kconfig/options/kernel_options.h"
#include "hone/kconfig/reason/solve.h"

namespace hone::kernels {

// A configuration between two others.
struct BetweenConfig {
  std::string config;  // Empty if it cannot be.
  std::string reason;  // Why not.
  ChangeSet made;      // The changes that are in it.
};

// The configurations that one meets on the way from one to another of the same tree: each is
// consistent, and what is equal in both is so in all of them.
class ConfigsBetween {
 public:
  // Two whole .config texts.
  ConfigsBetween(const kconfig::Solver& solver, const std::string& from, const std::string& to);

  // What a user can change and the two have different, each after what it depends on. What only
  // follows from others is none: the value of an option without a prompt, the member of a choice
  // that is no longer selected.
  const std::vector<kconfig::Change>& changes() const { return changes_; }
  std::string NameOf(std::size_t change) const;  // "SMP: n -> y"

  // Some of the changes, with what the solver has to add.
  BetweenConfig With(const ChangeSet& changes) const;

 private:
  kconfig::Configuration Pinned(const std::string& config) const;

  const kconfig::Solver& solver_;
  std::string to_text_;
  kconfig::Configuration from_;
  std::vector<kconfig::Change> changes_;
  std::vector<kconfig::SymbolId> kept_;
};

}  // namespace hone::kernels
