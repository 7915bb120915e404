// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/core/letter_case.h"
#include "hone/core/nearest.h"

namespace hone::kconfig {
namespace {

class Walk {
 public:
  Walk(const TreeIndex& index, const Configuration& configuration, const WalkOptions& options)
      : index_(index), configuration_(configuration), tree_(index.tree()), options_(options) {}

  std::vector<Question> QuestionsIn(MenuId menu) {
    std::vector<Question> questions;
    for (MenuId at = tree_.menu(menu).first_child; at != kNone; at = tree_.menu(at).next) {
      Add(at, questions);
    }
    return questions;
  }

 private:
  bool IsShown(MenuId id) const {
    const MenuNode& node = tree_.menu(id);
    return node.prompt != kNone && (options_.shows_hidden || configuration_.IsVisible(id));
  }

  void Add(MenuId id, std::vector<Question>& questions) {
    const MenuNode& node = tree_.menu(id);
    if (node.kind == MenuKind::kComment || !IsShown(id)) return;
    if (node.kind == MenuKind::kMenu) return questions.push_back(MenuQuestion(id));
    if (node.kind == MenuKind::kChoice) return questions.push_back(ChoiceQuestion(id));
    if (node.kind != MenuKind::kSymbol) return;
    questions.push_back(SymbolQuestion(id));
    if (node.first_child == kNone) return;
    Question below = MenuQuestion(id);
    if (below.inside > 0) questions.push_back(std::move(below));
  }

  Question Common(MenuId id, QuestionKind kind) const {
    const MenuNode& node = tree_.menu(id);
    Question question;
    question.kind = kind;
    question.menu = id;
    question.symbol = node.symbol;
    question.prompt = std::string(tree_.property(node.prompt).text);
    if (options_.wants_help) question.help = tree_.Help(id);
    question.where = node.where;
    if (node.dependency != kNone) question.depends_on = tree_.Show(node.dependency);
    if (node.symbol == kNone) return question;
    question.type = tree_.symbol(node.symbol).type;
    question.value = std::string(configuration_.text(node.symbol));
    question.is_set = configuration_.has_user_value(node.symbol);
    return question;
  }

  Question MenuQuestion(MenuId id) const {
    Question question = Common(id, QuestionKind::kMenu);
    for (MenuId at = tree_.menu(id).first_child; at != kNone; at = tree_.menu(at).next) {
      if (tree_.menu(at).kind != MenuKind::kComment && IsShown(at)) ++question.inside;
    }
    return question;
  }

  Question ChoiceQuestion(MenuId id) const {
    Question question = Common(id, QuestionKind::kChoice);
    const SymbolId selection = configuration_.Selection(question.symbol);
    question.value = selection == kNone ? std::string() : DisplayName(tree_, selection);
    const SymbolId usual = configuration_.ChoiceDefault(question.symbol);
    if (usual != kNone) question.default_value = DisplayName(tree_, usual);
    for (const SymbolId member : tree_.MembersOf(question.symbol)) {
      if (configuration_.visibility(member) == Tristate::kNo) continue;
      question.assignable.push_back(DisplayName(tree_, member));
    }
    return question;
  }

  Question SymbolQuestion(MenuId id) const {
    const SymbolId symbol = tree_.menu(id).symbol;
    const bool is_logical = IsLogical(tree_.symbol(symbol).type);
    Question question = Common(id, is_logical ? QuestionKind::kBool : QuestionKind::kValue);
    question.default_value = configuration_.DefaultText(symbol);
    question.assignable = AssignableTo(configuration_, symbol);
    const PropertyId range = configuration_.ActiveProperty(symbol, PropertyKind::kRange);
    if (range != kNone) {
      question.lowest = std::string(configuration_.text(tree_.property(range).first));
      question.highest = std::string(configuration_.text(tree_.property(range).second));
    }
    if (configuration_.selected(symbol) == Tristate::kNo) return question;
    for (const RuleLine& line : WhoSelects(index_, configuration_, symbol)) {
      if (line.level == Tristate::kNo) break;
      question.selected_by.push_back(DisplayName(tree_, line.symbol));
    }
    return question;
  }

  const TreeIndex& index_;
  const Configuration& configuration_;
  const Tree& tree_;
  const WalkOptions& options_;
};

}  // namespace

std::string_view NameOf(QuestionKind kind) {
  constexpr std::string_view kNames[] = {"Bool", "Choice", "Value", "Menu"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::string> AssignableTo(const Configuration& configuration, SymbolId id) {
  std::vector<std::string> values;
  for (const Tristate value : {Tristate::kNo, Tristate::kModule, Tristate::kYes}) {
    if (configuration.CanBe(id, value)) values.emplace_back(TextOf(value));
  }
  return values;
}

std::vector<std::string> MenuPathOf(const Tree& tree, MenuId menu) {
  std::vector<std::string> path;
  for (MenuId at = menu; at != kNone; at = tree.menu(at).parent) {
    if (at == 0) {
      path.emplace_back(tree.title());
    } else if (tree.menu(at).prompt != kNone) {
      path.emplace_back(tree.property(tree.menu(at).prompt).text);
    }
  }
  std::reverse(path.begin(), path.end());
  return path;
}

Result<std::vector<MenuId>> MenusTitled(const Tree& tree, const std::string& title) {
  std::vector<MenuId> found;
  std::vector<std::string> titles;
  for (MenuId at = 0; at < tree.menus().size(); ++at) {
    const MenuNode& node = tree.menu(at);
    const bool is_menu = node.kind == MenuKind::kMenu || node.is_menuconfig;
    if (!is_menu || node.prompt == kNone) continue;
    titles.emplace_back(tree.property(node.prompt).text);
    if (LowerCase(titles.back()) == LowerCase(title)) found.push_back(at);
  }
  if (!found.empty()) return found;
  const auto near = Nearest(title, titles);
  return Error{Errc::kInvalidArgument,
               fmt::format("menu \"{:.80}\": no menu of this tree has that title{}; `hone kconfig "
                           "tree TREE` shows them",
                           title, near ? fmt::format(", did you mean \"{}\"?", *near) : "")};
}

MenuPage WalkMenu(const TreeIndex& index, const Configuration& configuration, MenuId menu,
                  const WalkOptions& options) {
  MenuPage page;
  page.menu = menu;
  page.path = MenuPathOf(index.tree(), menu);
  page.title = page.path.empty() ? std::string() : page.path.back();
  page.questions = Walk(index, configuration, options).QuestionsIn(menu);
  return page;
}

std::vector<QuestionGroup> GroupsOf(const MenuPage& page, std::size_t size) {
  std::vector<QuestionGroup> groups;
  for (const QuestionKind kind :
       {QuestionKind::kChoice, QuestionKind::kValue, QuestionKind::kBool, QuestionKind::kMenu}) {
    const std::size_t max = kind == QuestionKind::kChoice ? 1 : size;
    std::size_t room = 0;
    for (const Question& question : page.questions) {
      if (question.kind != kind) continue;
      if (room == 0) {
        groups.push_back({kind, {}});
        room = max;
      }
      groups.back().questions.push_back(question);
      --room;
    }
  }
  return groups;
}

}  // namespace hone::kconfig
