// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/knowledge/parameter_facts.h"

namespace hone::sysctl {

inline constexpr int kParametersVersion = 1;

// Reads one document of data/parameters/, strictly; docs/formats/parameters.md describes it.
// What concerns one entry is checked here, what concerns several by CheckTogether.
Result<std::vector<ParameterFacts>> ReadParameters(const std::string& text,
                                                   const std::string& what);

// The members of an entry that say what may be tried: "kind", "hard" and "specials".
void ReadRangeFacts(JsonReader& reader, ParameterFacts& facts);

// Names and aliases that are there twice, references to entries that are not there, twins that do
// not name each other.
Result<void> CheckTogether(const std::vector<ParameterFacts>& all);

}  // namespace hone::sysctl
