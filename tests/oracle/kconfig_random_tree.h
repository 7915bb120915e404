// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hone/core/rng.h"

namespace hone::kconfig {

// Writes small trees at random, with every construct of Linux 6.1 (or, if choices are groups, of
// 6.11; or of 6.18, with transitional symbols), and files and answers for them.
// A symbol is computed from earlier ones and selects later ones, so there is no loop.
class RandomKconfig {
 public:
  explicit RandomKconfig(Rng& rng, bool has_groups = false, bool has_transitional = false)
      : rng_(rng), has_groups_(has_groups), has_transitional_(has_transitional) {}

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
  void Transitional(std::size_t number);
  void Choice();
  void Comment();
  void Defaults(char type);
  void Help();

  Rng& rng_;
  bool has_groups_;
  bool has_transitional_;
  std::string text_;
  std::vector<std::pair<std::string, char>> known_;  // Name, and the first letter of the type.
  std::string types_;                                // Of the symbols S0, S1, …
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace hone::kconfig
