// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/number_scale.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace hone::agent {
namespace {

constexpr double kDecades = 100;  // A scale that spans more than this is logarithmic.

std::string_view WithoutQuotes(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

template <typename Integer>
std::optional<double> WholeNumber(std::string_view digits, int base) {
  Integer number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, number, base);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return static_cast<double>(number);
}

bool SpansDecades(double a, double b) {
  const auto [low, high] = std::minmax(a, b);
  return low >= 0 && (1 + high) / (1 + low) >= kDecades;
}

struct Scale {
  bool is_log = false;
  double At(double x) const { return is_log ? std::log1p(std::max(x, 0.0)) : x; }
};

}  // namespace

std::optional<double> NumberOf(std::string_view text) {
  text = WithoutQuotes(text);
  if (text.starts_with("0x") || text.starts_with("0X")) {
    return WholeNumber<std::uint64_t>(text.substr(2), 16);
  }
  return WholeNumber<std::int64_t>(text, 10);
}

bool IsSameValue(std::string_view a, std::string_view b) {
  const auto x = NumberOf(a);
  const auto y = NumberOf(b);
  if (x && y) return *x == *y;
  return WithoutQuotes(a) == WithoutQuotes(b);
}

bool IsInRange(const QuestionItem& item, std::string_view value) {
  const auto low = NumberOf(item.lowest);
  const auto high = NumberOf(item.highest);
  if (!low && !high) return true;
  const auto number = NumberOf(value);
  return number && (!low || *number >= *low) && (!high || *number <= *high);
}

double ClosenessOf(const QuestionItem& item, std::string_view right, std::string_view said) {
  if (!IsInRange(item, said)) return 0;
  const auto a = NumberOf(right);
  const auto x = NumberOf(said);
  if (!a || !x) return IsSameValue(right, said) ? 1 : 0;
  if (*a == *x) return 1;
  const auto p = NumberOf(item.value);
  const auto low = NumberOf(item.lowest);
  const auto high = NumberOf(item.highest);
  const bool has_range = low && high;
  if (!p && !has_range) return 0;
  const Scale scale{has_range ? SpansDecades(*low, *high) : SpansDecades(*p, *a)};
  const double way =
      p ? std::abs(scale.At(*p) - scale.At(*a)) : std::abs(scale.At(*high) - scale.At(*low));
  if (!(way > 0)) return 0;
  return std::max(0.0, 1 - std::abs(scale.At(*x) - scale.At(*a)) / way);
}

}  // namespace hone::agent
