// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/zephyr_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <initializer_list>

#include "hone/core/letter_case.h"

namespace hone::kconfig {
namespace {

using Numbers = std::vector<std::int64_t>;

Error ZephyrError(std::string what) { return {Errc::kInvalidArgument, std::move(what)}; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

// As Python reads a number whose base stands before it: a decimal one has no 0 in front.
Result<std::int64_t> NumberIn(std::string_view text) {
  const std::string_view whole = Trimmed(text);
  std::string_view digits = whole;
  const bool is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    constexpr std::string_view kMarks = "xob";
    constexpr std::array<int, 3> kBases{16, 8, 2};
    const auto mark = kMarks.find(LowerCase(digits[1]));
    if (mark != std::string_view::npos) {
      base = kBases.at(mark);
      digits.remove_prefix(2);
    }
  }
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  const bool has_zeros = base == 10 && digits.size() > 1 && digits[0] == '0' && value != 0;
  if (digits.empty() || digits[0] == '-' || !is_whole || has_zeros) {
    return ZephyrError(fmt::format("\"{}\" is not a number", whole));
  }
  return is_negative ? -value : value;
}

// Each argument may be several, with commas between them.
Result<Numbers> NumbersIn(const std::vector<std::string>& arguments) {
  Numbers numbers;
  for (std::string_view argument : arguments) {
    while (true) {
      const std::size_t comma = std::min(argument.find(','), argument.size());
      const auto number = NumberIn(argument.substr(0, comma));
      if (!number) return number.error();
      numbers.push_back(*number);
      if (comma == argument.size()) break;
      argument.remove_prefix(comma + 1);
    }
  }
  return numbers;
}

std::string NumberText(std::int64_t value, bool is_hex) {
  if (!is_hex) return std::to_string(value);
  const auto size =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return fmt::format("{}{:#x}", value < 0 ? "-" : "", size);
}

// A quotient goes on as a broken number, and its broken part is left out at the end.
Result<std::int64_t> Quotient(const Numbers& numbers) {
  double value = static_cast<double>(numbers.front());
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] == 0) return ZephyrError("division by zero");
    value /= static_cast<double>(numbers[i]);
  }
  return static_cast<std::int64_t>(value);
}

// The rest has the sign of what is divided by.
Result<std::int64_t> Rest(std::int64_t value, std::int64_t by) {
  if (by == 0) return ZephyrError("division by zero");
  if (by == -1) return 0;
  const std::int64_t rest = value % by;
  return rest != 0 && (rest < 0) != (by < 0) ? rest + by : rest;
}

Result<std::int64_t> Combined(std::string_view how, std::int64_t one, std::int64_t other) {
  std::int64_t result = 0;
  bool is_too_large = false;
  if (how == "add") is_too_large = __builtin_add_overflow(one, other, &result);
  if (how == "sub") is_too_large = __builtin_sub_overflow(one, other, &result);
  if (how == "mul") is_too_large = __builtin_mul_overflow(one, other, &result);
  if (how == "max") result = std::max(one, other);
  if (how == "min") result = std::min(one, other);
  if (how == "mod") return Rest(one, other);
  if (is_too_large) return ZephyrError("the result has more than 64 bits");
  return result;
}

Result<std::string> Calculated(std::string_view how, const Numbers& numbers, bool is_hex) {
  if (how == "div") {
    const auto quotient = Quotient(numbers);
    if (!quotient) return quotient.error();
    return NumberText(*quotient, is_hex);
  }
  std::int64_t value = numbers.front();
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const auto next = Combined(how, value, numbers[i]);
    if (!next) return next.error();
    value = *next;
  }
  return NumberText(value, is_hex);
}

Result<std::string> Stepped(std::int64_t step, const Numbers& numbers, bool is_hex) {
  std::string text;
  for (const std::int64_t number : numbers) {
    const auto next = Combined("add", number, step);
    if (!next) return next.error();
    text += (text.empty() ? "" : ",") + NumberText(*next, is_hex);
  }
  return text;
}

std::optional<Result<std::string>> CallArithmetic(std::string_view name,
                                                  const std::vector<std::string>& arguments) {
  const bool is_hex = name.ends_with("_hex");
  const std::string_view how = is_hex ? name.substr(0, name.size() - 4) : name;
  constexpr std::array<std::string_view, 9> kKinds{"add", "sub", "mul", "div", "mod",
                                                   "max", "min", "inc", "dec"};
  if (arguments.empty() || std::ranges::find(kKinds, how) == kKinds.end()) return std::nullopt;
  const auto numbers = NumbersIn(arguments);
  if (!numbers) return numbers.error();
  if (how == "inc" || how == "dec") return Stepped(how == "inc" ? 1 : -1, *numbers, is_hex);
  return Calculated(how, *numbers, is_hex);
}

std::string NormalUpper(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool stays = byte < 128 && std::isalnum(byte) != 0;
    out += stays ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return out;
}

// Negative places count from the end.
Result<std::string> Substring(const std::vector<std::string>& arguments) {
  const std::string& text = arguments[0];
  const auto size = static_cast<std::int64_t>(text.size());
  const auto place = [&](const std::string& argument) -> Result<std::int64_t> {
    const auto number = NumberIn(argument);
    if (!number) return number.error();
    return std::clamp<std::int64_t>(*number < 0 ? *number + size : *number, 0, size);
  };
  const auto begin = place(arguments[1]);
  if (!begin) return begin.error();
  const auto end = arguments.size() > 2 ? place(arguments[2]) : Result<std::int64_t>(size);
  if (!end) return end.error();
  const std::int64_t length = std::max<std::int64_t>(0, *end - *begin);
  return text.substr(static_cast<std::size_t>(*begin), static_cast<std::size_t>(length));
}

bool IsListed(std::string_view list, std::string_view wanted) {
  while (true) {
    const std::size_t end = std::min(list.find(';'), list.size());
    if (list.substr(0, end) == wanted) return true;
    if (end == list.size()) return false;
    list.remove_prefix(end + 1);
  }
}

// No node, no property, no address.
std::string WithoutDevicetree(std::string_view function) {
  const auto ends = [function](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [function](std::string_view word) { return function.ends_with(word); });
  };
  if (ends({"_addr_hex", "_size_hex", "_by_name_hex"})) return "0x0";
  if (ends({"_int", "_hex", "_num", "_number", "_int_prop"})) return "0";
  if (function == "dt_chosen_path") return "n";
  return ends({"_label", "_path", "_parent", "_mtd"}) ? "" : "n";
}

}  // namespace

std::optional<Result<std::string>> CallZephyrFunction(
    std::string_view name, const std::vector<std::string>& arguments,
    const std::function<std::string(std::string_view)>& variable) {
  if (name.starts_with("dt_")) return WithoutDevicetree(name);
  if (name == "normalize_upper" && arguments.size() == 1) return NormalUpper(arguments[0]);
  if (name == "substring" && (arguments.size() == 2 || arguments.size() == 3)) {
    return Substring(arguments);
  }
  if (name == "shields_list_contains" && arguments.size() == 1) {
    return IsListed(variable("SHIELD_AS_LIST"), arguments[0]) ? "y" : "n";
  }
  return CallArithmetic(name, arguments);
}

}  // namespace hone::kconfig
