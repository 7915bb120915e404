// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hone/base/json/json.h"
#include "hone/core/candidate.h"
#include "hone/core/evaluation.h"
#include "hone/core/metric.h"
#include "hone/core/reward.h"
#include "hone/core/space.h"
#include "hone/core/task.h"

// The words of core as JSON documents, and back. docs/formats/records.md describes them. Reading
// is strict: what a writer here did not write is an error that names the path.
namespace hone {

Json ToJson(const Value& value);
Json ToJson(const Assignment& assignment);
Json ToJson(const Candidate& candidate);
Json ToJson(const Capabilities& capabilities);
Json ToJson(const Estimate& estimate);
Json ToJson(const Metric& metric);
Json ToJson(const Limit& limit);
Json ToJson(const RewardRule& rule);
Json ToJson(const Task& task);
Json ToJson(const Sample& sample);
Json ToJson(const Evaluation& evaluation);
Json ToJson(const Parameter& parameter);
Json ToJson(const Space& space);

// On a fault the reader holds it and a default comes back; call Finish() on the reader.
Value ReadValue(JsonReader reader);
Assignment ReadAssignment(JsonReader reader);
Candidate ReadCandidate(JsonReader reader);
Capabilities ReadCapabilities(JsonReader reader);
Estimate ReadEstimate(JsonReader reader);
Metric ReadMetric(JsonReader reader);
Limit ReadLimit(JsonReader reader);
RewardRule ReadRewardRule(JsonReader reader);
Task ReadTask(JsonReader reader);
Sample ReadSample(JsonReader reader);
Evaluation ReadEvaluation(JsonReader reader);
Space ReadSpace(JsonReader reader);

// For whole documents: parse, read, finish.
Result<Task> ParseTask(std::string_view text);
Result<Evaluation> ParseEvaluation(std::string_view text);

// "2026-11-15T01:48:00Z", for people; microseconds since the epoch, for records.
std::string ToText(WallTime time);
std::string IsoTime(WallTime time);  // The same with microseconds.
std::int64_t ToMicroseconds(WallTime time);
WallTime FromMicroseconds(std::int64_t microseconds);

}  // namespace hone
