// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/base/json/json.h"
#include "hone/cli/console.h"
#include "hone/cli/text/readable.h"
#include "hone/tune/campaign/words.h"
#include "hone/tune/watch/watch.h"

// The texts about a watch.
namespace hone::cli {

// What will be watched, and how.
std::string WatchPlanText(const tune::WatchSubject& subject, const tune::WatchSettings& settings);

// One line: time, what was tried, what came of it, what is in force now. Empty for a single run.
std::string EventLine(const tune::WatchEvent& event, const Candidate& originals,
                      const tune::RewardWords& words, const Ink& ink);

// What the whole watch came to.
std::string WatchSummaryText(const tune::WatchSummary& summary, const tune::RewardWords& words,
                             const Ink& ink);

// The changes as lines "name = value", or a comment that there are none; above them, as comments,
// why the numbers may not be measured.
std::string SettingsText(const tune::WatchSummary& summary);

Json ToJson(const tune::WatchSummary& summary);

}  // namespace hone::cli
