// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/conf/modes.h"

#include <fmt/format.h>

#include <charconv>

#include "hone/core/rng.h"

namespace hone::kconfig {
namespace {

bool IsOpen(const Configuration& configuration, SymbolId id) {
  const Symbol& symbol = configuration.tree().symbol(id);
  return IsLogical(symbol.type) && !symbol.is_transitional && !configuration.has_user_value(id);
}

void Visit(const Configuration& configuration, MenuId id, std::vector<SymbolId>& found) {
  const Tree& tree = configuration.tree();
  if (!configuration.IsVisible(id)) return;
  const MenuNode& node = tree.menu(id);
  if (node.symbol != kNone && IsNew(configuration, node.symbol)) found.push_back(node.symbol);
  for (MenuId child = node.first_child; child != kNone; child = tree.menu(child).next) {
    Visit(configuration, child, found);
  }
}

std::vector<SymbolId> HalfAnswered(const Configuration& configuration) {
  std::vector<SymbolId> found;
  const Tree& tree = configuration.tree();
  if (tree.has_groups()) return found;
  for (const Choice& choice : tree.choices()) {
    const bool has_user = configuration.has_user_value(choice.symbol);
    if (has_user && !IsAnswered(configuration, choice.symbol)) found.push_back(choice.symbol);
  }
  return found;
}

}  // namespace

void SetAllNew(Configuration& configuration, Tristate value) {
  const Tree& tree = configuration.tree();
  for (const SymbolId id : tree.order()) {
    if (!IsOpen(configuration, id)) continue;
    // In a group that nobody has answered, its defaults decide.
    if (tree.has_groups() && tree.symbol(id).choice != kNone) continue;
    const bool is_yes = tree.symbol(id).is_allno_yes && value == Tristate::kNo;
    configuration.Assign(id, is_yes ? Tristate::kYes : value);
  }
  configuration.Evaluate();
}

void AnswerChoices(Configuration& configuration) {
  for (const Choice& choice : configuration.tree().choices()) {
    configuration.MarkAnswered(choice.symbol, true);
  }
  configuration.Evaluate();
}

Result<RandomOptions> ReadProbability(const std::string& text, std::uint64_t seed) {
  RandomOptions options;
  options.seed = seed;
  std::vector<int> numbers;
  for (const char* at = text.data(); at < text.data() + text.size() && numbers.size() < 3;) {
    int number = -1;
    const auto [end, fault] = std::from_chars(at, text.data() + text.size(), number);
    if (fault != std::errc() || number < 0 || number > 100) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("KCONFIG_PROBABILITY={}: expected up to three numbers from 0 to 100 "
                               "with : between them",
                               text)};
    }
    numbers.push_back(number);
    at = end + (end < text.data() + text.size() && *end == ':' ? 1 : 0);
  }
  if (numbers.size() == 1) {
    options.bool_yes = numbers[0];
    options.tristate_module = numbers[0] / 2;
    options.tristate_yes = numbers[0] - options.tristate_module;
  } else if (numbers.size() == 2) {
    options.tristate_yes = numbers[0];
    options.tristate_module = numbers[1];
    options.bool_yes = numbers[0] + numbers[1];
  } else if (numbers.size() == 3) {
    options.bool_yes = numbers[0];
    options.tristate_yes = numbers[1];
    options.tristate_module = numbers[2];
  }
  if (options.tristate_yes + options.tristate_module > 100) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("KCONFIG_PROBABILITY={}: y and m of tristates are more than 100 in all", text)};
  }
  return options;
}

void SetAllRandom(Configuration& configuration, const RandomOptions& options) {
  const Tree& tree = configuration.tree();
  Rng rng(options.seed);
  const auto roll = [&rng](std::size_t sides) { return static_cast<int>(rng.Below(sides)); };
  for (const Choice& choice : tree.choices()) {
    if (configuration.has_user_value(choice.symbol) || choice.members.empty()) continue;
    const auto picked = static_cast<std::size_t>(roll(choice.members.size()));
    for (std::size_t i = 0; i < choice.members.size(); ++i) {
      if (configuration.has_user_value(choice.members[i])) continue;
      configuration.Assign(choice.members[i], i == picked ? Tristate::kYes : Tristate::kNo);
      if (i == picked) configuration.AssignSelection(choice.symbol, choice.members[i]);
    }
  }
  for (SymbolId id = 0; id < tree.symbols().size(); ++id) {
    if (tree.RankOf(id) == kNone || !IsOpen(configuration, id)) continue;
    const int chance = roll(100);
    Tristate value = Tristate::kNo;
    if (tree.symbol(id).type == SymbolType::kTristate) {
      if (chance < options.tristate_yes) {
        value = Tristate::kYes;
      } else if (chance < options.tristate_yes + options.tristate_module) {
        value = Tristate::kModule;
      }
    } else if (chance < options.bool_yes) {
      value = Tristate::kYes;
    }
    configuration.Assign(id, value);
  }
  configuration.Evaluate();
}

void ReopenChoices(Configuration& configuration) {
  for (const SymbolId choice : HalfAnswered(configuration))
    configuration.MarkAnswered(choice, false);
}

void RewriteTristates(Configuration& configuration, Tristate from, Tristate to) {
  const Tree& tree = configuration.tree();
  const auto open = HalfAnswered(configuration);
  for (const SymbolId id : tree.order()) {
    if (configuration.EffectiveType(id) != SymbolType::kTristate) continue;
    if (configuration.UserValue(id) == std::string(TextOf(from))) configuration.Assign(id, to);
  }
  for (const SymbolId choice : open) configuration.MarkAnswered(choice, false);
  configuration.Evaluate();
}

bool IsAnswered(const Configuration& configuration, SymbolId id) {
  const Tree& tree = configuration.tree();
  if (!tree.IsGroup(id) && !configuration.has_user_value(id)) return false;
  if (!tree.symbol(id).is_choice || configuration.value(id) != Tristate::kYes) return true;
  for (const SymbolId member : tree.MembersOf(id)) {
    if (configuration.visibility(member) != Tristate::kNo &&
        !configuration.has_user_value(member)) {
      return false;
    }
  }
  return true;
}

bool IsNew(const Configuration& configuration, SymbolId id) {
  if (IsAnswered(configuration, id)) return false;
  const Tree& tree = configuration.tree();
  if (!tree.symbol(id).is_choice) return configuration.IsChangeable(id);
  if (tree.has_groups()) return false;  // Its members may be.
  return configuration.IsChangeable(id) || configuration.value(id) == Tristate::kYes;
}

std::vector<SymbolId> ChangedInput(const Configuration& configuration) {
  std::vector<SymbolId> found;
  const Tree& tree = configuration.tree();
  for (MenuId menu = 0; menu < tree.menus().size(); ++menu) {
    const SymbolId id = tree.menu(menu).symbol;
    if (id == kNone || tree.symbol(id).is_choice || tree.symbol(id).first_menu != menu) continue;
    const auto wanted = configuration.UserValue(id);
    if (wanted && *wanted != configuration.text(id)) found.push_back(id);
  }
  return found;
}

std::vector<SymbolId> NewSymbols(const Configuration& configuration) {
  std::vector<SymbolId> found;
  Visit(configuration, 0, found);
  return found;
}

}  // namespace hone::kconfig
