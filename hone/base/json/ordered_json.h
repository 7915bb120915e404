// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone {

// JSON whose objects keep their members in the order in which they came: for what is written out
// again where the order shows. A member is looked up one by one, so objects are to be small.
using OrderedJson = nlohmann::ordered_json;

// As ParseJson; an object with very many members is an error too.
Result<OrderedJson> ParseOrderedJson(std::string_view text, std::string_view what,
                                     JsonLimits limits = {});

}  // namespace hone
