// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/core/candidate.h"
#include "hone/core/evaluation.h"
#include "hone/core/reward.h"
#include "hone/measure/paired.h"

namespace hone::tune {

// One metric of the winner against the baseline, on fresh runs. A log-ratio, positive is better.
struct ObjectiveGain {
  std::string metric;
  PairedTest test;
};

// Whether a hard limit holds: with the confidence of the proof, or not shown.
struct LimitCheck {
  Limit limit;
  PairedTest margin;  // As a fraction of the bound; negative is a violation.
  bool holds = false;
};

// A candidate measured on fresh, interleaved runs.
struct Proof {
  Candidate candidate;
  PairedTest reward;
  std::vector<ObjectiveGain> objectives;
  std::vector<LimitCheck> limits;
  std::string failure;    // Why it was not accepted in every run; empty if it was.
  double adjusted_p = 1;  // After Holm's correction where several were proven; else the p-value.
  bool is_gain = false;
  // How the gain moved, where the proof was spread over time. Kept among the verdict's notes.
  std::string moved;
};

// What one parameter of the winner is worth: the loss when it alone is put back.
struct ParameterEffect {
  std::string name;
  std::string from;  // Empty if the baseline does not have it.
  std::string to;
  PairedTest effect;
};

// What a person is told at the end.
struct Verdict {
  enum class Kind {
    kGain,
    kNoGain,
    kFront,
    kNotEnough,   // The search was cut short before it could say that there is no gain.
    kSuspicious,  // A gain or a front whose numbers may not be measured.
    kDoesNotRun,  // The benchmark fails with nothing changed.
  };
  Kind kind = Kind::kNoGain;
  std::string reason;                    // One sentence: why this is the verdict.
  std::optional<Proof> proof;            // Of the winner; none if nothing was worth proving.
  std::vector<Proof> front;              // On a trade-off: those that were proven.
  std::vector<ParameterEffect> effects;  // Largest first.
  std::vector<std::string> dropped;      // Changes that turned out to give nothing.
  double detectable = 0;  // The smallest gain that the proof would have found (80 %); 0: none made.
  std::vector<std::string> suspicions;  // Why the numbers may not be measured; the grave ones.
  std::vector<Evidence> output;         // What a benchmark that does not run has printed last.
  std::vector<std::string> notes;
};

// A log-ratio as people say it: 0.0953 is 10 (per cent).
double ToPercent(double log_ratio);

// "+10.2 % [+8.1 %, +12.4 %], p = 0.0001, n = 24 pairs"
using hone::ToText;
std::string ToText(const PairedTest& test);

std::string_view NameOf(Verdict::Kind kind);

// Whether it has a proven gain, or a front with one; suspicious ones too.
bool HasGain(const Verdict& verdict);

using hone::ToJson;
Json ToJson(const Verdict& verdict);
Result<Verdict> ReadVerdict(const Json& json, const std::string& what);

}  // namespace hone::tune
