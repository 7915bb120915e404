// SPDX-License-Identifier: Apache-2.0
#include "hone/app/parameter_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/knowledge/needs.h"
#include "hone/domains/sysctl/knowledge/wanted.h"

namespace hone::app {
namespace {

using sysctl::HardRange;
using sysctl::MachineSizes;
using sysctl::ParameterFacts;

constexpr std::int64_t kKibi = 1024;
constexpr std::int64_t kNoBound = INT32_MAX;  // What fits into the kernel's variable.
constexpr std::int64_t kNoUnsignedBound = UINT32_MAX;
constexpr std::array kSizeNames{"B", "KiB", "MiB", "GiB", "TiB"};

// 16777216 as "16 MiB", if that is exact to a tenth.
std::string SizeText(std::int64_t bytes) {
  std::size_t name = 0;
  std::int64_t size = 1;
  while (name + 1 < kSizeNames.size() && bytes >= size * kKibi) {
    size *= kKibi;
    ++name;
  }
  if (bytes % size == 0) return fmt::format("{} {}", bytes / size, kSizeNames[name]);
  return bytes * 10 % size == 0
             ? fmt::format("{:.1f} {}", static_cast<double>(bytes) / static_cast<double>(size),
                           kSizeNames[name])
             : "";
}

// An end of a range that is a share of the memory has no exact text worth reading.
std::string RoundedSize(std::int64_t bytes) {
  double size = static_cast<double>(bytes);
  std::size_t name = 0;
  while (name + 1 < kSizeNames.size() && size >= kKibi) {
    size /= kKibi;
    ++name;
  }
  return fmt::format("{:.3g} {}", size, kSizeNames[name]);
}

std::int64_t BytesIn(const std::string& unit) {
  if (unit == "bytes") return 1;
  return unit == "KiB" ? kKibi : 0;
}

std::string EndOfRangeText(std::int64_t amount, const std::string& unit, bool is_share) {
  const std::int64_t bytes = BytesIn(unit);
  if (bytes != 0 && is_share) return RoundedSize(amount * bytes);
  return AmountText(amount, unit);
}

// "5 to 60 %": the unit once.
std::string FromTo(const IntegerRange& range, const std::string& unit, bool is_share) {
  if (range.low == range.high && !is_share) return "kept";
  const std::string from = EndOfRangeText(range.low, unit, false);
  const std::string to = EndOfRangeText(range.high, unit, is_share);
  const std::string with_unit = " " + unit;
  if (!unit.empty() && from.ends_with(with_unit) && to.ends_with(with_unit)) {
    return fmt::format("{} to {}", from.substr(0, from.size() - with_unit.size()), to);
  }
  return fmt::format("{} to {}", from, to);
}

bool IsShare(const ParameterFacts& facts, std::size_t part) {
  return part < facts.high_ram_shares.size() && facts.high_ram_shares[part] > 0;
}

struct Searched {
  const ParameterFacts& facts;

  std::string operator()(const IntegerRange& range) const {
    return FromTo(range, facts.unit, IsShare(facts, 0));
  }
  std::string operator()(const RealRange& range) const {
    return fmt::format("{} to {}", range.low, range.high);
  }
  std::string operator()(const Boolean&) const { return "off, on"; }
  std::string operator()(const Category& category) const {
    return fmt::format("{}", fmt::join(category.choices, ", "));
  }
  std::string operator()(const OrderedTuple& tuple) const {
    std::vector<std::string> parts;
    parts.reserve(tuple.parts.size());
    for (std::size_t i = 0; i < tuple.parts.size(); ++i) {
      parts.push_back(FromTo(tuple.parts[i], facts.unit, IsShare(facts, i)));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
  }
};

Json RangeJson(const IntegerRange& range) {
  return {{"low", range.low}, {"high", range.high}, {"step", range.step}, {"log", range.is_log}};
}

struct KindWriter {
  Json operator()(const IntegerRange& range) const {
    Json json = RangeJson(range);
    json["type"] = "integer";
    return json;
  }
  Json operator()(const RealRange& range) const {
    return {{"type", "real"}, {"low", range.low}, {"high", range.high}, {"log", range.is_log}};
  }
  Json operator()(const Boolean&) const { return Json::object({{"type", "boolean"}}); }
  Json operator()(const Category& category) const {
    return {{"type", "category"}, {"choices", category.choices}};
  }
  Json operator()(const OrderedTuple& tuple) const {
    Json parts = Json::array();
    for (const IntegerRange& part : tuple.parts) parts.push_back(RangeJson(part));
    return {{"type", "tuple"}, {"parts", parts}};
  }
};

Json OrNull(const std::optional<std::int64_t>& number) { return number ? Json(*number) : Json(); }

}  // namespace

ParameterHere LookAt(sysctl::KernelFiles& files, const ParameterFacts& facts,
                     const std::string& name) {
  ParameterHere here{&facts, {}, {}};
  for (std::string& path : sysctl::FindPaths(files, facts, name).paths) {
    auto text = files.Read(path);
    here.at.push_back({std::move(path), text ? std::move(*text) : "not readable"});
  }
  for (auto& [need, why] : FindUnmetNeeds(files, facts)) here.unmet.push_back(std::move(why));
  return here;
}

std::string AmountText(std::int64_t amount, const std::string& unit) {
  const std::int64_t bytes = BytesIn(unit);
  if (bytes != 0 && amount > 0 && amount <= INT64_MAX / kKibi) {
    if (auto text = SizeText(amount * bytes); !text.empty()) return text;
  }
  return unit.empty() ? fmt::format("{}", amount) : fmt::format("{} {}", amount, unit);
}

std::string ValueText(const ParameterFacts& facts, const std::string& text) {
  const auto value = sysctl::ValueOf(facts.search, text, facts.specials);
  if (!value) return text;
  for (const SpecialValue& special : facts.specials) {
    if (special.value == *value) return special.meaning;
  }
  if (const auto* is_on = std::get_if<bool>(&*value)) return *is_on ? "on" : "off";
  if (const auto* number = std::get_if<std::int64_t>(&*value)) {
    if (*number == 0 && !facts.twin.empty()) return "0";
    return AmountText(*number, facts.unit);
  }
  const auto* parts = std::get_if<std::vector<std::int64_t>>(&*value);
  if (parts == nullptr || BytesIn(facts.unit) == 0) return text;
  std::vector<std::string> amounts;
  amounts.reserve(parts->size());
  for (const std::int64_t part : *parts) amounts.push_back(AmountText(part, facts.unit));
  return fmt::format("{}", fmt::join(amounts, ", "));
}

std::string SearchText(const ParameterFacts& facts, const MachineSizes& sizes) {
  if (facts.risk == sysctl::Risk::kDenied) return "never";
  std::string text = std::visit(Searched{facts}, SearchRangeOn(facts, sizes));
  for (const SpecialValue& special : facts.specials) text += " or " + special.meaning;
  return text;
}

std::string HardText(const ParameterFacts& facts, const MachineSizes& sizes) {
  HardRange hard = HardRangeOn(facts, sizes);
  if (hard.high == kNoBound || hard.high == kNoUnsignedBound) hard.high.reset();
  if (hard.low && hard.high) {
    return FromTo({*hard.low, *hard.high}, facts.unit, facts.hard_ram_share.has_value());
  }
  if (hard.low) return AmountText(*hard.low, facts.unit) + " and more";
  return hard.high ? "at most " + AmountText(*hard.high, facts.unit) : "";
}

Json JsonOf(const ParameterHere& parameter, const MachineSizes& sizes) {
  const ParameterFacts& facts = *parameter.facts;
  const HardRange hard = HardRangeOn(facts, sizes);
  Json at = Json::array();
  for (const auto& [path, text] : parameter.at) at.push_back({{"path", path}, {"value", text}});
  Json specials = Json::array();
  for (const SpecialValue& special : facts.specials) {
    specials.push_back({{"value", ToJson(special.value)}, {"meaning", special.meaning}});
  }
  Json json{{"name", facts.name},
            {"aliases", facts.aliases},
            {"at", at},
            {"search", std::visit(KindWriter{}, SearchRangeOn(facts, sizes))},
            {"hard", {{"low", OrNull(hard.low)}, {"high", OrNull(hard.high)}}},
            {"specials", specials},
            {"is_flags", facts.is_flags},
            {"is_action", facts.is_action},
            {"default", facts.kernel_default},
            {"unit", facts.unit},
            {"risk", NameOf(facts.risk)},
            {"scope", NameOf(facts.scope)},
            {"since", facts.since},
            {"until", facts.until},
            {"choices_from", facts.choices_from},
            {"twin", facts.twin},
            {"below", facts.below},
            {"needs", facts.needs},
            {"does_nothing_because", parameter.unmet},
            {"changes", facts.changes},
            {"matters_for", facts.matters_for},
            {"summary", facts.summary},
            {"caution", facts.caution}};
  if (facts.condition) {
    Json values = Json::array();
    for (const Value& value : facts.condition->values) values.push_back(ToText(value));
    json["condition"] = {{"parent", facts.condition->parent}, {"values", values}};
  }
  return json;
}

}  // namespace hone::app
