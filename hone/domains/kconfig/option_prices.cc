// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/option_prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace hone::kernels {
namespace {

constexpr std::size_t kShown = 8;
constexpr int kTelling = 50;  // Objects: from so many on, a build tells what one takes.
constexpr std::chrono::duration<double> kUsualObject{0.25};
constexpr std::chrono::duration<double> kLinking{4};  // Also for a single object.

Value OtherValue(const Parameter& parameter) {
  if (const auto* category = std::get_if<Category>(&parameter.kind)) {
    const bool is_first = parameter.default_value == Value(category->choices.front());
    return is_first ? category->choices.back() : category->choices.front();
  }
  if (const auto* range = std::get_if<IntegerRange>(&parameter.kind)) {
    return parameter.default_value == Value(range->low) ? range->high : range->low;
  }
  return !std::get<bool>(parameter.default_value);
}

}  // namespace

std::optional<ObjectsByParameter> ObjectsPerChange(const KernelOptions& options,
                                                   KernelBuilder& builder) {
  const Space& space = options.options().space();
  const CompleteConfig base = options.Complete(space.Defaults());
  if (!builder.CostOf(base.config)) return std::nullopt;
  ObjectsByParameter objects;
  for (const Parameter& parameter : space.parameters()) {
    Assignment changed = space.Defaults();
    changed[parameter.name] = OtherValue(parameter);
    if (options.options().WishesFor(changed).empty()) continue;
    const CompleteConfig complete = options.Complete(changed);
    if (complete.config.empty()) continue;
    if (const auto cost = builder.CostBetween(base.config, complete.config)) {
      objects[parameter.name] = *cost;
    }
  }
  return objects;
}

std::string ObjectsText(const ObjectsByParameter& objects) {
  std::vector<std::pair<std::size_t, std::string>> dearest;
  for (const auto& [name, count] : objects) dearest.emplace_back(count, name);
  std::sort(dearest.rbegin(), dearest.rend());
  std::string text = "objects to build when changed:";
  for (std::size_t i = 0; i < std::min(kShown, dearest.size()); ++i) {
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", dearest[i].second, dearest[i].first);
  }
  if (dearest.size() <= kShown) return text;
  return fmt::format("{}; {} more, at most {} each", text, dearest.size() - kShown,
                     dearest[kShown].first);
}

std::chrono::duration<double> BuildTime(std::size_t objects, const BuiltKernel& built) {
  const auto one = built.compiled < kTelling
                       ? kUsualObject
                       : std::chrono::duration<double>(built.took) / built.compiled;
  return kLinking + one * static_cast<double>(objects);
}

}  // namespace hone::kernels
