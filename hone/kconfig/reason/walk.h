// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/kconfig/reason/explain.h"
#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

enum class QuestionKind : std::uint8_t { kBool, kChoice, kValue, kMenu };
std::string_view NameOf(QuestionKind kind);

// One thing that can be decided at a place of the menu tree, with all that one should know first.
// A bool or tristate with entries below it is there twice: as kBool, and as kMenu if it is open.
struct Question {
  QuestionKind kind = QuestionKind::kBool;
  MenuId menu = kNone;
  SymbolId symbol = kNone;  // kNone for a plain menu.
  std::string prompt;
  std::string help;
  SymbolType type = SymbolType::kUnknown;
  std::string value;
  std::string default_value;            // Without a user value.
  std::vector<std::string> assignable;  // What it may be set to now; of a choice, its members.
  std::string lowest;                   // Of a range that holds now.
  std::string highest;
  std::vector<std::string> selected_by;  // Who holds it up now.
  std::string depends_on;
  Location where;
  bool is_set = false;     // By the user.
  std::size_t inside = 0;  // Of a menu: visible questions directly in it.
};

struct WalkOptions {
  bool shows_hidden = false;  // Also what no prompt shows now.
  bool wants_help = true;
};

// A menu as a walker sees it.
struct MenuPage {
  MenuId menu = 0;
  std::string title;
  std::vector<std::string> path;  // Titles from the root, its own last.
  std::vector<Question> questions;
};

MenuPage WalkMenu(const TreeIndex& index, const Configuration& configuration, MenuId menu,
                  const WalkOptions& options = {});

// Questions of one kind that are asked together; at most `size` of them, choices one by one.
struct QuestionGroup {
  QuestionKind kind = QuestionKind::kBool;
  std::vector<Question> questions;
};
std::vector<QuestionGroup> GroupsOf(const MenuPage& page, std::size_t size);

// Titles from the root to the menu that holds the node.
std::vector<std::string> MenuPathOf(const Tree& tree, MenuId menu);

// The menus of that title, in whatever case; an Error that names a near one if there is none.
Result<std::vector<MenuId>> MenusTitled(const Tree& tree, const std::string& title);

// What a symbol may be set to now: some of n, m and y; empty for texts, and if it cannot be moved.
std::vector<std::string> AssignableTo(const Configuration& configuration, SymbolId id);

}  // namespace hone::kconfig
