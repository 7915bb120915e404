// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hone/core/result.h"

namespace hone::agent {

// What is known of a parameter beyond what its space says.
struct ParameterNote {
  std::string risk = {};     // "safe", "sticky: works only for new sockets"
  std::string caution = {};  // What can go wrong, as a sentence.
  std::string known = {};    // "better for throughput: y. …": from our data, not measured here.

  bool operator==(const ParameterNote&) const = default;
};

// What a model is told of a campaign besides its space and its trials. It is kept in the campaign's
// options, so that a replay asks with the same words.
struct TuningBrief {
  std::string goal = {};
  std::map<std::string, std::string> machine = {};
  std::map<std::string, ParameterNote> notes = {};  // By the parameter's name.
  std::vector<std::string> remarks = {};  // Of the domain: assumptions, what was left out and why.
  // Of the rule, in its order: metrics, and limits such as "p99_ms <= 20". Campaigns that were
  // begun before these were kept have none, and are asked as they were then.
  std::vector<std::string> objectives = {};
  std::vector<std::string> limits = {};
  // What earlier campaigns on this machine measured of its parameters, one line each, what matters
  // most first, and how many further lines there were. None in what was begun before this was kept.
  std::vector<std::string> earlier = {};
  std::int64_t earlier_cut = 0;
  // What is never tuned, by name or as a pattern with *, and why: who proposes it is told. None in
  // what was begun before this was kept.
  std::map<std::string, std::string> forbidden = {};

  bool operator==(const TuningBrief&) const = default;
};

// As JSON, and back.
std::string BriefText(const TuningBrief& brief);
Result<TuningBrief> ReadTuningBrief(const std::string& text);

}  // namespace hone::agent
