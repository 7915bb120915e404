// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/core/candidate.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/tune/watch/watch_judge.h"

namespace hone::tune {

// Something that happened in a watch. docs/formats/watch-log.md has what each kind fills in.
struct WatchEvent {
  enum class Kind {
    kStart,
    kRun,         // One run; for the log, not for people.
    kLevel,       // How what is in force stands, and how noisy it is.
    kAdopted,     // A step was better: it is in force now.
    kDropped,     // A step was not better.
    kHarm,        // A step did harm; what was in force before it is in force again.
    kProven,      // What is in force was compared with the originals again, and is better.
    kReverted,    // It broke a limit, failed or is no longer better: the originals are in force.
    kShift,       // The level of what is in force has shifted.
    kStrained,    // The originals themselves break a limit: no step is tried until they keep it.
    kSuspicious,  // The benchmark reads what it is scored on: no step is tried while it does.
    kFailed,      // A run could not be made or judged; nothing is concluded from it.
    kResting,     // Nothing is to be gained now: it only measures.
    kEnd,
  };

  Kind kind = Kind::kStart;
  std::int64_t round = 0;
  WallTime time;        // Set by who records it.
  std::string what;     // The step as people say it; the task of a run.
  std::string reason;   // One clause.
  Candidate candidate;  // What was tried, or run.
  Candidate in_force;   // From now on.
  std::optional<WatchGain> gain;
  std::map<std::string, double> metrics;  // Of a run; of a typical one, for a level.

  bool operator==(const WatchEvent&) const = default;
};

std::string_view NameOf(WatchEvent::Kind kind);  // "adopted"

using hone::ToJson;
Json ToJson(const WatchEvent& event);
Result<WatchEvent> ReadWatchEvent(const Json& json, const std::string& what);

}  // namespace hone::tune
