// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/agent/questions/question.h"
#include "hone/agent/walk/kconfig_walk.h"
#include "hone/base/json/json.h"

namespace hone::agent {

// As a walk's log and `hone agent kconfig --json` have them; docs/formats/walk-log.md.
Json ToJson(const RequestVerdict& verdict);

// What was honoured and is in force, and what was refused and why: of each option the last word.
struct WalkSummary {
  std::vector<RequestVerdict> honoured;
  std::vector<RequestVerdict> refused;
};
WalkSummary SummaryOf(const WalkResult& result);

// The lines of a .config that differ from where the walk began.
std::string FragmentOf(const kconfig::Configuration& start, const WalkResult& result);

Json ToJson(const kconfig::Configuration& start, const WalkResult& result);
std::string ToText(const kconfig::Configuration& start, const WalkResult& result);

}  // namespace hone::agent
