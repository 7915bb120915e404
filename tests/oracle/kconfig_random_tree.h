// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hone/core/rng.h"

namespace hone::kconfig {

// Writes small trees at random, with every construct of Linux 6.1 (or,
// if choices are groups, of 6.11), and files and answers for them.
// A symbol is computed from earlier ones and selects later ones, so there is no loop.
class RandomKconfig {
 public:
  explicit RandomKconfig(Rng& rng, bool has_groups = false) : rng_(rng), has_groups_(has_groups) {}

  std::string Tree();
  std::string Config();   // Lines of a .config: right ones, wrong ones, some twice.
  std::string Answers();  // Lines that a user may type.

 private:
  bool Chance(std::size_t in) { return rng_.Below(in) == 0; }
  std::string Value(char type);
  std::string Term();
  std::string Condition();
  std::string If();
  void Entry(int depth);
  void Block(int depth);
  void Symbol();
  void Choice();
  void Comment();
  void Defaults(char type);
  void Help();

  Rng& rng_;
  bool has_groups_;
  std::string text_;
  std::vector<std::pair<std::string, char>> known_;  // Name, and the first letter of the type.
  std::string types_;                                // Of the symbols S0, S1, …
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace hone::kconfig
