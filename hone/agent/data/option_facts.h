// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/questions/kconfig_questions.h"
#include "hone/agent/rewards/label.h"
#include "hone/agent/rewards/performance_reward.h"
#include "hone/core/result.h"
#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/values/configuration.h"
#include "hone/tune/campaign/campaign_history.h"

// What is known to be right for options, whatever question they stand in; from it come labels.
namespace hone::agent {

// What is right for one option.
struct OptionFact {
  RightMove right = RightMove::kKeep;
  std::vector<AcceptedValue> accepted = {};
  double weight = 1;
  LabelSource source = {};

  bool operator==(const OptionFact&) const = default;
};

struct OptionFacts {
  std::map<std::string, OptionFact> options;  // By name, without CONFIG_; a choice by its prompt,
                                              // with members as values.
  // What is to be said of an option that is not named: it stays (a solver's answer is whole), or
  // nothing is known (a campaign measured some of them).
  bool are_whole = false;
  LabelSource rest = {};  // Of those that are not named, if they stay.
};

// What the wishes need: the settings of the smallest change are right, their consequences are not
// asked for, and all else stays. kNotFound: there is no way, with the first of the reasons.
Result<OptionFacts> FactsFromSolver(const kconfig::Solver& solver,
                                    const kconfig::Configuration& start,
                                    const std::vector<kconfig::Wish>& wishes);

// What a campaign about build options measured: for each option that its ablation put back alone,
// or that a trial changed alone, a gain that is shown makes its value right, with the weight of its
// effect beside the largest; all else of what was measured stays.
OptionFacts FactsFromCampaign(const tune::CampaignHistory& history);

// The same from the JSON that `hone export` wrote, of its verdict alone: what the ablation found.
Result<OptionFacts> FactsFromExport(std::string_view text, const std::string& what);

// Facts of both; where both speak, the first does. Whole if the first is.
OptionFacts Joined(OptionFacts first, const OptionFacts& second);

// The fact for one measured effect of setting an option to a value.
OptionFact FactOf(const MeasuredLogRatio& effect, const std::string& value, std::string reference);

// Labels of a question about a tree: items of known options, menus in which a known option lies
// that should change (to be opened) or only others (to be left). What a fact says that the item
// cannot take now is left out. nullopt if nothing is known.
class FactLabeller {
 public:
  // Both must outlive it.
  FactLabeller(const kconfig::Tree& tree, const OptionFacts& facts);

  std::optional<Label> LabelOf(const KconfigQuestion& asked) const;

 private:
  std::optional<ItemLabel> MenuLabel(const QuestionItem& item, kconfig::MenuId node) const;
  std::optional<ItemLabel> OptionLabel(const Question& question, const QuestionItem& item) const;
  Label ChoiceLabel(const Question& question) const;
  void AddChoiceFact(const Question& question, Label& label) const;

  const kconfig::Tree& tree_;
  const OptionFacts& facts_;
  std::map<kconfig::MenuId, const OptionFact*> wanted_;  // Nodes with a change in or below them.
  std::map<kconfig::MenuId, const OptionFact*> known_;   // With anything that is known.
};

}  // namespace hone::agent
