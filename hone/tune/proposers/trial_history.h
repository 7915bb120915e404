// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/space.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::tune {

// Trials of earlier campaigns as the text of an engine's option `history`. It goes into the new
// campaign's spec, so that the campaign can be replayed without the old one. What the space does
// not allow now is left out; if that is everything it is an Error.
std::string HistoryText(const std::vector<Trial>& trials);
Result<std::vector<Trial>> ReadHistory(const std::string& text, const Space& space);

}  // namespace hone::tune
