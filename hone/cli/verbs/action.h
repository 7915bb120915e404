// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/cli/text/help.h"
#include "hone/cli/verb.h"

namespace hone::cli {

// One of the things that a verb does, chosen by its first operand.
template <typename Request>
struct Action {
  const char* name;
  const char* usage;
  const char* summary;
  Result<ExitCode> (*run)(Shell& shell, const Request& request);
};

template <typename Actions>
std::vector<std::string> ActionNames(const Actions& actions) {
  std::vector<std::string> names;
  for (const auto& action : actions) names.emplace_back(action.name);
  return names;
}

// Usage and summary of each, for the help text.
template <typename Actions>
TwoColumnRows ActionRows(const Actions& actions) {
  TwoColumnRows rows;
  for (const auto& action : actions) rows.emplace_back(action.usage, action.summary);
  return rows;
}

}  // namespace hone::cli
