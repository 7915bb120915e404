// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::agent {

// That an option has a value, as somebody untrusted asks for it.
struct OptionRequest {
  std::string option;  // With or without CONFIG_.
  std::string value;

  bool operator==(const OptionRequest&) const = default;
};

// Whether an option is to stay as it is.
struct Protection {
  std::string reason = {};  // Empty: it is not protected.
  bool may_follow = true;   // It may change as a consequence of others.
};
using ProtectionRule = std::function<Protection(const std::string& option)>;

enum class RequestOutcome : std::uint8_t { kHonoured, kAlreadySo, kRefused };
std::string_view NameOf(RequestOutcome outcome);  // "honoured", "already_so", "refused"

struct OptionChange {
  std::string option;
  std::string before;
  std::string after;

  bool operator==(const OptionChange&) const = default;
};

// What became of a request.
struct RequestVerdict {
  OptionRequest request;
  RequestOutcome outcome = RequestOutcome::kRefused;

  // If it was refused: a word (protected, undoes_another, unsafe_text, impossible, undecided, or
  // one of kconfig::Refusal), and for people and models the clauses that are in the way.
  std::string refusal = {};
  std::string reason = {};

  // If it was honoured: what had to be set beside it, and everything else that changed.
  std::vector<OptionChange> also_set = {};
  std::vector<OptionChange> consequences = {};

  bool operator==(const RequestVerdict&) const = default;
};

// A configuration that changes by requests: each is honoured by the smallest change, or refused
// with the reason, and then nothing has changed. What was honoured stays so: a later request that
// would undo it is refused, unless it is for the same option. For one thread at a time.
class OptionEditor {
 public:
  OptionEditor(std::shared_ptr<const kconfig::TreeIndex> index, kconfig::Configuration start,
               const ProtectionRule& protection);

  // In their order; a verdict for each. Never fails: what cannot be is a refusal.
  std::vector<RequestVerdict> Apply(const std::vector<OptionRequest>& requests);

  const kconfig::Configuration& configuration() const { return configuration_; }
  const kconfig::TreeIndex& index() const { return *index_; }

 private:
  struct Step;
  std::vector<Step> Resolve(const std::vector<OptionRequest>& requests) const;
  void CheckValue(Step& step) const;
  bool ApplyTogether(std::vector<Step>& steps);
  void ApplyOne(Step& step);
  void Solve(Step& step, const std::string& direct_reason);
  void Commit(Step& step, kconfig::Configuration after, const std::vector<kconfig::Change>& set);
  // The option itself and, of a member of a choice, the other members.
  std::set<kconfig::SymbolId> OwnOf(kconfig::SymbolId id) const;
  std::string HarmOf(const std::vector<kconfig::Change>& effects,
                     const std::set<kconfig::SymbolId>& own) const;
  std::vector<kconfig::SymbolId> KeptFor(const std::set<kconfig::SymbolId>& own) const;
  bool IsSo(kconfig::SymbolId id, std::string_view value) const;
  OptionChange Named(const kconfig::Change& change) const;

  std::shared_ptr<const kconfig::TreeIndex> index_;
  kconfig::Solver solver_;
  kconfig::Configuration configuration_;
  std::map<kconfig::SymbolId, Protection> protected_;
  std::map<kconfig::SymbolId, std::string> pledged_;  // What was honoured, with its value.
};

// True if a text that somebody untrusted wrote may stand in a .config: make and the shell read
// these files, and would obey some of what they find.
bool IsHarmlessText(std::string_view text);

}  // namespace hone::agent
