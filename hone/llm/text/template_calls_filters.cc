// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "hone/llm/text/template_calls.h"

namespace hone::llm {
namespace {

using Filter = TemplateValue (*)(TemplateMeter& meter, const TemplateValue& value,
                                 const TemplateArguments& arguments);

constexpr std::int64_t kMaxIndent = 100;

TemplateValue AsText(TemplateMeter& meter, const TemplateValue& value) {
  return value.text() ? value : meter.Text(StrOf(value));
}

TemplateValue JsonFilter(TemplateMeter& meter, const TemplateValue& value,
                         const TemplateArguments& arguments) {
  JsonStyle style;
  if (const auto* ascii = arguments.Find(0, "ensure_ascii")) style.ascii = ascii->IsTrue();
  if (const auto* indent = arguments.Find(1, "indent"); indent != nullptr && !indent->is_none()) {
    style.indent = indent->AsInteger();
    style.between = ",";
    if (!style.indent || *style.indent < 0 || *style.indent > kMaxIndent) {
      meter.Fail(fmt::format("tojson: indent is a number from 0 to {}", kMaxIndent));
      return {};
    }
  }
  const auto* separators = arguments.Find(2, "separators");
  if (separators != nullptr && separators->list() && separators->list()->items.size() == 2) {
    style.between = StrOf(separators->list()->items[0]);
    style.colon = StrOf(separators->list()->items[1]);
  }
  if (const auto* sorts = arguments.Find(3, "sort_keys")) style.sorts = sorts->IsTrue();
  auto text = JsonTextOf(value, style);
  if (!text) {
    meter.Fail(fmt::format("tojson: {}, or something in it, is no JSON", TypeNameOf(value)));
    return {};
  }
  return meter.Text(std::move(*text));
}

TemplateValue LengthFilter(TemplateMeter& meter, const TemplateValue& value,
                           const TemplateArguments&) {
  if (value.list()) return TemplateValue(static_cast<std::int64_t>(value.list()->items.size()));
  if (value.dict()) return TemplateValue(static_cast<std::int64_t>(value.dict()->members().size()));
  return TemplateValue(static_cast<std::int64_t>(ItemsOf(meter, value).size()));
}

TemplateValue DefaultFilter(TemplateMeter&, const TemplateValue& value,
                            const TemplateArguments& arguments) {
  const auto* is_strict = arguments.Find(1, "boolean");
  const bool is_missing =
      value.undefined() || (is_strict != nullptr && is_strict->IsTrue() && !value.IsTrue());
  if (!is_missing) return value;
  const auto* otherwise = arguments.Find(0, "default_value");
  return otherwise != nullptr ? *otherwise : TemplateValue(std::string());
}

TemplateValue JoinFilter(TemplateMeter& meter, const TemplateValue& value,
                         const TemplateArguments& arguments) {
  const auto* between = arguments.Find(0, "d");
  const auto* attribute = arguments.Find(1, "attribute");
  std::string text;
  bool is_first = true;
  for (const TemplateValue& item : ItemsOf(meter, value)) {
    if (!is_first && between != nullptr) text += StrOf(*between);
    is_first = false;
    text += StrOf(attribute == nullptr ? item : AttributeOf(meter, item, StrOf(*attribute)));
    if (text.size() > meter.limits().output_bytes) meter.Fail("a string is too large");
    if (meter.has_failed()) return {};
  }
  return meter.Text(std::move(text));
}

TemplateValue ItemsFilter(TemplateMeter& meter, const TemplateValue& value,
                          const TemplateArguments&) {
  if (value.undefined()) return meter.List({});
  if (value.dict()) return CallMethod(meter, "items", value, {});
  meter.Fail(fmt::format("items: {} is no mapping", TypeNameOf(value)));
  return {};
}

template <bool kFirst>
TemplateValue EdgeFilter(TemplateMeter& meter, const TemplateValue& value,
                         const TemplateArguments&) {
  const auto items = ItemsOf(meter, value);
  if (items.empty()) return TemplateValue(TemplateValue::Undefined{kFirst ? "first" : "last"});
  return kFirst ? items.front() : items.back();
}

TemplateValue ListFilter(TemplateMeter& meter, const TemplateValue& value,
                         const TemplateArguments&) {
  return meter.List(ItemsOf(meter, value));
}

TemplateValue IntFilter(TemplateMeter&, const TemplateValue& value,
                        const TemplateArguments& arguments) {
  if (value.AsInteger()) return TemplateValue(*value.AsInteger());
  if (value.real() && *value.real() > -1e15 && *value.real() < 1e15) {
    return TemplateValue(static_cast<std::int64_t>(*value.real()));
  }
  const auto* otherwise = arguments.Find(0, "default");
  std::int64_t number = 0;
  const std::string text = StrOf(value);
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc{} && read.ptr == text.data() + text.size()) return TemplateValue(number);
  return otherwise != nullptr ? *otherwise : TemplateValue(std::int64_t{0});
}

// select and reject by a test, of the items or of an attribute of theirs.
template <bool kKeeps, bool kByAttribute>
TemplateValue SelectFilter(TemplateMeter& meter, const TemplateValue& value,
                           const TemplateArguments& arguments) {
  constexpr std::size_t kTestAt = kByAttribute ? 1 : 0;
  const auto* attribute = kByAttribute ? arguments.Find(0, "attribute") : nullptr;
  const auto* test = arguments.Find(kTestAt, "test");
  if (kByAttribute && attribute == nullptr) meter.Fail("selectattr: an attribute is missing");
  if (test != nullptr && !IsKnownTest(StrOf(*test))) {
    meter.Fail(fmt::format("the test \"{}\" is not supported", StrOf(*test)), Errc::kUnsupported);
  }
  TemplateArguments rest;
  for (std::size_t k = kTestAt + 1; k < arguments.values.size(); ++k) {
    rest.values.push_back(arguments.values[k]);
  }
  std::vector<TemplateValue> items;
  for (const TemplateValue& item : ItemsOf(meter, value)) {
    if (meter.has_failed()) return {};
    const TemplateValue of = kByAttribute ? AttributeOf(meter, item, StrOf(*attribute)) : item;
    const bool is_met = test != nullptr ? ApplyTest(meter, StrOf(*test), of, rest) : of.IsTrue();
    if (is_met == kKeeps) items.push_back(item);
  }
  return meter.List(std::move(items));
}

TemplateValue MapFilter(TemplateMeter& meter, const TemplateValue& value,
                        const TemplateArguments& arguments) {
  std::vector<TemplateValue> items;
  const auto* attribute = arguments.Find(arguments.values.size(), "attribute");
  const auto* filter = arguments.Find(0, "");
  if (attribute == nullptr && (filter == nullptr || !IsKnownFilter(StrOf(*filter)))) {
    meter.Fail("map: expected attribute= or the name of a filter that is supported");
  }
  for (const TemplateValue& item : ItemsOf(meter, value)) {
    if (meter.has_failed()) return {};
    items.push_back(attribute != nullptr ? AttributeOf(meter, item, StrOf(*attribute))
                                         : ApplyFilter(meter, StrOf(*filter), item, {}));
  }
  return meter.List(std::move(items));
}

template <const char* kName>
TemplateValue MethodFilter(TemplateMeter& meter, const TemplateValue& value,
                           const TemplateArguments& arguments) {
  const TemplateValue text = AsText(meter, value);
  return meter.has_failed() ? text : CallMethod(meter, kName, text, arguments);
}

constexpr char kStripName[] = "strip";
constexpr char kUpperName[] = "upper";
constexpr char kLowerName[] = "lower";
constexpr char kReplaceName[] = "replace";

TemplateValue StringFilter(TemplateMeter& meter, const TemplateValue& value,
                           const TemplateArguments&) {
  return AsText(meter, value);
}

const std::map<std::string_view, Filter>& Filters() {
  static const std::map<std::string_view, Filter> filters = {
      {"tojson", JsonFilter},
      {"length", LengthFilter},
      {"count", LengthFilter},
      {"default", DefaultFilter},
      {"d", DefaultFilter},
      {"join", JoinFilter},
      {"items", ItemsFilter},
      {"first", EdgeFilter<true>},
      {"last", EdgeFilter<false>},
      {"list", ListFilter},
      {"int", IntFilter},
      {"select", SelectFilter<true, false>},
      {"reject", SelectFilter<false, false>},
      {"selectattr", SelectFilter<true, true>},
      {"rejectattr", SelectFilter<false, true>},
      {"map", MapFilter},
      {"trim", MethodFilter<kStripName>},
      {"upper", MethodFilter<kUpperName>},
      {"lower", MethodFilter<kLowerName>},
      {"replace", MethodFilter<kReplaceName>},
      {"string", StringFilter},
      {"safe", StringFilter}};
  return filters;
}

const TemplateValue& Operand(TemplateMeter& meter, const TemplateArguments& arguments) {
  static const TemplateValue nothing;
  if (!arguments.values.empty()) return arguments.values.front();
  meter.Fail("a test needs something to compare with");
  return nothing;
}

using Test = bool (*)(const TemplateValue& value);

const std::map<std::string_view, Test>& PlainTests() {
  static const std::map<std::string_view, Test> tests = {
      {"defined", [](const TemplateValue& value) { return value.undefined() == nullptr; }},
      {"undefined", [](const TemplateValue& value) { return value.undefined() != nullptr; }},
      {"none", [](const TemplateValue& value) { return value.is_none(); }},
      {"string", [](const TemplateValue& value) { return value.text() != nullptr; }},
      {"mapping", [](const TemplateValue& value) { return value.dict() != nullptr; }},
      {"number", [](const TemplateValue& value) { return value.AsNumber().has_value(); }},
      {"integer", [](const TemplateValue& value) { return value.integer() != nullptr; }},
      {"float", [](const TemplateValue& value) { return value.real() != nullptr; }},
      {"boolean", [](const TemplateValue& value) { return value.boolean() != nullptr; }},
      {"true", [](const TemplateValue& value) { return value.boolean() && *value.boolean(); }},
      {"false", [](const TemplateValue& value) { return value.boolean() && !*value.boolean(); }},
      {"callable", [](const TemplateValue& value) { return value.callable() != nullptr; }},
      {"odd", [](const TemplateValue& value) { return value.AsInteger().value_or(0) % 2 != 0; }},
      {"even", [](const TemplateValue& value) { return value.AsInteger().value_or(1) % 2 == 0; }}};
  return tests;
}

bool HasItems(const TemplateValue& value) {
  return value.undefined() || value.text() || value.list() || value.dict();
}

constexpr std::pair<std::string_view, std::string_view> kComparingTests[] = {
    {"eq", "=="}, {"equalto", "=="},    {"ne", "!="}, {"lt", "<"}, {"lessthan", "<"},
    {"gt", ">"},  {"greaterthan", ">"}, {"le", "<="}, {"ge", ">="}};

}  // namespace

bool IsKnownFilter(std::string_view name) { return Filters().contains(name); }

TemplateValue ApplyFilter(TemplateMeter& meter, std::string_view name, const TemplateValue& value,
                          const TemplateArguments& arguments) {
  return Filters().at(name)(meter, value, arguments);
}

bool IsKnownTest(std::string_view name) {
  for (const auto& [test, sign] : kComparingTests) {
    if (test == name) return true;
  }
  return PlainTests().contains(name) || name == "iterable" || name == "sequence" || name == "in" ||
         name == "divisibleby";
}

bool ApplyTest(TemplateMeter& meter, std::string_view name, const TemplateValue& value,
               const TemplateArguments& arguments) {
  if (const auto found = PlainTests().find(name); found != PlainTests().end()) {
    return found->second(value);
  }
  if (name == "iterable" || name == "sequence") return HasItems(value);
  const TemplateValue& operand = Operand(meter, arguments);
  if (meter.has_failed()) return false;
  if (name == "in") return IsIn(meter, value, operand);
  if (name == "divisibleby") return !Compute(meter, "%", value, operand).IsTrue();
  for (const auto& [test, sign] : kComparingTests) {
    if (test == name) return Compare(meter, sign, value, operand);
  }
  return false;
}

}  // namespace hone::llm
