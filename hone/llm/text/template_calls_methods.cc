// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <map>
#include <utility>

#include "hone/llm/text/template_calls.h"
#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

using Arguments = TemplateArguments;
using Method = TemplateValue (*)(TemplateMeter& meter, const TemplateValue& self,
                                 const Arguments& arguments);

constexpr std::int64_t kMaxRange = 100'000;

const std::string* TextAt(TemplateMeter& meter, const Arguments& arguments, std::size_t place,
                          std::string_view name) {
  const TemplateValue* value = arguments.Find(place, name);
  if (value != nullptr && value->text()) return value->text();
  meter.Fail(fmt::format("argument {} is to be a string", place + 1));
  return nullptr;
}

bool HasCharacter(std::string_view characters, std::string_view character) {
  return characters.find(character) != characters.npos;
}

// Without these characters at the ends, or without white space if none are given.
std::string_view Stripped(std::string_view text, const std::string* characters, bool left,
                          bool right) {
  if (characters == nullptr) {
    if (left) text.remove_prefix(SpacesAtFront(text));
    if (right) text.remove_suffix(SpacesAtEnd(text));
    return text;
  }
  while (left && !text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, CharacterBytes(text));
    if (!HasCharacter(*characters, text.substr(0, length))) break;
    text.remove_prefix(length);
  }
  while (right && !text.empty()) {
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
    if (!HasCharacter(*characters, text.substr(at))) break;
    text.remove_suffix(text.size() - at);
  }
  return text;
}

template <bool kLeft, bool kRight>
TemplateValue Strip(TemplateMeter& meter, const TemplateValue& self, const Arguments& arguments) {
  const TemplateValue* given = arguments.Find(0, "chars");
  const bool is_given = given != nullptr && !given->is_none();
  const std::string* characters = is_given ? TextAt(meter, arguments, 0, "chars") : nullptr;
  return meter.Text(std::string(Stripped(*self.text(), characters, kLeft, kRight)));
}

std::int64_t CountAt(const Arguments& arguments, std::size_t place, std::string_view name) {
  const TemplateValue* value = arguments.Find(place, name);
  const auto count = value != nullptr ? value->AsInteger() : std::nullopt;
  return count && *count >= 0 ? *count : std::numeric_limits<std::int64_t>::max();
}

std::vector<std::string_view> SplitAtSpaces(std::string_view text, std::int64_t max) {
  std::vector<std::string_view> parts;
  text.remove_prefix(SpacesAtFront(text));
  while (!text.empty()) {
    if (max-- == 0) {
      parts.push_back(text.substr(0, text.size() - SpacesAtEnd(text)));
      break;
    }
    std::size_t end = 0;
    while (end < text.size() && !IsSpace(CharacterAt(text.substr(end)))) {
      end += std::max<std::size_t>(1, CharacterBytes(text.substr(end)));
    }
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(SpacesAtFront(text));
  }
  return parts;
}

TemplateValue SplitText(TemplateMeter& meter, const TemplateValue& self,
                        const Arguments& arguments) {
  std::string_view text = *self.text();
  std::int64_t max = CountAt(arguments, 1, "maxsplit");
  const TemplateValue* given = arguments.Find(0, "sep");
  std::vector<std::string_view> parts;
  if (given == nullptr || given->is_none()) {
    parts = SplitAtSpaces(text, max);
  } else {
    const std::string* separator = TextAt(meter, arguments, 0, "sep");
    if (separator == nullptr) return {};
    if (separator->empty()) {
      meter.Fail("split needs a separator that is not empty");
      return {};
    }
    while (max-- > 0) {
      const auto found = text.find(*separator);
      if (found == text.npos) break;
      parts.push_back(text.substr(0, found));
      text.remove_prefix(found + separator->size());
    }
    parts.push_back(text);
  }
  meter.Charge(self.text()->size() / 64);
  std::vector<TemplateValue> items;
  items.reserve(parts.size());
  for (const std::string_view part : parts) items.push_back(TemplateValue(std::string(part)));
  return meter.List(std::move(items));
}

// Whether the text begins (or ends) with the argument, or with one of a tuple of them.
template <bool kAtEnd>
TemplateValue HasAffix(TemplateMeter& meter, const TemplateValue& self,
                       const Arguments& arguments) {
  const TemplateValue* given = arguments.Find(0, kAtEnd ? "suffix" : "prefix");
  std::vector<TemplateValue> affixes;
  if (given != nullptr) affixes.push_back(*given);
  if (given != nullptr && given->list()) affixes = given->list()->items;
  bool is_there = false;
  for (const TemplateValue& affix : affixes) {
    if (!affix.text()) break;
    is_there = is_there || (kAtEnd ? self.text()->ends_with(*affix.text())
                                   : self.text()->starts_with(*affix.text()));
  }
  if (affixes.empty() || !affixes.front().text()) meter.Fail("expected a string as argument");
  return TemplateValue(is_there);
}

template <bool kUpper>
std::string InCase(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto character = static_cast<utf8proc_int32_t>(CharacterAt(text));
    const auto other = kUpper ? utf8proc_toupper(character) : utf8proc_tolower(character);
    AppendCharacter(result, static_cast<char32_t>(other));
    text.remove_prefix(std::max<std::size_t>(1, CharacterBytes(text)));
  }
  return result;
}

TemplateValue ReplaceText(TemplateMeter& meter, const TemplateValue& self,
                          const Arguments& arguments) {
  const std::string* from = TextAt(meter, arguments, 0, "old");
  const std::string* to = TextAt(meter, arguments, 1, "new");
  if (from == nullptr || to == nullptr) return {};
  if (from->empty()) {
    meter.Fail("replace needs a text that is not empty", Errc::kUnsupported);
    return {};
  }
  std::int64_t max = CountAt(arguments, 2, "count");
  std::string result;
  std::string_view rest = *self.text();
  while (max-- > 0 && result.size() <= meter.limits().output_bytes) {
    const auto found = rest.find(*from);
    if (found == rest.npos) break;
    result += rest.substr(0, found);
    result += *to;
    rest.remove_prefix(found + from->size());
  }
  return meter.Text(result += rest);
}

TemplateValue JoinTexts(TemplateMeter& meter, const TemplateValue& self,
                        const Arguments& arguments) {
  std::string result;
  if (arguments.values.size() != 1) meter.Fail("join takes one list");
  if (meter.has_failed()) return {};
  bool is_first = true;
  for (const TemplateValue& item : ItemsOf(meter, arguments.values[0])) {
    if (!item.text()) {
      meter.Fail(fmt::format("join takes strings, not {}", TypeNameOf(item)));
      return {};
    }
    if (!std::exchange(is_first, false)) result += *self.text();
    result += *item.text();
  }
  return meter.Text(std::move(result));
}

TemplateValue FindText(TemplateMeter& meter, const TemplateValue& self,
                       const Arguments& arguments) {
  const std::string* what = TextAt(meter, arguments, 0, "sub");
  if (what == nullptr) return {};
  const auto found = self.text()->find(*what);
  if (found == std::string::npos) return TemplateValue(std::int64_t{-1});
  std::int64_t characters = 0;
  for (std::size_t k = 0; k < found; ++k) {
    characters += (static_cast<unsigned char>((*self.text())[k]) & 0xc0) != 0x80 ? 1 : 0;
  }
  return TemplateValue(characters);
}

TemplateValue CountText(TemplateMeter& meter, const TemplateValue& self,
                        const Arguments& arguments) {
  const std::string* what = TextAt(meter, arguments, 0, "sub");
  if (what == nullptr || what->empty()) return {};
  std::int64_t count = 0;
  for (std::size_t at = 0; (at = self.text()->find(*what, at)) != std::string::npos;
       at += what->size()) {
    ++count;
  }
  return TemplateValue(count);
}

const std::map<std::string_view, Method>& TextMethods() {
  static const std::map<std::string_view, Method> methods = {
      {"strip", Strip<true, true>},
      {"lstrip", Strip<true, false>},
      {"rstrip", Strip<false, true>},
      {"split", SplitText},
      {"startswith", HasAffix<false>},
      {"endswith", HasAffix<true>},
      {"replace", ReplaceText},
      {"join", JoinTexts},
      {"find", FindText},
      {"count", CountText},
      {"upper", [](TemplateMeter& meter, const TemplateValue& self,
                   const Arguments&) { return meter.Text(InCase<true>(*self.text())); }},
      {"lower", [](TemplateMeter& meter, const TemplateValue& self, const Arguments&) {
         return meter.Text(InCase<false>(*self.text()));
       }}};
  return methods;
}

TemplateValue CallDictMethod(TemplateMeter& meter, std::string_view name, const TemplateDict& dict,
                             const Arguments& arguments) {
  if (name == "get") {
    const std::string* key = TextAt(meter, arguments, 0, "key");
    const TemplateValue* found = key != nullptr ? dict.Find(*key) : nullptr;
    if (found != nullptr) return *found;
    const TemplateValue* otherwise = arguments.Find(1, "default");
    return otherwise != nullptr ? *otherwise : TemplateValue(TemplateValue::None{});
  }
  std::vector<TemplateValue> items;
  for (const auto& [key, value] : dict.members()) {
    if (name == "values") {
      items.push_back(value);
    } else if (name == "keys") {
      items.push_back(TemplateValue(key));
    } else {
      items.push_back(TemplateValue(TemplateList{{TemplateValue(key), value}, true}));
    }
  }
  return meter.List(std::move(items));
}

TemplateValue MakeRange(TemplateMeter& meter, const Arguments& arguments) {
  std::vector<std::int64_t> numbers;
  for (const TemplateValue& value : arguments.values) {
    numbers.push_back(value.AsInteger().value_or(0));
    if (!value.AsInteger()) meter.Fail("range takes integers");
  }
  if (numbers.empty() || numbers.size() > 3) meter.Fail("range takes one to three integers");
  if (meter.has_failed()) return {};
  const std::int64_t begin = numbers.size() > 1 ? numbers[0] : 0;
  const std::int64_t end = numbers.size() > 1 ? numbers[1] : numbers[0];
  const std::int64_t step = numbers.size() > 2 ? numbers[2] : 1;
  if (step == 0) meter.Fail("range needs a step that is not 0");
  std::vector<TemplateValue> items;
  for (std::int64_t at = begin; !meter.has_failed() && (step > 0 ? at < end : at > end);) {
    items.push_back(TemplateValue(at));
    if (items.size() > static_cast<std::size_t>(kMaxRange)) meter.Fail("range is too large");
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return meter.List(std::move(items));
}

TemplateValue FormatNow(TemplateMeter& meter, const Arguments& arguments) {
  const std::string* format = TextAt(meter, arguments, 0, "format");
  if (format == nullptr) return {};
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  std::array<char, 512> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), format->c_str(), &parts);
  return meter.Text(ValidUtf8(std::string_view(text.data(), size)));
}

TemplateDict DictOf(const Arguments& arguments) {
  TemplateDict dict;
  for (const TemplateValue& value : arguments.values) {
    if (!value.dict()) continue;
    for (const auto& [key, member] : value.dict()->members()) dict.Set(key, member);
  }
  for (const auto& [key, member] : arguments.named) dict.Set(key, member);
  return dict;
}

constexpr std::string_view kFunctions[] = {"raise_exception", "strftime_now", "namespace", "range",
                                           "dict"};

}  // namespace

const TemplateValue* TemplateArguments::Find(std::size_t place, std::string_view name) const {
  if (place < values.size()) return &values[place];
  for (const auto& [key, value] : named) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool IsTextMethod(std::string_view name) { return TextMethods().contains(name); }

bool IsKnownFunction(std::string_view name) {
  return std::find(std::begin(kFunctions), std::end(kFunctions), name) != std::end(kFunctions);
}

TemplateValue CallFunction(TemplateMeter& meter, std::string_view name,
                           const TemplateArguments& arguments) {
  if (name == "raise_exception") {
    const TemplateValue* message = arguments.Find(0, "message");
    meter.Fail(message != nullptr ? StrOf(*message) : "raise_exception");
    return {};
  }
  if (name == "strftime_now") return FormatNow(meter, arguments);
  if (name == "range") return MakeRange(meter, arguments);
  if (name == "dict") return TemplateValue(DictOf(arguments));
  return TemplateValue(TemplateValue::Namespace{std::make_shared<TemplateDict>(DictOf(arguments))});
}

TemplateValue CallMethod(TemplateMeter& meter, std::string_view name, const TemplateValue& self,
                         const TemplateArguments& arguments) {
  if (self.dict()) return CallDictMethod(meter, name, *self.dict(), arguments);
  if (self.text()) {
    const auto found = TextMethods().find(name);
    if (found != TextMethods().end()) return found->second(meter, self, arguments);
  }
  meter.Fail(fmt::format("the method {} of {} is not supported", name, TypeNameOf(self)),
             Errc::kUnsupported);
  return {};
}

}  // namespace hone::llm
