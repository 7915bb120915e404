// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/questions/question.h"
#include "hone/core/result.h"

namespace hone::agent {

// How somebody came to know what is right.
enum class LabelOrigin : std::uint8_t {
  kMeasured,   // An effect with its interval, from a campaign.
  kSolver,     // It follows from the tree and what is asked for.
  kKnowledge,  // It is written somewhere: a reason to try, not a result.
  kImported,   // Somebody else's data set says so.
};
std::string_view NameOf(LabelOrigin origin);  // "measured", "solver", "knowledge", "imported"
Result<LabelOrigin> LabelOriginNamed(std::string_view name);

struct LabelSource {
  LabelOrigin origin = LabelOrigin::kMeasured;
  std::string reference;  // Where to look: a campaign, a file with its line.
  std::string evidence;   // One sentence: "+4.1 % [+3.0 %, +5.2 %]", "I2C_GPIO=y needs it".

  bool operator==(const LabelSource&) const = default;
};

// A value that is right, or partly so.
struct AcceptedValue {
  std::string value;
  double credit = 1;  // In (0, 1].

  bool operator==(const AcceptedValue&) const = default;
};

// What is right for one item.
enum class RightMove : std::uint8_t {
  kKeep,    // To stay as it is: another value has no effect that was shown, or does harm.
  kSet,     // One of the accepted values.
  kHigher,  // Any number above the present one, in its range.
  kLower,
};

struct ItemLabel {
  std::string key;  // Of the item.
  RightMove right = RightMove::kKeep;
  // Of kSet; one of them has credit 1. Of kKeep: values that do no harm, and count neither way.
  std::vector<AcceptedValue> accepted = {};
  double weight = 1;  // How much it counts beside the others.
  LabelSource source = {};

  bool operator==(const ItemLabel&) const = default;
};

// What is right for a question. An item that is not in it is not known: what an answer says of it
// counts neither for nor against. Of a choice the items are its members: those that are right have
// kSet with "y", each with its credit, or kKeep if it is the member in force; all others are wrong.
struct Label {
  std::vector<ItemLabel> items;

  bool operator==(const Label&) const = default;
};

// An Error names what no reward can be computed from: an item that the question does not have, a
// value that it cannot take, a weight or a credit out of range, nothing that is known.
Result<void> CheckLabel(const Question& question, const Label& label);

// Of the item of that key; nullptr if nothing is known of it.
const ItemLabel* FindLabel(const Label& label, std::string_view key);

std::string_view NameOf(RightMove right);  // "keep", "set", "higher", "lower"
Result<RightMove> RightMoveNamed(std::string_view name);

}  // namespace hone::agent
