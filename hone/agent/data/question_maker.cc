// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/question_maker.h"

#include <set>
#include <utility>

#include "hone/agent/questions/kconfig_questions.h"
#include "hone/kconfig/reason/walk.h"

namespace hone::agent {
namespace {

class TreeAsker {
 public:
  TreeAsker(const kconfig::TreeIndex& index, const kconfig::Configuration& configuration,
            const OptionFacts& facts, const MakeQuestions& settings)
      : index_(index),
        configuration_(configuration),
        labeller_(index.tree(), facts),
        settings_(settings) {}

  std::vector<QuestionRow> Ask() {
    // Last in, first out, so that a menu's own come before its neighbour's.
    std::vector<kconfig::MenuId> waiting = {0};
    while (!waiting.empty()) {
      const kconfig::MenuId menu = waiting.back();
      waiting.pop_back();
      if (!seen_.insert(menu).second) continue;
      const auto below = AskPage(menu);
      waiting.insert(waiting.end(), below.rbegin(), below.rend());
    }
    return std::move(rows_);
  }

 private:
  // The menus to go on with.
  std::vector<kconfig::MenuId> AskPage(kconfig::MenuId menu) {
    std::vector<kconfig::MenuId> below;
    const auto page = kconfig::WalkMenu(index_, configuration_, menu, {.wants_help = false});
    for (KconfigQuestion& asked : QuestionsOf(configuration_, page, settings_.max_items)) {
      if (asked.question.kind == QuestionKind::kMenu) {
        below.insert(below.end(), asked.nodes.begin(), asked.nodes.end());
      }
      Add(page, std::move(asked));
    }
    return below;
  }

  void Add(const kconfig::MenuPage& page, KconfigQuestion asked) {
    QuestionRow row;
    row.label = labeller_.LabelOf(asked);
    if (!row.label && settings_.needs_label) return;
    row.goal = settings_.goal;
    row.tree = settings_.tree;
    row.path = page.path;
    row.question = std::move(asked.question);
    row.id = IdOf(row);
    rows_.push_back(std::move(row));
  }

  const kconfig::TreeIndex& index_;
  const kconfig::Configuration& configuration_;
  FactLabeller labeller_;
  const MakeQuestions& settings_;
  std::set<kconfig::MenuId> seen_;
  std::vector<QuestionRow> rows_;
};

}  // namespace

std::vector<QuestionRow> QuestionsOfTree(const kconfig::TreeIndex& index,
                                         const kconfig::Configuration& configuration,
                                         const OptionFacts& facts, const MakeQuestions& settings) {
  return TreeAsker(index, configuration, facts, settings).Ask();
}

}  // namespace hone::agent
