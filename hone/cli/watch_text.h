// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/base/json.h"
#include "hone/cli/console.h"
#include "hone/cli/readable.h"
#include "hone/tune/watch.h"

// What people are told of a watch.
namespace hone {

// What will be watched, and how.
std::string WatchPlanText(const WatchSubject& subject, const WatchSettings& settings);

// One line: time, what was tried, what came of it, what is in force now. Empty for a single run.
std::string EventLine(const WatchEvent& event, const Candidate& originals, const RewardWords& words,
                      const Ink& ink);

// What the whole watch came to.
std::string WatchSummaryText(const WatchSummary& summary, const RewardWords& words, const Ink& ink);

// The changes as lines "name = value", or a comment that there are none.
std::string SettingsText(const WatchSummary& summary);

Json ToJson(const WatchSummary& summary);

}  // namespace hone
