// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/kernel_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/domains/kconfig/options/boot_parameters.h"
#include "hone/domains/kconfig/options/kernel_texts.h"
#include "hone/domains/kconfig/options/option_pick.h"
#include "hone/domains/kconfig/options/protected_options.h"
#include "hone/kconfig/conf/modes.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/reason/actions.h"

namespace hone::kernels {
namespace {

using kconfig::Configuration;
using kconfig::SymbolId;

Result<std::shared_ptr<const kconfig::Tree>> LoadOptionTree(const KernelSource& source,
                                                            const std::filesystem::path& cache) {
  const auto place = kconfig::LocateTree(source.tree, source.arch.name);
  if (!place) return place.error();
  const kconfig::Environment environment{{"PATH", SearchPath()}, {"CROSS_COMPILE", source.cross}};
  auto load = kconfig::OptionsFor(*place, environment, kconfig::ShellPolicy::kRestricted);
  if (!cache.empty()) {
    load.memo = cache / "kconfig";
    load.snapshots = load.memo / "trees";
  }
  return kconfig::LoadTreeOrError(load);
}

// Lines "CONFIG_X=y" and "X=y" as wishes; what this tree does not know is left out.
std::vector<kconfig::Wish> WishesIn(const kconfig::Tree& tree, std::string_view text) {
  std::vector<kconfig::Wish> wishes;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("CONFIG_")) line.erase(0, std::string_view("CONFIG_").size());
    if (auto wish = kconfig::ParseWish(tree, line)) wishes.push_back(std::move(*wish));
  }
  return wishes;
}

bool IsSo(const Configuration& configuration, const kconfig::Wish& wish) {
  return configuration.text(wish.symbol) == wish.value ||
         (kconfig::IsLogical(configuration.EffectiveType(wish.symbol)) &&
          kconfig::TextOf(configuration.value(wish.symbol)) == wish.value);
}

// Some become visible by others.
Configuration WithDirectWishes(Configuration configuration,
                               const std::vector<kconfig::Wish>& wishes) {
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (const kconfig::Wish& wish : wishes) {
      if (IsSo(configuration, wish) || !configuration.CanBe(wish.symbol, wish.value)) continue;
      if (configuration.UserValue(wish.symbol) == wish.value) continue;  // It has no effect.
      has_moved |= configuration.Set(wish.symbol, wish.value).has_value();
    }
  }
  return configuration;
}

bool AreEqualIn(const Configuration& one, const Configuration& other,
                const std::vector<SymbolId>& symbols) {
  return std::all_of(symbols.begin(), symbols.end(),
                     [&](SymbolId id) { return one.text(id) == other.text(id); });
}

}  // namespace

Result<Fulfilled> Fulfil(const kconfig::Solver& solver, const Configuration& base,
                         const kconfig::SolveRequest& request) {
  Fulfilled fulfilled;
  const Configuration direct = WithDirectWishes(base, request.wishes);
  Configuration made = AreEqualIn(base, direct, request.kept) ? direct : base;
  const auto answer = solver.Solve(made, request);
  if (!answer) return answer.error();
  if (answer->solutions.empty()) {
    for (const kconfig::Clause& clause : answer->conflict) fulfilled.conflict += "\n" + clause.text;
    return fulfilled;
  }
  for (const kconfig::Change& change : answer->solutions.front().settings) {
    if (auto set = made.Set(change.symbol, change.after); !set) return set.error();
  }
  fulfilled.made = std::move(made);
  return fulfilled;
}

namespace {

std::string NeededBy(const GuestArch& arch) {
  return fmt::format("{}", fmt::join(arch.needed, "\n"));
}

// What `make tinyconfig` makes of the tree's fragments: what the first one has and nothing else,
// then of the others what can be set. A tree without them gives what allnoconfig gives.
Configuration TinyConfig(const KernelSource& source, const std::filesystem::path& configs,
                         Configuration base) {
  const auto common = source.tree / "kernel/configs";
  if (const auto first = ReadFile(common / "tiny-base.config")) {
    kconfig::LoadConfig(base, *first, {});
  }
  kconfig::SetAllNew(base, kconfig::Tristate::kNo);
  for (const auto& folder : {common, configs}) {
    const auto more = ReadFile(folder / "tiny.config");
    if (!more) continue;
    const auto wishes = WishesIn(base.tree(), *more);
    base = WithDirectWishes(std::move(base), wishes);
  }
  return base;
}

// What boots here: by name or from a file.
Result<Configuration> MakeNamedBase(const KernelSource& source, const kconfig::Solver& solver,
                                    const std::string& name) {
  const auto tree = solver.index().shared_tree();
  const auto place = kconfig::LocateTree(source.tree, source.arch.name);
  if (!place) return place.error();
  const auto configs = source.tree / "arch" / place->source_arch / "configs";
  Configuration base(tree);
  std::string wishes = NeededBy(source.arch);
  if (name == "tiny") {
    base = TinyConfig(source, configs, std::move(base));
  } else if (name == "small") {
    kconfig::SetAllNew(base, kconfig::Tristate::kNo);
    wishes += "\n" + std::string(KernelText("data/kernels/small.config"));
  } else {
    const std::string usual =
        source.arch.name == "x86_64" ? "x86_64_defconfig" : std::string("defconfig");
    const auto text = ReadFile(name == "defconfig" ? configs / usual : std::filesystem::path(name));
    if (!text) return text.error();
    kconfig::LoadConfig(base, *text, {});
  }
  auto done = Fulfil(solver, base, {.wishes = WishesIn(*tree, wishes)});
  if (!done) return done.error();
  if (done->made) return std::move(*done->made);
  return Error{Errc::kInvalidArgument, "the base cannot be made to boot here:" + done->conflict};
}

// "small,PREEMPT=y": a base, and what else is set in it.
Result<Configuration> MakeBase(const KernelSource& source, const kconfig::Solver& solver,
                               const std::string& text) {
  std::istringstream words(text);
  std::string word;
  std::getline(words, word, ',');
  auto base = MakeNamedBase(source, solver, word);
  std::vector<kconfig::Wish> wishes;
  while (base && std::getline(words, word, ',')) {
    auto wish = kconfig::ParseWish(base->tree(), word);
    if (!wish) return wish.error();
    wishes.push_back(std::move(*wish));
  }
  if (!base || wishes.empty()) return base;
  auto done = Fulfil(solver, *base, {.wishes = wishes});
  if (!done) return done.error();
  if (done->made) return std::move(*done->made);
  return Error{Errc::kInvalidArgument,
               fmt::format("base {}: no configuration is so:{}", text, done->conflict)};
}

bool IsNeeded(const GuestArch& arch, const std::string& name) {
  return std::any_of(arch.needed.begin(), arch.needed.end(),
                     [&](const auto& one) { return one.starts_with(name + "="); });
}

// Why an option is no parameter: it is protected, or the guest's machine needs it. Empty if it may
// be one.
std::string WhyKept(const GuestArch& arch, const std::vector<std::string>& allowed,
                    const std::string& name) {
  if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) return "";
  return IsNeeded(arch, name) ? "the guest needs it" : ProtectedOptions::BuiltIn().ReasonFor(name);
}

// What must not change as a consequence either.
std::vector<SymbolId> KeptOf(const kconfig::Tree& tree, const GuestArch& arch,
                             const std::vector<std::string>& allowed) {
  std::vector<SymbolId> kept;
  for (const SymbolId id : tree.order()) {
    const std::string name(tree.symbol(id).name);
    if (name.empty() || tree.symbol(id).is_choice || WhyKept(arch, allowed, name).empty()) continue;
    if (IsNeeded(arch, name) || !ProtectedOptions::BuiltIn().MayFollow(name)) kept.push_back(id);
  }
  return kept;
}

}  // namespace

KernelOptions::KernelOptions(std::shared_ptr<const kconfig::TreeIndex> index, Configuration base,
                             OptionSpace options, std::vector<SymbolId> kept,
                             std::vector<std::string> notes)
    : solver_(std::move(index)),
      base_(std::move(base)),
      options_(std::move(options)),
      kept_(std::move(kept)),
      notes_(std::move(notes)) {}

Result<KernelOptions> KernelOptions::Load(const KernelSource& source,
                                          const OptionsRequest& request) {
  const auto tree = LoadOptionTree(source, request.cache);
  if (!tree) return tree.error();
  const auto index = std::make_shared<const kconfig::TreeIndex>(*tree);
  auto base = MakeBase(source, kconfig::Solver(index), request.base);
  if (!base) return base.error();
  auto picked = PickOptions(
      *base, {request.menus, request.about, request.options, request.allowed},
      [&](const std::string& name) { return WhyKept(source.arch, request.allowed, name); });
  if (!picked) return picked.error();
  const BootParameters boot_parameters = BootParameters::In(source.tree);
  auto options =
      OptionSpace::Make(*base, request.options + "\n" + picked->lines, picked->allowed,
                        [&](const std::string& name) { return boot_parameters.IsFlag(name); });
  if (!options) return options.error();
  for (const std::string& name : request.allowed) {
    const std::string reason = ProtectedOptions::BuiltIn().ReasonFor(name);
    if (!reason.empty()) picked->notes.push_back(fmt::format("allowed: {} ({})", name, reason));
  }
  auto kept = KeptOf(**tree, source.arch, picked->allowed);
  return KernelOptions(index, std::move(*base), std::move(*options), std::move(kept),
                       std::move(picked->notes));
}

CompleteConfig KernelOptions::Complete(const Assignment& assignment) const {
  kconfig::SolveRequest request;
  request.wishes = options_.WishesFor(assignment);
  request.kept = kept_;
  return Complete(request);
}

CompleteConfig KernelOptions::Complete(const std::vector<kconfig::Wish>& wishes) const {
  return Complete(kconfig::SolveRequest{.wishes = wishes});
}

CompleteConfig KernelOptions::Complete(const kconfig::SolveRequest& request) const {
  CompleteConfig complete;
  if (request.wishes.empty()) {
    complete.config = kconfig::WriteConfig(base_);
    return complete;
  }
  const auto fulfilled = Fulfil(solver_, base_, request);
  if (!fulfilled) {
    complete.reason = "no configuration was found: " + fulfilled.error().message;
    complete.is_undecided = fulfilled.error().code != Errc::kInvalidArgument;
    return complete;
  }
  if (!fulfilled->made) {
    complete.reason = "no configuration is so:" + fulfilled->conflict;
    return complete;
  }
  const Configuration& made = *fulfilled->made;
  for (const kconfig::Change& change : kconfig::DifferenceOf(base_, made)) {
    complete.effects += fmt::format("{}: {} -> {}\n", base_.tree().symbol(change.symbol).name,
                                    change.before, change.after);
    complete.fragment += kconfig::ConfigLine(made, change.symbol, false) + "\n";
  }
  complete.config = kconfig::WriteConfig(made);
  return complete;
}

}  // namespace hone::kernels
