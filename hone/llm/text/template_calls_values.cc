// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "hone/llm/text/template_calls.h"
#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

constexpr std::array<std::string_view, 4> kDictMethods = {"items", "keys", "values", "get"};

std::vector<std::string_view> CharactersOf(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, CharacterBytes(text));
    characters.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

TemplateValue MethodOf(const TemplateValue& self, const std::string& name) {
  return TemplateValue(TemplateCallable{name, std::make_shared<const TemplateValue>(self)});
}

std::string OperandFault(std::string_view sign, const TemplateValue& a, const TemplateValue& b) {
  for (const TemplateValue* value : {&a, &b}) {
    if (value->undefined()) return fmt::format("'{}' is undefined", value->undefined()->name);
  }
  return fmt::format("\"{}\" is not possible with {} and {}", sign, TypeNameOf(a), TypeNameOf(b));
}

struct SliceRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;
};

// As Python's slice.indices().
std::optional<SliceRange> RangeOf(TemplateMeter& meter, std::int64_t size,
                                  const TemplateValue& begin, const TemplateValue& end,
                                  const TemplateValue& step) {
  const auto number = [&meter](const TemplateValue& value, std::int64_t otherwise) {
    if (value.is_none()) return otherwise;
    const auto given = value.AsInteger();
    if (!given) meter.Fail(fmt::format("a slice needs integers, not {}", TypeNameOf(value)));
    return given.value_or(0);
  };
  SliceRange range;
  range.step = number(step, 1);
  if (range.step == 0) meter.Fail("a slice's step is not 0");
  const bool is_back = range.step < 0;
  const auto bounded = [&](std::int64_t at) {
    if (at < 0) at = std::max<std::int64_t>(at + size, is_back ? -1 : 0);
    return std::min(at, is_back ? size - 1 : size);
  };
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  range.begin = begin.is_none() ? (is_back ? size - 1 : 0) : bounded(number(begin, 0));
  range.end = end.is_none() ? (is_back ? -1 : size) : bounded(number(end, kLast));
  if (meter.has_failed()) return std::nullopt;
  return range;
}

template <typename Visit>
void VisitRange(const SliceRange& range, Visit visit) {
  if (range.step > 0) {
    for (std::int64_t at = range.begin; at < range.end; at += std::min(range.step, range.end - at))
      visit(static_cast<std::size_t>(at));
  } else {
    for (std::int64_t at = range.begin; at > range.end; at += std::max(range.step, range.end - at))
      visit(static_cast<std::size_t>(at));
  }
}

TemplateValue ComputeWhole(TemplateMeter& meter, std::string_view sign, std::int64_t a,
                           std::int64_t b) {
  std::int64_t result = 0;
  bool is_over = false;
  if (sign == "+") {
    is_over = __builtin_add_overflow(a, b, &result);
  } else if (sign == "-") {
    is_over = __builtin_sub_overflow(a, b, &result);
  } else if (sign == "*") {
    is_over = __builtin_mul_overflow(a, b, &result);
  } else if (b == 0) {
    meter.Fail("division by zero");
  } else if (b == -1) {
    if (sign == "//") is_over = __builtin_sub_overflow(std::int64_t{0}, a, &result);
  } else {  // Rounded down, as Python does.
    const std::int64_t rest = a % b;
    const bool is_lower = rest != 0 && ((rest < 0) != (b < 0));
    result = sign == "//" ? a / b - (is_lower ? 1 : 0) : rest + (is_lower ? b : 0);
  }
  if (is_over) meter.Fail("a number is too large");
  return TemplateValue(result);
}

TemplateValue ComputeReal(TemplateMeter& meter, std::string_view sign, double a, double b) {
  if (sign == "+") return TemplateValue(a + b);
  if (sign == "-") return TemplateValue(a - b);
  if (sign == "*") return TemplateValue(a * b);
  if (b == 0) {
    meter.Fail("division by zero");
    return {};
  }
  if (sign == "/") return TemplateValue(a / b);
  if (sign == "//") return TemplateValue(std::floor(a / b));
  return TemplateValue(a - b * std::floor(a / b));
}

std::string Repeated(TemplateMeter& meter, const std::string& text, std::int64_t count) {
  std::string result;
  if (count <= 0 || text.empty()) return result;
  if (static_cast<std::uint64_t>(count) > meter.limits().output_bytes / text.size()) {
    meter.Fail("a string is too large");
    return result;
  }
  for (std::int64_t k = 0; k < count; ++k) result += text;
  return result;
}

}  // namespace

std::vector<TemplateValue> ItemsOf(TemplateMeter& meter, const TemplateValue& value) {
  std::vector<TemplateValue> items;
  if (value.undefined()) return items;
  if (value.list()) {
    items = value.list()->items;
  } else if (value.dict()) {
    for (const auto& [key, member] : value.dict()->members()) items.push_back(TemplateValue(key));
  } else if (value.text()) {
    for (const std::string_view character : CharactersOf(*value.text())) {
      items.push_back(TemplateValue(std::string(character)));
    }
  } else {
    meter.Fail(fmt::format("{} has no items", TypeNameOf(value)));
  }
  meter.Charge(items.size());
  return items;
}

TemplateValue AttributeOf(TemplateMeter& meter, const TemplateValue& value,
                          const std::string& name) {
  if (const auto* nothing = value.undefined()) {
    meter.Fail(fmt::format("'{}' is undefined", nothing->name));
    return {};
  }
  if (const auto* space = value.name_space()) {
    const TemplateValue* member = space->members->Find(name);
    return member != nullptr ? *member : TemplateValue(TemplateValue::Undefined{name});
  }
  if (const auto* dict = value.dict()) {
    if (std::find(kDictMethods.begin(), kDictMethods.end(), name) != kDictMethods.end()) {
      return MethodOf(value, name);
    }
    const TemplateValue* member = dict->Find(name);
    return member != nullptr ? *member : TemplateValue(TemplateValue::Undefined{name});
  }
  if (value.text() && IsTextMethod(name)) return MethodOf(value, name);
  return TemplateValue(TemplateValue::Undefined{name});
}

TemplateValue SubscriptOf(TemplateMeter& meter, const TemplateValue& value,
                          const TemplateValue& key) {
  if (const auto* nothing = value.undefined()) {
    meter.Fail(fmt::format("'{}' is undefined", nothing->name));
    return {};
  }
  TemplateValue missing(TemplateValue::Undefined{StrOf(key)});
  if (key.text() && (value.dict() || value.name_space())) {
    const TemplateDict& dict = value.dict() ? *value.dict() : *value.name_space()->members;
    const TemplateValue* member = dict.Find(*key.text());
    return member != nullptr ? *member : missing;
  }
  const auto index = key.AsInteger();
  if (!index || !(value.list() || value.text())) return missing;
  if (const TemplateList* list = value.list()) {
    const auto size = static_cast<std::int64_t>(list->items.size());
    const std::int64_t at = *index < 0 ? *index + size : *index;
    return at >= 0 && at < size ? list->items[static_cast<std::size_t>(at)] : missing;
  }
  meter.Charge(value.text()->size() / 8);
  const auto characters = CharactersOf(*value.text());
  const auto size = static_cast<std::int64_t>(characters.size());
  const std::int64_t at = *index < 0 ? *index + size : *index;
  if (at < 0 || at >= size) return missing;
  return TemplateValue(std::string(characters[static_cast<std::size_t>(at)]));
}

TemplateValue SliceOf(TemplateMeter& meter, const TemplateValue& value, const TemplateValue& begin,
                      const TemplateValue& end, const TemplateValue& step) {
  if (const TemplateList* list = value.list()) {
    const auto range =
        RangeOf(meter, static_cast<std::int64_t>(list->items.size()), begin, end, step);
    if (!range) return {};
    std::vector<TemplateValue> items;
    VisitRange(*range, [&](std::size_t at) { items.push_back(list->items[at]); });
    return meter.List(std::move(items), list->is_tuple);
  }
  if (const std::string* text = value.text()) {
    if (!meter.Charge(text->size() / 8)) return {};
    const auto characters = CharactersOf(*text);
    const auto range =
        RangeOf(meter, static_cast<std::int64_t>(characters.size()), begin, end, step);
    if (!range) return {};
    std::string result;
    VisitRange(*range, [&](std::size_t at) { result += characters[at]; });
    return meter.Text(std::move(result));
  }
  meter.Fail(fmt::format("{} cannot be sliced", TypeNameOf(value)));
  return {};
}

bool IsIn(TemplateMeter& meter, const TemplateValue& value, const TemplateValue& container) {
  if (container.undefined()) return false;
  if (container.text() && value.text()) {
    meter.Charge(container.text()->size() / 64);
    return container.text()->find(*value.text()) != std::string::npos;
  }
  if (const TemplateDict* dict = container.dict()) {
    return value.text() && dict->Find(*value.text()) != nullptr;
  }
  if (const TemplateList* list = container.list()) {
    meter.Charge(list->items.size());
    return std::any_of(list->items.begin(), list->items.end(),
                       [&value](const TemplateValue& item) { return AreEqual(item, value); });
  }
  meter.Fail(OperandFault("in", value, container));
  return false;
}

bool Compare(TemplateMeter& meter, std::string_view sign, const TemplateValue& a,
             const TemplateValue& b) {
  if (sign == "==") return AreEqual(a, b);
  if (sign == "!=") return !AreEqual(a, b);
  int order = 0;
  if (a.AsNumber() && b.AsNumber()) {
    order = *a.AsNumber() < *b.AsNumber() ? -1 : (*a.AsNumber() > *b.AsNumber() ? 1 : 0);
  } else if (a.text() && b.text()) {
    order = a.text()->compare(*b.text());
  } else {
    meter.Fail(OperandFault(sign, a, b));
    return false;
  }
  if (sign == "<") return order < 0;
  if (sign == ">") return order > 0;
  return sign == "<=" ? order <= 0 : order >= 0;
}

TemplateValue Compute(TemplateMeter& meter, std::string_view sign, const TemplateValue& a,
                      const TemplateValue& b) {
  if (sign == "~") return meter.Text(StrOf(a) + StrOf(b));
  if (sign == "**") {
    meter.Fail("** is not supported", Errc::kUnsupported);
    return {};
  }
  if (a.AsInteger() && b.AsInteger() && sign != "/") {
    return ComputeWhole(meter, sign, *a.AsInteger(), *b.AsInteger());
  }
  if (a.AsNumber() && b.AsNumber()) return ComputeReal(meter, sign, *a.AsNumber(), *b.AsNumber());
  if (sign == "+" && a.text() && b.text()) {
    if (a.text()->size() + b.text()->size() > meter.limits().output_bytes) {
      meter.Fail("a string is too large");
      return {};
    }
    return meter.Text(*a.text() + *b.text());
  }
  if (sign == "+" && a.list() && b.list() && a.list()->is_tuple == b.list()->is_tuple) {
    std::vector<TemplateValue> items = a.list()->items;
    items.insert(items.end(), b.list()->items.begin(), b.list()->items.end());
    return meter.List(std::move(items), a.list()->is_tuple);
  }
  if (sign == "*" && a.text() && b.AsInteger()) {
    return meter.Text(Repeated(meter, *a.text(), *b.AsInteger()));
  }
  meter.Fail(OperandFault(sign, a, b));
  return {};
}

}  // namespace hone::llm
