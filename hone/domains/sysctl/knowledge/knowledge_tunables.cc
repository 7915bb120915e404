// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/core/coordinate.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/knowledge/known_file.h"
#include "hone/domains/sysctl/knowledge/needs.h"
#include "hone/domains/sysctl/knowledge/tunable_range.h"
#include "hone/domains/sysctl/knowledge/wanted.h"

namespace hone::sysctl {
namespace {

// Whether two ends of a range leave something to search.
bool HasSeveral(const Kind& kind, const std::vector<SpecialValue>& specials) {
  struct Counter {
    bool operator()(const IntegerRange& range) const {
      return range.low + range.step <= range.high;
    }
    bool operator()(const RealRange& range) const { return range.low < range.high; }
    bool operator()(const Boolean&) const { return true; }
    bool operator()(const Category& category) const { return category.choices.size() > 1; }
    bool operator()(const OrderedTuple& tuple) const {
      if (tuple.parts.empty()) return (*this)(tuple.range);
      return std::any_of(tuple.parts.begin(), tuple.parts.end(), *this);
    }
  };
  return std::visit(Counter{}, kind) || !specials.empty();
}

class Maker {
 public:
  Maker(KernelFiles& files, const Knowledge& knowledge, Place place)
      : files_(files), knowledge_(knowledge), place_(place), sizes_(ReadSizes(files)) {}

  Result<TunableSet> Run(WantedSet wanted) {
    set_.notes = std::move(wanted.notes);
    for (const Wanted& one : wanted.wanted) {
      if (auto added = Add(one); !added) return added.error();
    }
    DropOrphans();
    for (Tunable& tunable : set_.tunables) KeepFromOthers(tunable);
    for (const Tunable& tunable : set_.tunables) AddConstraints(tunable);
    for (const Tunable& tunable : set_.tunables) AddCouplings(tunable);
    for (const Tunable& tunable : set_.tunables) NoteUnmetNeeds(tunable);
    return std::move(set_);
  }

 private:
  Result<void> Add(const Wanted& wanted) {
    const std::string name = NameOfPath(wanted.path);
    const auto in_force = TextNow(wanted);
    if (!in_force) return in_force.error();
    const auto offered = OfferedChoices(files_, wanted.facts, wanted.path, place_);
    auto kind = RangeFor({name, wanted.facts, wanted.request->range, offered, *in_force, sizes_,
                          HighestHere(files_, wanted.facts, wanted.path)});
    if (!kind) return kind.error();
    const auto value =
        ValueOf(*kind, *in_force,
                wanted.facts == nullptr ? std::vector<SpecialValue>() : wanted.facts->specials);
    if (!value) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: what is in force, {}", name, value.error().message)};
    }
    auto specials = SpecialsFor(wanted, *kind, *value);
    if (!specials) return specials.error();
    if (wanted.facts != nullptr && wanted.facts->risk == Risk::kCapacity &&
        !RaiseOnly(*kind, *value)) {
      set_.notes.push_back(fmt::format(
          "{}: left out: a limit is only ever raised, and {} is in force", name, *in_force));
      return {};
    }
    if (!HasSeveral(*kind, *specials)) {
      set_.notes.push_back(fmt::format("{}: left out: there is only one value to try here", name));
      return {};
    }
    set_.tunables.push_back(Made(wanted, std::move(*kind), *value, std::move(*specials)));
    if (wanted.is_there_now) set_.tunables.back().in_force = *in_force;
    return {};
  }

  static Tunable Made(const Wanted& wanted, Kind kind, const Value& value,
                      std::vector<SpecialValue> specials) {
    Tunable tunable;
    tunable.path = wanted.path;
    tunable.facts = wanted.facts;
    tunable.risk = wanted.facts == nullptr ? Risk::kDisruptive : wanted.facts->risk;
    Parameter& parameter = tunable.parameter;
    parameter.name = NameOfPath(wanted.path);
    parameter.kind = std::move(kind);
    parameter.default_value = value;
    parameter.specials = std::move(specials);
    if (wanted.facts == nullptr) return tunable;
    parameter.unit = wanted.facts->unit;
    parameter.description = wanted.facts->summary;
    if (!wanted.parent.empty()) {
      parameter.condition = Condition{NameOfPath(wanted.parent), wanted.facts->condition->values};
    }
    return tunable;
  }

  // A child that is not there yet will start with the kernel's default.
  Result<std::string> TextNow(const Wanted& wanted) {
    if (!wanted.is_there_now) return wanted.facts->kernel_default;
    auto text = files_.Read(wanted.path);
    if (text || wanted.facts == nullptr || wanted.facts->caution.empty()) return text;
    return Error{text.error().code,
                 fmt::format("{}. {}", text.error().message, wanted.facts->caution)};
  }

  Result<std::vector<SpecialValue>> SpecialsFor(const Wanted& wanted, const Kind& kind,
                                                const Value& value) const {
    std::vector<SpecialValue> specials = wanted.request->specials;
    if (wanted.facts == nullptr) return specials;
    if (auto checked = CheckSpecials(wanted, kind); !checked) return checked.error();
    const auto& known = wanted.facts->specials;
    if (specials.empty()) specials = known;
    for (const SpecialValue& special : known) {
      const bool is_word = std::holds_alternative<std::string>(special.value);
      const bool is_there = std::find(specials.begin(), specials.end(), special) != specials.end();
      if (is_word && special.value == value && !is_there) specials.push_back(special);
    }
    if (wanted.facts->twin.empty()) return specials;
    // 0 says that the twin is in force. It cannot be written, so it is there only while it holds.
    const Value zero = std::int64_t{0};
    std::erase_if(specials, [&](const SpecialValue& special) { return special.value == zero; });
    if (value == zero) specials.push_back({zero, wanted.facts->twin + " is in force"});
    return specials;
  }

  Result<void> CheckSpecials(const Wanted& wanted, const Kind& kind) const {
    const HardRange hard = HardRangeOn(*wanted.facts, sizes_);
    for (const SpecialValue& special : wanted.request->specials) {
      const auto* number = std::get_if<std::int64_t>(&special.value);
      const bool is_integer = std::holds_alternative<IntegerRange>(kind);
      const auto& known = wanted.facts->specials;
      const bool is_known = std::any_of(known.begin(), known.end(), [&](const SpecialValue& one) {
        return one.value == special.value;
      });
      const bool is_inside = number != nullptr && !(hard.low && *number < *hard.low) &&
                             !(hard.high && *number > *hard.high);
      if (is_integer && (is_known || is_inside)) continue;
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: {} is not a value that it can take", NameOfPath(wanted.path),
                               ToText(special.value))};
    }
    return {};
  }

  // A child whose parent was left out has nothing to depend on.
  void DropOrphans() {
    auto& tunables = set_.tunables;
    for (auto& tunable : tunables) {
      const auto& condition = tunable.parameter.condition;
      if (condition && Find(PathOfName(condition->parent)) == nullptr) {
        tunable.parameter.condition.reset();
        if (tunable.in_force.empty()) tunable.path.clear();
      }
    }
    std::erase_if(tunables, [](const Tunable& tunable) { return tunable.path.empty(); });
  }

  Tunable* Find(const std::string& path) {
    const auto found = std::find_if(set_.tunables.begin(), set_.tunables.end(),
                                    [&](const Tunable& t) { return t.path == path; });
    return found == set_.tunables.end() ? nullptr : &*found;
  }

  std::optional<std::int64_t> IntegerNow(const std::string& path) {
    const auto text = files_.Read(path);
    if (!text) return std::nullopt;
    const auto value = ValueOf(IntegerRange{}, *text);
    if (!value) return std::nullopt;
    return std::get<std::int64_t>(*value);
  }

  // Keeps a range below, or above, a parameter that is not tuned. 0 of a twin says nothing.
  void KeepFromOthers(Tunable& tunable) {
    auto* range = std::get_if<IntegerRange>(&tunable.parameter.kind);
    if (tunable.facts == nullptr || range == nullptr) return;
    const IntegerRange whole = *range;
    for (const std::string& upper : tunable.facts->below) {
      const std::string path = PathOfName(upper);
      const auto bound = Find(path) == nullptr ? IntegerNow(path) : std::nullopt;
      if (bound && *bound > 0) range->high = std::min(range->high, *bound - 1);
    }
    for (const ParameterFacts& facts : knowledge_.all()) {
      const auto& below = facts.below;
      if (std::find(below.begin(), below.end(), tunable.facts->name) == below.end()) continue;
      const std::string path = PathOfName(facts.name);
      const auto bound = Find(path) == nullptr ? IntegerNow(path) : std::nullopt;
      if (!bound || *bound < range->low) continue;
      range->low += (*bound + 1 - range->low + range->step - 1) / range->step * range->step;
    }
    if (range->low <= range->high) return;
    *range = whole;
    set_.notes.push_back(
        fmt::format("{}: what it must stay apart from leaves no range, so that rule is not kept",
                    tunable.parameter.name));
  }

  void AddConstraints(const Tunable& lower) {
    if (lower.facts == nullptr) return;
    for (const std::string& name : lower.facts->below) {
      const Tunable* upper = Find(PathOfName(name));
      if (upper == nullptr) continue;
      LinearConstraint constraint{
          {{lower.parameter.name, 1}, {upper->parameter.name, -1}}, true, 0};
      if (Space::Make({lower.parameter, upper->parameter}, {constraint})) {
        set_.constraints.push_back(std::move(constraint));
      } else {
        set_.notes.push_back(
            fmt::format("{}: it is not below {} now, so the search does not keep "
                        "it there",
                        lower.parameter.name, upper->parameter.name));
      }
    }
  }

  void AddCouplings(const Tunable& tunable) {
    if (tunable.facts == nullptr) return;
    if (!tunable.facts->twin.empty()) {
      const std::string twin = PathOfName(tunable.facts->twin);
      if (files_.Read(twin)) set_.couplings.twins.push_back({tunable.path, twin});
    }
    if (const auto& condition = tunable.parameter.condition) {
      // It goes and comes with its parent, and then has the kernel's value, not the original.
      AddEffect({PathOfName(condition->parent), tunable.path, true});
    }
    for (const std::string& effect : ChangedWith(files_, *tunable.facts, tunable.path)) {
      AddEffect({tunable.path, effect, files_.IsWritable(effect)});
    }
  }

  // A child is also declared as what changes with its parent.
  void AddEffect(Couplings::Effect effect) {
    const bool is_there = std::ranges::any_of(set_.couplings.effects, [&](const auto& other) {
      return other.cause == effect.cause && other.effect == effect.effect;
    });
    if (!is_there) set_.couplings.effects.push_back(std::move(effect));
  }

  // A need that is tuned beside it may be met by a candidate.
  void NoteUnmetNeeds(const Tunable& tunable) {
    if (tunable.facts == nullptr) return;
    for (const auto& [need, why] : FindUnmetNeeds(files_, *tunable.facts)) {
      const bool is_tuned = std::any_of(
          set_.tunables.begin(), set_.tunables.end(), [&need = need](const Tunable& other) {
            return other.facts != nullptr && other.facts->name == need;
          });
      if (is_tuned) continue;
      set_.notes.push_back(fmt::format("{}: does nothing here: {}", tunable.parameter.name, why));
    }
  }

  KernelFiles& files_;
  const Knowledge& knowledge_;
  Place place_;
  MachineSizes sizes_;
  TunableSet set_;
};

struct Planned {
  Setting setting;
  const Tunable* tunable = nullptr;
  const Value* value = nullptr;
};

// The kernel may refuse to raise a lower one beyond its upper one, or to sink an upper one below:
// the one that makes room goes first.
void MakeRoomFirst(std::vector<Planned>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    for (std::size_t j = i + 1; j < plan.size(); ++j) {
      const auto is_below = [](const Planned& one, const Planned& other) {
        if (one.tunable->facts == nullptr || other.tunable->facts == nullptr) return false;
        const auto& below = one.tunable->facts->below;
        return std::find(below.begin(), below.end(), other.tunable->facts->name) != below.end();
      };
      const bool is_lower_first = is_below(plan[i], plan[j]);
      if (!is_lower_first && !is_below(plan[j], plan[i])) continue;
      const Planned& upper = is_lower_first ? plan[j] : plan[i];
      const bool raises_upper = *upper.value >= upper.tunable->parameter.default_value;
      if (raises_upper == is_lower_first) std::swap(plan[i], plan[j]);
    }
  }
}

}  // namespace

Result<TunableSet> FindTunables(KernelFiles& files, const Knowledge& knowledge,
                                const std::vector<ParameterRequest>& requests, Place place) {
  auto wanted = FindWanted(files, knowledge, requests, place);
  if (!wanted) return wanted.error();
  return Maker(files, knowledge, place).Run(std::move(*wanted));
}

std::vector<Setting> SettingsFor(const TunableSet& set, const Assignment& assignment) {
  std::vector<Planned> plan;
  for (const Tunable& tunable : set.tunables) {
    const auto found = assignment.find(tunable.parameter.name);
    if (found == assignment.end() || found->second == tunable.parameter.default_value) continue;
    plan.push_back(
        {{tunable.path, TextOf(found->second, tunable.in_force)}, &tunable, &found->second});
  }
  MakeRoomFirst(plan);
  std::vector<Setting> settings;
  settings.reserve(plan.size());
  for (Planned& one : plan) settings.push_back(std::move(one.setting));
  return settings;
}

}  // namespace hone::sysctl
