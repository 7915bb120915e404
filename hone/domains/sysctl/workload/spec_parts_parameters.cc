// SPDX-License-Identifier: Apache-2.0
// Parameters of a workload spec.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/domains/sysctl/workload/spec_parts.h"

namespace hone::sysctl {
namespace {

bool IsWhole(const Json& json) { return json.is_number_integer(); }

// The faults that all ranges share.
template <typename Range>
void CheckRange(JsonReader& reader, const Range& range) {
  if (range.low > range.high) {
    reader.Fail(
        fmt::format("the range is reversed: low {} is above high {}", range.low, range.high));
  } else if (range.low == range.high) {
    reader.Fail(fmt::format("the range is empty: low and high are both {}", range.low));
  } else if (range.is_log && range.low <= 0) {
    reader.Fail(fmt::format(
        "a logarithmic range needs low above 0, found {}; give 0 as a \"special\" value",
        range.low));
  } else if (static_cast<double>(range.step) >
             static_cast<double>(range.high) - static_cast<double>(range.low)) {
    reader.Fail(fmt::format("the step {} is larger than the range {} to {}: only one value is left",
                            range.step, range.low, range.high));
  }
}

bool ReadLog(JsonReader& reader) { return reader.Has("log") && reader.At("log").Bool(); }

void RefuseStep(JsonReader& reader, bool is_positive) {
  if (is_positive) return;
  JsonReader step = reader.At("step");
  step.Fail(fmt::format("expected a step above 0, found {}", Dump(step.Raw())));
}

IntegerRange ReadWholeRange(JsonReader& reader) {
  IntegerRange range{reader.At("low").Integer(), reader.At("high").Integer(), 1, ReadLog(reader)};
  if (reader.Has("step")) {
    range.step = reader.At("step").Integer();
    RefuseStep(reader, range.step > 0);
  }
  CheckRange(reader, range);
  return range;
}

RealRange ReadRealRange(JsonReader& reader) {
  RealRange range{reader.At("low").Number(), reader.At("high").Number(), 0, ReadLog(reader)};
  if (reader.Has("step")) {
    range.step = reader.At("step").Number();
    RefuseStep(reader, range.step > 0);
  }
  CheckRange(reader, range);
  return range;
}

Kind ReadRange(JsonReader& reader) {
  for (const char* name : {"low", "high"}) {
    if (reader.Has(name)) continue;
    reader.Fail(fmt::format("the range is not whole: \"{}\" is missing", name));
    return Boolean{};
  }
  const bool is_whole = IsWhole(reader.Raw()["low"]) && IsWhole(reader.Raw()["high"]) &&
                        (!reader.Has("step") || IsWhole(reader.Raw()["step"]));
  if (is_whole) return ReadWholeRange(reader);
  return ReadRealRange(reader);
}

Category ReadValues(JsonReader reader) {
  Category category;
  for (JsonReader& item : reader.Items()) {
    std::string value = IsWhole(item.Raw()) ? Dump(item.Raw()) : ReadLabel(item);
    const auto& known = category.choices;
    if (std::find(known.begin(), known.end(), value) != known.end()) {
      item.Fail(fmt::format("{} is there twice", Quoted(value)));
    }
    category.choices.push_back(std::move(value));
  }
  if (reader.Raw().is_array() && category.choices.size() < 2) {
    reader.Fail(fmt::format("expected at least two values, found {}: there is nothing to choose",
                            category.choices.size()));
  }
  return category;
}

// One of a tuple's numbers: what may be tried, or a number that stays.
IntegerRange ReadPart(JsonReader& reader) {
  if (IsWhole(reader.Raw())) return {reader.Integer(), reader.Integer(), 1, false};
  RefuseUnknown(reader, "range");
  return ReadWholeRange(reader);
}

OrderedTuple ReadParts(JsonReader reader) {
  OrderedTuple tuple;
  for (JsonReader& item : reader.Items()) tuple.parts.push_back(ReadPart(item));
  if (tuple.parts.size() < 2) {
    reader.Fail("expected a range for each of the parameter's numbers, two or more");
    return tuple;
  }
  tuple.arity = tuple.parts.size();
  tuple.range = tuple.parts.front();
  for (const IntegerRange& part : tuple.parts) {
    tuple.range.low = std::min(tuple.range.low, part.low);
    tuple.range.high = std::max(tuple.range.high, part.high);
    if (part.high < tuple.parts[0].low) {
      reader.Fail(
          "the numbers never decrease, so that no part can end below where the first begins");
    }
  }
  return tuple;
}

SpecialValue ReadSpecial(JsonReader reader) {
  SpecialValue special;
  RefuseUnknown(reader, "special");
  JsonReader value = reader.At("value");
  special.value = IsWhole(value.Raw()) ? Value(value.Integer()) : Value(value.Number());
  if (reader.Has("meaning")) special.meaning = ReadLabel(reader.At("meaning"));
  return special;
}

std::vector<SpecialValue> ReadSpecials(JsonReader reader) {
  std::vector<SpecialValue> specials;
  for (JsonReader& item : reader.Items()) {
    SpecialValue special = ReadSpecial(item);
    const bool is_twice =
        std::any_of(specials.begin(), specials.end(),
                    [&](const SpecialValue& other) { return other.value == special.value; });
    if (is_twice) item.Fail(fmt::format("{} is there twice", ToText(special.value)));
    specials.push_back(std::move(special));
  }
  return specials;
}

// What says which values are searched; at most one of them may be there.
std::optional<Kind> ReadKindOf(JsonReader& reader) {
  const bool has_range =
      reader.Has("low") || reader.Has("high") || reader.Has("step") || reader.Has("log");
  const int ways =
      (has_range ? 1 : 0) + (reader.Has("values") ? 1 : 0) + (reader.Has("parts") ? 1 : 0);
  if (ways > 1) {
    reader.Fail("says in two ways what may be tried: keep one of low and high, values, parts");
    return std::nullopt;
  }
  if (reader.Has("values")) return ReadValues(reader.At("values"));
  if (reader.Has("parts")) return ReadParts(reader.At("parts"));
  if (has_range) return ReadRange(reader);
  return std::nullopt;
}

ParameterRequest ReadParameter(JsonReader& reader) {
  ParameterRequest request;
  if (reader.Raw().is_string()) {
    request.name = ReadLabel(reader);
    return request;
  }
  if (!reader.Raw().is_object()) {
    reader.Fail(fmt::format("expected a parameter's name, or an object with \"name\", found {}",
                            Dump(reader.Raw())));
    return request;
  }
  RefuseUnknown(reader, "parameter");
  request.name = ReadLabel(reader.At("name"));
  request.range = ReadKindOf(reader);
  if (reader.Has("special")) {
    request.specials = ReadSpecials(reader.At("special"));
    if (request.range && !std::holds_alternative<IntegerRange>(*request.range) &&
        !std::holds_alternative<RealRange>(*request.range)) {
      reader.At("special").Fail("special values belong to a range of numbers; list them in values");
    }
  }
  if (reader.Has("allow_unknown")) request.is_unknown_allowed = reader.At("allow_unknown").Bool();
  if (reader.Has("allow_disruptive")) {
    request.is_disruption_allowed = reader.At("allow_disruptive").Bool();
  }
  if (request.is_unknown_allowed && !request.range) {
    reader.Fail("\"allow_unknown\" needs a range: low and high, values, or parts");
  }
  return request;
}

Json RangeJson(const IntegerRange& range) {
  Json json{{"low", range.low}, {"high", range.high}};
  if (range.step != 1) json["step"] = range.step;
  if (range.is_log) json["log"] = true;
  return json;
}

// A real number is written so that it reads as one, not as a whole number.
Json RangeJson(const RealRange& range) {
  Json json{{"low", range.low}, {"high", range.high}};
  if (range.step != 0) json["step"] = range.step;
  if (range.is_log) json["log"] = true;
  return json;
}

Json RangeJson(const Boolean&) { return {{"values", {"0", "1"}}}; }
Json RangeJson(const Category& category) { return {{"values", category.choices}}; }
Json RangeJson(const OrderedTuple& tuple) {
  Json parts = Json::array();
  for (const IntegerRange& part : tuple.parts) {
    parts.push_back(part.low == part.high ? Json(part.low) : RangeJson(part));
  }
  for (std::size_t i = tuple.parts.size(); i < tuple.arity; ++i) {
    parts.push_back(RangeJson(tuple.range));
  }
  return {{"parts", std::move(parts)}};
}

}  // namespace

void RefuseTwice(const std::vector<std::string>& names, const std::string& name,
                 JsonReader& reader) {
  for (const std::string& other : names) {
    if (PathOfName(other) != PathOfName(name)) continue;
    const std::string also = other == name ? "" : fmt::format(", first as {}", Quoted(other));
    return reader.Fail(fmt::format("{} is there twice{}", Quoted(name), also));
  }
}

std::vector<ParameterRequest> ReadParameters(JsonReader reader) {
  std::vector<ParameterRequest> requests;
  std::vector<std::string> names;
  for (JsonReader& item : reader.Items()) {
    requests.push_back(ReadParameter(item));
    RefuseTwice(names, requests.back().name, item);
    names.push_back(requests.back().name);
  }
  if (reader.Raw().is_array() && requests.empty()) {
    reader.Fail("expected at least one parameter to tune, found none");
  }
  return requests;
}

Services ReadServiceFiles(JsonReader reader) {
  Services services;
  for (JsonReader& item : reader.Items()) {
    const auto service = item.Raw().is_string() ? FindService(item.String())
                                                : ReadServiceFacts(item.Raw(), "declaration");
    if (!service) {
      item.Fail(service.error().message);
      continue;
    }
    for (const ServicePointer& other : services) {
      if (other->name != (*service)->name && other->file != (*service)->file) continue;
      item.Fail(fmt::format("{} ({}) is there twice", (*service)->name, (*service)->file));
    }
    services.push_back(*service);
  }
  return services;
}

// Whole, so that a stored campaign does not depend on what a later build knows.
Json ServiceFileJson(const ServicePointer& service) { return service->document; }

Json ParameterJson(const ParameterRequest& request) {
  const bool is_allowed_more = request.is_unknown_allowed || request.is_disruption_allowed;
  if (!request.range && request.specials.empty() && !is_allowed_more) {
    return request.name;
  }
  Json json = request.range
                  ? std::visit([](const auto& kind) { return RangeJson(kind); }, *request.range)
                  : Json::object();
  json["name"] = request.name;
  if (request.is_unknown_allowed) json["allow_unknown"] = true;
  if (request.is_disruption_allowed) json["allow_disruptive"] = true;
  for (const SpecialValue& special : request.specials) {
    Json one{{"value", hone::ToJson(special.value)}};
    if (!special.meaning.empty()) one["meaning"] = special.meaning;
    json["special"].push_back(std::move(one));
  }
  return json;
}

}  // namespace hone::sysctl
