// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hone/agent/questions/kconfig_questions.h"
#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::agent {

// What a walk has asked about, and what is left. Every item is asked once for what it may be: again
// only when a value has become possible that was not offered before, so a walk has an end, however
// the answers change what can be seen. For one thread at a time.
class WalkAgenda {
 public:
  // With `opens_all` no menu is asked about: all are opened.
  WalkAgenda(std::shared_ptr<const kconfig::TreeIndex> index, std::size_t max_items,
             bool opens_all);

  // The next question about something new in this menu, the same until it is marked as asked;
  // nullopt if nothing is left there. Its menus come last.
  std::optional<KconfigQuestion> NextIn(const kconfig::Configuration& configuration,
                                        kconfig::MenuId menu) const;
  void MarkAsked(const KconfigQuestion& asked);

  void Open(kconfig::MenuId menu) { opened_.insert(menu); }

  // The menus right below it that are to be walked through, in their order: those that were opened,
  // and whatever holds entries without being an entry itself. What lies below members of a choice
  // and below entries that cannot be seen is there too.
  std::vector<kconfig::MenuId> Below(const kconfig::Configuration& configuration,
                                     kconfig::MenuId menu);

  // Every option that was in a question; of a choice, its members.
  const std::set<kconfig::SymbolId>& asked() const { return asked_; }
  std::size_t opened_count() const { return opened_.size(); }

 private:
  struct Offer {
    std::set<std::string> values;
    int times = 0;
  };
  bool IsNew(const kconfig::Configuration& configuration, const kconfig::Question& question) const;
  bool IsAskedAsMenu(const kconfig::Question& question) const;

  std::shared_ptr<const kconfig::TreeIndex> index_;
  std::size_t max_items_;
  bool opens_all_;
  std::map<kconfig::SymbolId, Offer> offers_;
  std::set<kconfig::MenuId> offered_menus_;
  std::set<kconfig::MenuId> opened_;
  std::set<kconfig::SymbolId> asked_;
};

}  // namespace hone::agent
