// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/bisect/configs_between.h"

#include <fmt/format.h>

#include <utility>

#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/reason/actions.h"
#include "hone/kconfig/values/values.h"

namespace hone::kernels {
namespace {

using kconfig::Change;
using kconfig::Configuration;
using kconfig::SymbolId;

// Whether somebody has to ask for it, so that it is not only a consequence.
bool CanBeAskedFor(const kconfig::TreeIndex& index, const Configuration& to, SymbolId id) {
  const kconfig::Symbol& symbol = index.tree().symbol(id);
  if (!index.HasPrompt(id) || symbol.is_choice || symbol.is_transitional) return false;
  if (!kconfig::IsLogical(symbol.type)) return to.is_written(id);
  return symbol.choice == kconfig::kNone || to.value(id) != kconfig::Tristate::kNo;
}

}  // namespace

ConfigsBetween::ConfigsBetween(const kconfig::Solver& solver, const std::string& from,
                               const std::string& to)
    : solver_(solver), to_text_(to), from_(Pinned(from)) {
  const kconfig::TreeIndex& index = solver_.index();
  Configuration end(index.shared_tree());
  kconfig::LoadConfig(end, to, {});
  for (Change& change : kconfig::DifferenceOf(from_, end)) {
    if (CanBeAskedFor(index, end, change.symbol)) changes_.push_back(std::move(change));
  }
  for (const SymbolId id : index.tree().order()) {
    if (index.HasPrompt(id) && !index.tree().symbol(id).is_choice &&
        from_.text(id) == end.text(id)) {
      kept_.push_back(id);
    }
  }
}

// With a user value for all that has a prompt: what becomes visible by another change stays as it
// was instead of taking its default.
Configuration ConfigsBetween::Pinned(const std::string& config) const {
  const kconfig::TreeIndex& index = solver_.index();
  Configuration loaded(index.shared_tree());
  kconfig::LoadConfig(loaded, config, {});
  Configuration pinned = loaded;
  for (const SymbolId id : index.tree().order()) {
    const kconfig::Symbol& symbol = index.tree().symbol(id);
    const bool is_plain = index.HasPrompt(id) && !symbol.is_choice && !symbol.is_transitional &&
                          symbol.choice == kconfig::kNone && kconfig::IsLogical(symbol.type);
    if (is_plain && !pinned.has_user_value(id)) pinned.Assign(id, loaded.value(id));
  }
  pinned.Evaluate();
  return kconfig::DifferenceOf(loaded, pinned).empty() ? pinned : loaded;
}

std::string ConfigsBetween::NameOf(std::size_t change) const {
  const Change& one = changes_.at(change);
  return fmt::format("{}: {} -> {}", from_.tree().symbol(one.symbol).name, one.before, one.after);
}

BetweenConfig ConfigsBetween::With(const ChangeSet& changes) const {
  BetweenConfig between;
  if (changes.size() == changes_.size()) {
    between.config = to_text_;
    between.made = changes;
    return between;
  }
  if (changes.empty()) {
    between.config = kconfig::WriteConfig(from_);
    return between;
  }
  kconfig::SolveRequest request;
  request.kept = kept_;
  for (const std::size_t change : changes) {
    request.wishes.push_back({changes_.at(change).symbol, changes_.at(change).after});
  }
  const auto fulfilled = Fulfil(solver_, from_, request);
  if (!fulfilled) {
    between.reason = fulfilled.error().message;
    return between;
  }
  if (!fulfilled->made) {
    between.reason = "no configuration is so:" + fulfilled->conflict;
    return between;
  }
  between.config = kconfig::WriteConfig(*fulfilled->made);
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (fulfilled->made->text(changes_[i].symbol) == changes_[i].after) between.made.push_back(i);
  }
  return between;
}

}  // namespace hone::kernels
