// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/range_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hone::sysctl {
namespace {

template <typename Range>
std::string Span(const Range& range, const char* between) {
  if (range.low == range.high) return fmt::format("{}", range.low);
  return fmt::format("{}{}{}", range.low, between, range.high);
}

template <typename Range>
std::string RangeOf(const Range& range) {
  return Span(range, " … ") + (range.is_log ? ", log" : "");
}

struct KindText {
  std::string operator()(const IntegerRange& range) const { return RangeOf(range); }
  std::string operator()(const RealRange& range) const { return RangeOf(range); }
  std::string operator()(const Boolean&) const { return "0 | 1"; }
  std::string operator()(const Category& category) const {
    return fmt::format("{}", fmt::join(category.choices, " | "));
  }
  std::string operator()(const OrderedTuple& tuple) const {
    std::string text;
    for (std::size_t i = 0; i < tuple.arity; ++i) {
      text += (i == 0 ? "" : " ") + Span(tuple.parts.empty() ? tuple.range : tuple.parts[i], "…");
    }
    return text;
  }
};

}  // namespace

std::string RangeText(const Parameter& parameter) {
  std::string text = std::visit(KindText(), parameter.kind);
  for (const SpecialValue& special : parameter.specials) {
    text += fmt::format(", or {}", ToText(special.value));
    if (!special.meaning.empty()) text += fmt::format(" ({})", special.meaning);
  }
  return text;
}

}  // namespace hone::sysctl
