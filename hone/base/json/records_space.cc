// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <variant>

#include "hone/base/json/record_parts.h"
#include "hone/base/json/records.h"

namespace hone {
namespace {

Json KindJson(const IntegerRange& range) {
  return {{"type", "integer"},
          {"low", range.low},
          {"high", range.high},
          {"step", range.step},
          {"is_log", range.is_log}};
}

Json KindJson(const RealRange& range) {
  return {{"type", "real"},
          {"low", Number(range.low)},
          {"high", Number(range.high)},
          {"step", Number(range.step)},
          {"is_log", range.is_log}};
}

Json KindJson(const Boolean&) { return Json::object({{"type", "boolean"}}); }

Json KindJson(const Category& category) {
  return {{"type", "category"}, {"choices", ListOf(category.choices, kAsIs)}};
}

Json KindJson(const OrderedTuple& tuple) {
  if (!tuple.parts.empty()) {
    const auto part = [](const IntegerRange& range) { return KindJson(range); };
    return {{"type", "ordered_parts"}, {"parts", ListOf(tuple.parts, part)}};
  }
  Json json = KindJson(tuple.range);
  json["type"] = "ordered_tuple";
  json["arity"] = tuple.arity;
  return json;
}

IntegerRange ReadIntegerRange(JsonReader& reader) {
  return {reader.At("low").Integer(), reader.At("high").Integer(), reader.At("step").Integer(),
          reader.At("is_log").Bool()};
}

IntegerRange ReadPart(JsonReader reader) {
  if (reader.At("type").String() != "integer") reader.At("type").Fail("expected \"integer\"");
  const IntegerRange range = ReadIntegerRange(reader);
  reader.RefuseOthers();
  return range;
}

Kind ReadKindOf(const std::string& type, JsonReader& reader) {
  if (type == "integer") return ReadIntegerRange(reader);
  if (type == "real") {
    return RealRange{ReadNumber(reader.At("low")), ReadNumber(reader.At("high")),
                     ReadNumber(reader.At("step")), reader.At("is_log").Bool()};
  }
  if (type == "boolean") return Boolean{};
  if (type == "category") return Category{ReadList(reader.At("choices"), ReadString)};
  if (type == "ordered_tuple") {
    return OrderedTuple{reader.At("arity").Unsigned(), ReadIntegerRange(reader)};
  }
  if (type == "ordered_parts") {
    auto parts = ReadList(reader.At("parts"), ReadPart);
    return OrderedTuple{parts.size(), {}, std::move(parts)};
  }
  reader.At("type").Fail(
      fmt::format("expected \"integer\", \"real\", \"boolean\", \"category\", \"ordered_tuple\" or "
                  "\"ordered_parts\", found \"{:.40}\"",
                  type));
  return Boolean{};
}

Kind ReadKind(JsonReader reader) {
  Kind kind = ReadKindOf(reader.At("type").String(), reader);
  reader.RefuseOthers();
  return kind;
}

Json SpecialJson(const SpecialValue& special) {
  return {{"value", ToJson(special.value)}, {"meaning", special.meaning}};
}

SpecialValue ReadSpecial(JsonReader reader) {
  SpecialValue special{ReadValue(reader.At("value")), reader.At("meaning").String()};
  reader.RefuseOthers();
  return special;
}

Condition ReadCondition(JsonReader reader) {
  Condition condition{reader.At("parent").String(), ReadList(reader.At("values"), ReadValue)};
  reader.RefuseOthers();
  return condition;
}

Parameter ReadParameter(JsonReader reader) {
  Parameter parameter{reader.At("name").String(),
                      ReadKind(reader.At("kind")),
                      ReadValue(reader.At("default")),
                      reader.At("unit").String(),
                      reader.At("description").String(),
                      ReadList(reader.At("specials"), ReadSpecial),
                      {}};
  if (reader.Has("condition")) parameter.condition = ReadCondition(reader.At("condition"));
  reader.RefuseOthers();
  return parameter;
}

Json TermJson(const LinearConstraint::Term& term) {
  return {{"parameter", term.parameter}, {"factor", Number(term.factor)}};
}

LinearConstraint::Term ReadTerm(JsonReader reader) {
  LinearConstraint::Term term{reader.At("parameter").String(), ReadNumber(reader.At("factor"))};
  reader.RefuseOthers();
  return term;
}

Json ConstraintJson(const LinearConstraint& constraint) {
  return {{"terms", ListOf(constraint.terms, TermJson)},
          {"is_strict", constraint.is_strict},
          {"bound", Number(constraint.bound)}};
}

LinearConstraint ReadConstraint(JsonReader reader) {
  LinearConstraint constraint{ReadList(reader.At("terms"), ReadTerm), reader.At("is_strict").Bool(),
                              ReadNumber(reader.At("bound"))};
  reader.RefuseOthers();
  return constraint;
}

}  // namespace

Json ToJson(const Parameter& parameter) {
  Json json{{"name", parameter.name},
            {"kind", std::visit([](const auto& kind) { return KindJson(kind); }, parameter.kind)},
            {"default", ToJson(parameter.default_value)},
            {"unit", parameter.unit},
            {"description", parameter.description},
            {"specials", ListOf(parameter.specials, SpecialJson)}};
  if (parameter.condition) {
    json["condition"] = {{"parent", parameter.condition->parent},
                         {"values", ListOf(parameter.condition->values, kAsRecord)}};
  }
  return json;
}

Json ToJson(const Space& space) {
  return {{"parameters", ListOf(space.parameters(), kAsRecord)},
          {"constraints", ListOf(space.constraints(), ConstraintJson)}};
}

Space ReadSpace(JsonReader reader) {
  auto parameters = ReadList(reader.At("parameters"), ReadParameter);
  auto constraints = ReadList(reader.At("constraints"), ReadConstraint);
  reader.RefuseOthers();
  if (!reader.Finish()) return {};
  auto space = Space::Make(std::move(parameters), std::move(constraints));
  if (space) return *std::move(space);
  reader.Fail(space.error().message);
  return {};
}

}  // namespace hone
