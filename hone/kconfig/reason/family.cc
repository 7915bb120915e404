// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/family.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "hone/core/letter_case.h"

namespace hone::kconfig {
namespace {

constexpr std::string_view kFamilyWords[] = {
    " architecture ",  " subarchitecture ", " processor ", " cpu ",
    " board ",         " mainboard ",       " machine ",   " soc ",
    " target select ", " system type ",     " base isa "};

// In small letters, a space between words and around all.
std::string PlainWords(std::string_view text) {
  std::string words = " ";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = std::isalnum(byte) != 0;
    if (!is_letter && words.ends_with(' ')) continue;
    words += is_letter ? LowerCase(c) : ' ';
  }
  return words.ends_with(' ') ? words : words + " ";
}

bool IsFolderOfFamilies(std::string_view file) {
  const std::string path = "/" + std::string(file);
  return path.find("/arch/") != std::string::npos || path.find("board") != std::string::npos;
}

bool IsFamilyChoice(const Tree& tree, SymbolId choice) {
  for (MenuId at = tree.symbol(choice).first_menu; at != kNone;
       at = tree.menu(at).next_definition) {
    const MenuNode& node = tree.menu(at);
    if (node.prompt == kNone || !IsFolderOfFamilies(tree.files()[node.where.file].name)) continue;
    const std::string words = PlainWords(tree.property(node.prompt).text);
    const bool is_tuning = words.find(" tuning ") != std::string::npos;
    if (!is_tuning &&
        std::any_of(std::begin(kFamilyWords), std::end(kFamilyWords),
                    [&](std::string_view word) { return words.find(word) != std::string::npos; })) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsFamily(const Tree& tree, SymbolId id) {
  const Symbol& symbol = tree.symbol(id);
  if (symbol.name == "64BIT") return true;
  return symbol.choice != kNone && IsFamilyChoice(tree, symbol.choice);
}

std::vector<Change> FamilyChanges(const Tree& tree, const Solution& solution) {
  std::vector<Change> changes;
  std::copy_if(solution.effects.begin(), solution.effects.end(), std::back_inserter(changes),
               [&](const Change& effect) { return IsFamily(tree, effect.symbol); });
  return changes;
}

Result<std::optional<Solution>> NearestInFamily(const Solver& solver, const Configuration& start,
                                                SolveRequest request) {
  const Tree& tree = solver.index().tree();
  for (const Wish& wish : request.wishes) {
    if (IsFamily(tree, wish.symbol)) return std::optional<Solution>();
  }
  for (const SymbolId id : tree.order()) {
    if (!tree.symbol(id).is_choice && IsFamily(tree, id)) request.kept.push_back(id);
  }
  request.alternatives = 1;
  auto answer = solver.Solve(start, request);
  if (!answer) return answer.error();
  if (answer->solutions.empty()) return std::optional<Solution>();
  return std::optional<Solution>(std::move(answer->solutions.front()));
}

}  // namespace hone::kconfig
