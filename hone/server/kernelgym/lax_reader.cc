// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/lax_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "hone/core/letter_case.h"
#include "hone/core/trimmed.h"
#include "hone/server/http/http_framing.h"

namespace hone::server {
namespace {

const Json kNull;
constexpr double kExact = 9007199254740992.0;  // 2^53

std::string PythonText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// "7", " 7 ", "+7", "7.0", "1_000".
std::optional<std::int64_t> IntegerOf(std::string_view given) {
  std::string text(Trimmed(given));
  if (text.starts_with('+')) text.erase(0, 1);
  if (const auto point = text.find('.'); point != text.npos) {
    if (text.find_first_not_of('0', point + 1) != text.npos || point == 0) return std::nullopt;
    text.erase(point);
  }
  for (std::size_t k = 1; k + 1 < text.size(); ++k) {
    if (text[k] == '_' && text[k - 1] != '_') text.erase(k--, 1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<bool> BoolOf(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kYes{"1", "on", "t", "true", "y", "yes"};
  static constexpr std::array<std::string_view, 6> kNo{"0", "off", "f", "false", "n", "no"};
  const std::string lower = LowerCase(text);
  if (std::find(kYes.begin(), kYes.end(), lower) != kYes.end()) return true;
  if (std::find(kNo.begin(), kNo.end(), lower) != kNo.end()) return false;
  return std::nullopt;
}

}  // namespace

std::string ToText(const std::vector<Fault>& faults) {
  std::string list;
  for (const Fault& fault : faults) {
    std::string place;
    for (const std::string& step : fault.place) {
      const bool is_index = !step.empty() && std::all_of(step.begin(), step.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0;
      });
      place += (place.empty() ? "" : ", ") + (is_index ? step : PythonText(step));
    }
    if (fault.place.size() == 1) place += ',';
    list += fmt::format("{}{{'type': {}, 'loc': ({}), 'msg': {}}}", list.empty() ? "" : ", ",
                        PythonText(fault.type), place, PythonText(fault.message));
  }
  return fmt::format("[{}]", list);
}

std::size_t LengthOf(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
  }));
}

LaxReader::LaxReader(const Json& object, std::vector<std::string> place, std::vector<Fault>& faults)
    : object_(object), place_(std::move(place)), faults_(faults) {
  if (!object_.is_object()) {
    faults_.push_back({"model_attributes_type", place_,
                       "Input should be a valid dictionary or object to extract fields from"});
  }
}

void LaxReader::Fail(const std::string& name, std::string type, std::string message) {
  std::vector<std::string> place = place_;
  place.push_back(name);
  faults_.push_back({std::move(type), std::move(place), std::move(message)});
}

const Json* LaxReader::Find(const std::string& name) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

const Json& LaxReader::Raw(const std::string& name) const {
  const Json* found = Find(name);
  return found == nullptr ? kNull : *found;
}

std::optional<std::string> LaxReader::StringIn(const std::string& name, const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  Fail(name, "string_type", "Input should be a valid string");
  return std::nullopt;
}

std::optional<std::int64_t> LaxReader::IntegerIn(const std::string& name, const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return INT64_MAX;
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) {
    const double value = json.get<double>();
    if (value == std::floor(value) && std::abs(value) < kExact) {
      return static_cast<std::int64_t>(value);
    }
    Fail(name, "int_from_float",
         "Input should be a valid integer, got a number with a fractional part");
    return std::nullopt;
  }
  if (json.is_string()) {
    if (const auto value = IntegerOf(json.get<std::string>())) return value;
    Fail(name, "int_parsing",
         "Input should be a valid integer, unable to parse string as an integer");
    return std::nullopt;
  }
  Fail(name, "int_type", "Input should be a valid integer");
  return std::nullopt;
}

std::optional<bool> LaxReader::BoolIn(const std::string& name, const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number() && (json == 0 || json == 1)) return json == 1;
  if (json.is_string()) {
    if (const auto value = BoolOf(json.get<std::string>())) return value;
  }
  const bool is_readable = json.is_number() || json.is_string();
  Fail(name, is_readable ? "bool_parsing" : "bool_type",
       is_readable ? "Input should be a valid boolean, unable to interpret input"
                   : "Input should be a valid boolean");
  return std::nullopt;
}

std::string LaxReader::RequiredString(const std::string& name) {
  const Json* found = Find(name);
  if (found == nullptr) {
    if (object_.is_object()) Fail(name, "missing", "Field required");
    return "";
  }
  return StringIn(name, *found).value_or("");
}

std::string LaxReader::String(const std::string& name, const std::string& fallback) {
  const Json* found = Find(name);
  return found == nullptr ? fallback : StringIn(name, *found).value_or(fallback);
}

std::optional<std::string> LaxReader::OptionalString(const std::string& name) {
  const Json* found = Find(name);
  if (found == nullptr || found->is_null()) return std::nullopt;
  return StringIn(name, *found);
}

std::int64_t LaxReader::Integer(const std::string& name, std::int64_t fallback, Range range) {
  const Json* found = Find(name);
  if (found == nullptr) return fallback;
  const auto value = IntegerIn(name, *found);
  if (!value) return fallback;
  if (*value < range.min) {
    Fail(name, "greater_than_equal",
         fmt::format("Input should be greater than or equal to {}", range.min));
  } else if (*value > range.max) {
    Fail(name, "less_than_equal",
         fmt::format("Input should be less than or equal to {}", range.max));
  }
  return *value;
}

bool LaxReader::Bool(const std::string& name, bool fallback) {
  const Json* found = Find(name);
  return found == nullptr ? fallback : BoolIn(name, *found).value_or(fallback);
}

std::optional<bool> LaxReader::OptionalBool(const std::string& name) {
  const Json* found = Find(name);
  if (found == nullptr || found->is_null()) return std::nullopt;
  return BoolIn(name, *found);
}

std::string LaxReader::Choice(const std::string& name, const std::string& fallback,
                              const std::vector<std::string>& choices) {
  const Json* found = Find(name);
  if (found == nullptr) return fallback;
  const bool is_known = found->is_string() && std::find(choices.begin(), choices.end(),
                                                        found->get<std::string>()) != choices.end();
  if (is_known) return found->get<std::string>();
  std::string words;
  for (std::size_t k = 0; k < choices.size(); ++k) {
    const bool is_last = k + 1 == choices.size();
    words += fmt::format("{}'{}'", k == 0 ? "" : is_last ? " or " : ", ", choices[k]);
  }
  Fail(name, "enum", "Input should be " + words);
  return fallback;
}

}  // namespace hone::server
