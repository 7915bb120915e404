// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "hone/tune/watch/watch.h"

namespace hone::tune {
namespace {

Result<void> Need(bool is_met, const char* name, double found, const char* allowed) {
  if (is_met) return {};
  return Error{Errc::kInvalidArgument,
               fmt::format("watch: {} is {}; allowed: {}", name, found, allowed)};
}

}  // namespace

Result<void> Validate(const WatchSettings& settings) {
  struct Rule {
    bool is_met;
    const char* name;
    double found;
    const char* allowed;
  };
  const auto is_share = [](double value) { return 0 < value && value < 1; };
  const std::vector<Rule> rules{
      {settings.steps.radius > 0 && settings.steps.radius <= 1, "radius", settings.steps.radius,
       "above 0, at most 1 (the whole range)"},
      {settings.steps.length > 0 && settings.steps.length <= 1, "step", settings.steps.length,
       "above 0, at most 1 (the whole range)"},
      {settings.min_gain >= 0, "least_gain", settings.min_gain, "0 or more"},
      {settings.max_loss > 0, "most_loss", settings.max_loss, "above 0"},
      {is_share(settings.false_adoption), "false_adoption", settings.false_adoption,
       "between 0 and 1"},
      {is_share(settings.confidence), "confidence", settings.confidence, "between 0 and 1"},
      {settings.settle_runs >= 3, "settle_runs", static_cast<double>(settings.settle_runs),
       "3 or more"},
      {settings.runs_per_false_alarm > 1, "runs_per_false_alarm", settings.runs_per_false_alarm,
       "above 1"}};
  for (const Rule& rule : rules) {
    if (auto met = Need(rule.is_met, rule.name, rule.found, rule.allowed); !met) return met;
  }
  return {};
}

}  // namespace hone::tune
