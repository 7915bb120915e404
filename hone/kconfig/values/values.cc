// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/values/values.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <string>

namespace hone::kconfig {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

bool IsDecimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || (text[0] == '0' && text.size() > 1)) return false;
  for (const char c : text) {
    if (!IsDigit(c)) return false;
  }
  return true;
}

bool IsHexadecimal(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  if (text.empty()) return false;
  for (const char c : text) {
    if (!IsHexDigit(c)) return false;
  }
  return true;
}

enum class Kind { kText, kSigned, kUnsigned };
struct Number {
  Kind kind = Kind::kText;
  long long value = 0;
};

Number ReadNumber(SymbolType type, std::string_view view) {
  if (IsLogical(type)) {
    const auto value =
        view.size() == 1 ? std::string_view("nmy").find(view) : std::string_view::npos;
    return {Kind::kSigned, value == std::string_view::npos ? -1 : static_cast<long long>(value)};
  }
  const std::string text(view);
  char* end = nullptr;
  errno = 0;
  Number number;
  if (type == SymbolType::kHex) {
    number.value = static_cast<long long>(std::strtoull(text.c_str(), &end, 16));
    number.kind = Kind::kUnsigned;
  } else {
    number.value = std::strtoll(text.c_str(), &end, BaseOf(type));
    number.kind = Kind::kSigned;
  }
  const bool is_number =
      errno == 0 && end == text.c_str() + text.size() && end > text.c_str() && IsHexDigit(end[-1]);
  if (!is_number) number.kind = Kind::kText;
  return number;
}

int Order(SymbolType left_type, std::string_view left, SymbolType right_type,
          std::string_view right) {
  if (left_type != SymbolType::kString || right_type != SymbolType::kString) {
    const Number a = ReadNumber(left_type, left);
    const Number b = ReadNumber(right_type, right);
    if (a.kind != Kind::kText && b.kind != Kind::kText) {
      if (a.kind == Kind::kUnsigned || b.kind == Kind::kUnsigned) {
        const auto x = static_cast<unsigned long long>(a.value);
        const auto y = static_cast<unsigned long long>(b.value);
        return (x > y) - (x < y);
      }
      return (a.value > b.value) - (a.value < b.value);
    }
  }
  return left.compare(right);
}

}  // namespace

bool IsValidText(SymbolType type, std::string_view text) {
  switch (type) {
    case SymbolType::kString:
      return true;
    case SymbolType::kInt:
      return IsDecimal(text);
    case SymbolType::kHex:
      return IsHexadecimal(text);
    case SymbolType::kBool:
    case SymbolType::kTristate:
      return ReadTristate(text.substr(0, 1)).has_value();
    case SymbolType::kUnknown:
      break;
  }
  return false;
}

long long NumberOf(std::string_view text, int base) {
  return std::strtoll(std::string(text).c_str(), nullptr, base);
}

int BaseOf(SymbolType type) {
  if (type == SymbolType::kInt) return 10;
  return type == SymbolType::kHex ? 16 : 0;
}

bool Compare(Operation operation, SymbolType left_type, std::string_view left,
             SymbolType right_type, std::string_view right) {
  const int order = Order(left_type, left, right_type, right);
  switch (operation) {
    case Operation::kEqual:
      return order == 0;
    case Operation::kUnequal:
      return order != 0;
    case Operation::kLess:
      return order < 0;
    case Operation::kLessEqual:
      return order <= 0;
    case Operation::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

std::optional<Tristate> ReadTristate(std::string_view text) {
  if (text.size() != 1) return std::nullopt;
  switch (text[0]) {
    case 'y':
    case 'Y':
      return Tristate::kYes;
    case 'm':
    case 'M':
      return Tristate::kModule;
    case 'n':
    case 'N':
      return Tristate::kNo;
    default:
      return std::nullopt;
  }
}

}  // namespace hone::kconfig
