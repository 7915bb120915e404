// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/write_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::sysctl {
namespace {

// Nothing is to be written where it is in force; a service that was not told of it must be.
bool IsInForce(const HeldParameter& held, const std::string& text) {
  return held.last == text && held.reload_fault.empty();
}

// "0" of a twin that was off at the start asks for nothing: the original has it so.
bool IsOffAsBefore(const HeldState& state, const Setting& setting) {
  return setting.text == "0" && !state.TwinOf(setting.path).empty() &&
         state.parameters.at(setting.path).original == "0";
}

Result<std::map<std::string, std::string>> AskedFor(const HeldState& state,
                                                    const std::vector<Setting>& settings) {
  std::map<std::string, std::string> asked;
  for (const Setting& setting : settings) {
    const auto held = state.parameters.find(setting.path);
    if (held == state.parameters.end() || held->second.is_follower) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: not among the parameters that this hold may write",
                               NameOfPath(setting.path))};
    }
    if (IsOffAsBefore(state, setting)) continue;
    if (!asked.emplace(setting.path, setting.text).second) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: set twice; give one value", NameOfPath(setting.path))};
    }
  }
  for (const auto& [path, text] : asked) {
    const std::string twin = state.TwinOf(path);
    if (!twin.empty() && asked.contains(twin)) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{} and {}: the one switches the other off; give one of them",
                               NameOfPath(path), NameOfPath(twin))};
    }
  }
  return asked;
}

// It is where what was asked for put it: under the performance governor the energy preference, with
// another scheduler nr_requests.
bool IsMovedByAsked(const HeldState& state, const std::map<std::string, std::string>& asked,
                    const std::string& path) {
  const auto& effects = state.couplings.effects;
  return std::any_of(effects.begin(), effects.end(), [&](const Couplings::Effect& effect) {
    return effect.effect == path && asked.contains(effect.cause);
  });
}

std::vector<PlannedWrite> WritesBack(const HeldState& state,
                                     const std::map<std::string, std::string>& asked) {
  std::set<std::string> planned;
  std::vector<PlannedWrite> writes;
  for (const auto& [path, held] : state.parameters) {
    const std::string twin = state.TwinOf(path);
    const bool is_free = held.is_follower || asked.contains(path) || asked.contains(twin);
    if (is_free || !held.last || IsInForce(held, held.original)) continue;
    if (IsMovedByAsked(state, asked, path)) continue;
    const bool is_through_twin =
        !twin.empty() && held.original == "0" && state.parameters.at(twin).original != "0";
    const std::string& through = is_through_twin ? twin : path;
    if (!planned.insert(through).second) continue;
    writes.push_back({{through, state.parameters.at(through).original}, false});
  }
  return writes;
}

}  // namespace

Result<std::vector<PlannedWrite>> PlanWrites(const HeldState& state,
                                             const std::vector<Setting>& settings,
                                             const std::map<std::string, std::string>& asked) {
  const auto wanted = AskedFor(state, settings);
  if (!wanted) return wanted.error();
  std::vector<PlannedWrite> writes = WritesBack(state, *wanted);
  for (const Setting& setting : settings) {
    if (!wanted->contains(setting.path)) continue;
    const auto before = asked.find(setting.path);
    const bool is_as_asked = before != asked.end() && before->second == setting.text;
    if (is_as_asked || IsInForce(state.parameters.at(setting.path), setting.text)) continue;
    writes.push_back({setting, true});
  }
  // A service is reloaded when everything else is as it is to find it.
  std::stable_partition(writes.begin(), writes.end(),
                        [](const PlannedWrite& write) { return !IsFilePath(write.setting.path); });
  return writes;
}

}  // namespace hone::sysctl
