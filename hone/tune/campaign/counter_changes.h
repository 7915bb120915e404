// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/measure/paired.h"
#include "hone/tune/campaign/campaign_history.h"

namespace hone::tune {

// The fact of a campaign's machine that says which counters it could not have, and why.
inline constexpr const char* kNotCountedFact = "not counted";

// What one counter says of the change from the baseline to the candidate that was proven.
struct CounterChange {
  std::string name;       // "context_switches", as samples have it.
  std::string title;      // "context switches"
  bool is_share = false;  // A share of the time, 0 to 1; else a count or an amount of one run.
  double baseline = 0;    // The mean over the runs of either arm.
  double candidate = 0;
  // By how much it changed: of shares, and where the baseline has none, the difference itself;
  // else that over the baseline's mean, so that 0.1 is 10 % more.
  PairedTest change;
  double adjusted_p = 1;   // By Holm, over all counters.
  bool has_moved = false;  // It is not chance: by the confidence of the proof, after adjusting.

  // What it means that it moved this way: "tasks were switched less often". Empty if it did not.
  std::string meaning;
};

// Why the proven candidate is faster or slower, as far as counters of programs and the pressure on
// the machine tell. It comes from the samples of the proof after the verdict is there, and so can
// never turn it.
struct CounterReport {
  std::vector<CounterChange> changes;  // Those that moved first, the surest of them foremost.
  std::string missing;                 // What could not be counted and why; empty if all could.
};

// Empty before there is a proof, for a front, and where the samples hold no counters.
CounterReport CountersOf(const CampaignHistory& history);

// "-38.2 %" of a count, "+12" where the baseline has none, "-3.1 points" of a share.
std::string ChangeText(const CounterChange& counter, double change);

// "5012" of a count, "12.3 %" of a share.
std::string LevelText(const CounterChange& counter, double level);

// Its meaning, or that none can be told.
std::string MeaningText(const CounterChange& counter);

using hone::ToJson;
Json ToJson(const CounterReport& report);

}  // namespace hone::tune
