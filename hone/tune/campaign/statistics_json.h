// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/measure/paired.h"

namespace hone::tune {

// Infinite ends, which say that the data do not bound the number, are null.
using hone::ToJson;
Json ToJson(const Interval& interval);
Json ToJson(const PairedTest& test);

Interval ReadInterval(JsonReader reader);
PairedTest ReadPairedTest(JsonReader reader);

}  // namespace hone::tune
