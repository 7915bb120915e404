// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/kconfig/build/kernel_source.h"
#include "hone/domains/kconfig/options/option_space.h"
#include "hone/kconfig/reason/solve.h"

namespace hone::kernels {

// What to begin with, and what may be changed.
struct OptionsRequest {
  // small, tiny (what the tree's tinyconfig has, and what the guest needs), defconfig, or a file;
  // wishes after commas.
  std::string base = "small";
  std::string options = {};  // OptionSpace::Make has the form.
  std::string menus = {};    // PickRequest has the form of these two.
  std::string about = {};
  std::vector<std::string> allowed = {};
  std::filesystem::path cache = {};  // Of parsed trees and their commands.
};

// An assignment as a whole configuration.
struct CompleteConfig {
  std::string config;         // Empty if it cannot be.
  std::string reason;         // Then: the clauses in the way, or why the solver cannot tell.
  bool is_undecided = false;  // It is empty because the solver gave up.
  std::string effects;        // All that differs from the base, one a line.
  std::string fragment = {};  // The same as lines of a .config.
};

// Some wishes on top of a configuration, or the clauses that are in the way.
struct Fulfilled {
  std::optional<kconfig::Configuration> made;
  std::string conflict;
};

// The smallest consistent change. What is wished for is set as it is wished for, as far as that
// goes: the solver alone would take the fewest settings, and one exotic option may select three of
// them.
Result<Fulfilled> Fulfil(const kconfig::Solver& solver, const kconfig::Configuration& base,
                         const kconfig::SolveRequest& request);

// The options of a tree for one campaign: the base, the space, and the solver that makes a whole
// configuration of some wishes. Safe for concurrent use.
class KernelOptions {
 public:
  static Result<KernelOptions> Load(const KernelSource& source, const OptionsRequest& request);

  const OptionSpace& options() const { return options_; }
  const kconfig::Configuration& base() const { return base_; }
  const kconfig::Solver& solver() const { return solver_; }

  // What was picked by menu and sentence, what was left out and why, for people.
  const std::vector<std::string>& notes() const { return notes_; }

  // What is protected and not allowed, and what the guest's machine needs.
  const std::vector<kconfig::SymbolId>& kept() const { return kept_; }

  // The smallest consistent change; protected options stay as they are. What the solver cannot
  // answer is about the wishes, too, and no Error: asked again it would say the same.
  CompleteConfig Complete(const Assignment& assignment) const;

  // The same for any wishes; nothing is protected.
  CompleteConfig Complete(const std::vector<kconfig::Wish>& wishes) const;

  // The same; what the request keeps stays as it is.
  CompleteConfig Complete(const kconfig::SolveRequest& request) const;

 private:
  KernelOptions(std::shared_ptr<const kconfig::TreeIndex> index, kconfig::Configuration base,
                OptionSpace options, std::vector<kconfig::SymbolId> kept,
                std::vector<std::string> notes);

  kconfig::Solver solver_;
  kconfig::Configuration base_;
  OptionSpace options_;
  std::vector<kconfig::SymbolId> kept_;
  std::vector<std::string> notes_;
};

}  // namespace hone::kernels
