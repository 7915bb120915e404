// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/statistics_json.h"

#include <cmath>

namespace hone::tune {

Json ToJson(const Interval& interval) {
  const auto end = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  return Json::array({end(interval.low), end(interval.high)});
}

Json ToJson(const PairedTest& test) {
  return {{"effect", test.effect},
          {"interval", ToJson(test.interval)},
          {"p_value", test.p_value},
          {"count", test.count}};
}

Interval ReadInterval(JsonReader reader) {
  auto ends = reader.Items();
  Interval interval;
  if (ends.size() != 2) {
    reader.Fail("expected two ends");
    return interval;
  }
  if (!ends[0].Raw().is_null()) interval.low = ends[0].Number();
  if (!ends[1].Raw().is_null()) interval.high = ends[1].Number();
  return interval;
}

PairedTest ReadPairedTest(JsonReader reader) {
  PairedTest test;
  test.effect = reader.At("effect").Number();
  test.interval = ReadInterval(reader.At("interval"));
  test.p_value = reader.At("p_value").Number();
  test.count = reader.At("count").Integer();
  reader.RefuseOthers();
  return test;
}

}  // namespace hone::tune
