// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>

#include "hone/domains/sysctl/knowledge/knowledge.h"

namespace hone::sysctl {
namespace {

template <typename Number>
std::optional<Number> NumberOf(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return number;
}

Error DoesNotRead(const std::string& text, const std::string& as) {
  return Error{Errc::kInvalidArgument, fmt::format("\"{:.60}\" does not read as {}", text, as)};
}

struct Reader {
  const std::string& text;

  Result<Value> operator()(const IntegerRange&) const {
    const auto number = NumberOf<std::int64_t>(text);
    return number ? Result<Value>(*number) : DoesNotRead(text, "an integer");
  }
  Result<Value> operator()(const RealRange&) const {
    const auto number = NumberOf<double>(text);
    return number ? Result<Value>(*number) : DoesNotRead(text, "a number");
  }
  Result<Value> operator()(const Boolean&) const {
    for (const std::string_view word : {"1", "Y", "y", "true", "on", "yes"}) {
      if (text == word) return Value(true);
    }
    for (const std::string_view word : {"0", "N", "n", "false", "off", "no"}) {
      if (text == word) return Value(false);
    }
    return DoesNotRead(text, "on or off (0 or 1, N or Y, false or true, off or on, no or yes)");
  }
  Result<Value> operator()(const Category&) const {
    if (text.empty()) return DoesNotRead(text, "a choice");
    return Value(text);
  }
  Result<Value> operator()(const OrderedTuple& tuple) const {
    std::vector<std::int64_t> parts;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const auto number = NumberOf<std::int64_t>(word);
      if (!number) return DoesNotRead(text, fmt::format("{} integers", tuple.arity));
      parts.push_back(*number);
    }
    if (parts.size() != tuple.arity) {
      return DoesNotRead(text, fmt::format("{} integers", tuple.arity));
    }
    return Value(std::move(parts));
  }
};

}  // namespace

Result<Value> ValueOf(const Kind& kind, const std::string& text,
                      const std::vector<SpecialValue>& specials) {
  for (const SpecialValue& special : specials) {
    if (special.value == Value(text)) return special.value;
  }
  return std::visit(Reader{text}, kind);
}

std::string TextOf(const Value& value, const std::string& in_force) {
  const auto* is_on = std::get_if<bool>(&value);
  if (is_on == nullptr) return ToText(value);
  if (in_force == "Y" || in_force == "N") return *is_on ? "Y" : "N";
  if (in_force == "true" || in_force == "false") return *is_on ? "true" : "false";
  if (in_force == "on" || in_force == "off") return *is_on ? "on" : "off";
  if (in_force == "yes" || in_force == "no") return *is_on ? "yes" : "no";
  return *is_on ? "1" : "0";
}

}  // namespace hone::sysctl
