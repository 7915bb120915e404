// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/base/json.h"
#include "hone/measure/paired.h"

namespace hone {

// Infinite ends, which say that the data do not bound the number, are null.
Json ToJson(const Interval& interval);
Json ToJson(const PairedTest& test);

Interval ReadInterval(JsonReader reader);
PairedTest ReadPairedTest(JsonReader reader);

}  // namespace hone
