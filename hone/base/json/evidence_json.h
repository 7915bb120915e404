// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/evaluation.h"

// Evidence that is a JSON object ("times", "phases", "correctness", …). It is kept and sent as its
// text, like all evidence, because core knows no JSON; it is written and read here only.
namespace hone {

Evidence MakeJsonEvidence(std::string what, const Json& json);

// Null if it is not a JSON object.
Json ReadJsonEvidence(const Evidence& evidence);

// The first of this name; null if there is none, or if it is not a JSON object.
Json FindJsonEvidence(const std::vector<Evidence>& all, std::string_view what);

// The text of the first of this name, or null.
const std::string* FindEvidence(const std::vector<Evidence>& all, std::string_view what);

// The text without the lines that `seen` has already: a reason often quotes the first of them.
std::string WithoutSeenLines(std::string_view text, std::string_view seen);

}  // namespace hone
