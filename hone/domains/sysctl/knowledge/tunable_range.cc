// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/tunable_range.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "hone/core/coordinate.h"
#include "hone/domains/sysctl/knowledge/path_pattern.h"

namespace hone::sysctl {
namespace {

constexpr std::int64_t kUsualHugePage = 2 << 20;

Error Wrong(const std::string& name, const std::string& what) {
  return Error{Errc::kInvalidArgument, fmt::format("{}: {}", name, what)};
}

// "MemTotal:       24681760 kB" in bytes.
std::int64_t KilobytesAfter(const std::string& text, std::string_view label) {
  const std::size_t start = text.find(label);
  if (start == std::string::npos) return 0;
  std::istringstream rest(text.substr(start + label.size()));
  std::int64_t kilobytes = 0;
  rest >> kilobytes;
  return kilobytes * 1024;
}

std::int64_t BytesOfUnit(const std::string& unit, const MachineSizes& sizes) {
  if (unit == "KiB") return 1024;
  if (unit == "MiB") return std::int64_t{1024} * 1024;
  if (unit == "pages") return sizes.page_bytes;
  if (unit == "huge pages") return sizes.huge_page_bytes;
  return 1;
}

std::int64_t ShareOfRam(double share, const std::string& unit, const MachineSizes& sizes) {
  return static_cast<std::int64_t>(share * static_cast<double>(sizes.ram_bytes)) /
         BytesOfUnit(unit, sizes);
}

std::vector<std::string> WordsBetweenBlanks(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// "always [madvise] never" without the brackets; nothing where there are none.
std::vector<std::string> BracketedChoices(const std::string& raw) {
  std::vector<std::string> choices = WordsBetweenBlanks(raw);
  bool is_choice = false;
  for (std::string& choice : choices) {
    if (!choice.starts_with('[') || !choice.ends_with(']')) continue;
    choice = choice.substr(1, choice.size() - 2);
    is_choice = true;
  }
  return is_choice ? choices : std::vector<std::string>{};
}

bool Contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// An integer range for what has a handful of numerals: 0 to 1 for a switch.
std::optional<Kind> NarrowedTo(const Kind& known, const IntegerRange& given) {
  if (std::holds_alternative<Boolean>(known)) {
    if (given.low == 0 && given.high == 1) return known;
    return std::nullopt;
  }
  const auto* category = std::get_if<Category>(&known);
  if (category == nullptr) return std::nullopt;
  Category narrowed;
  for (const std::string& choice : category->choices) {
    const auto number = ValueOf(IntegerRange{}, choice);
    if (!number) return std::nullopt;
    const auto value = std::get<std::int64_t>(*number);
    if (value >= given.low && value <= given.high) narrowed.choices.push_back(choice);
  }
  if (narrowed.choices.empty()) return std::nullopt;
  return narrowed;
}

// For messages, of one value or of several.
std::string TextOfGiven(const IntegerRange& range) {
  return range.low == range.high ? std::to_string(range.low)
                                 : fmt::format("the range {} to {}", range.low, range.high);
}

// A device that takes less than others narrows what is recommended; a range that a person gave is
// refused instead.
Result<void> KeepToHighest(const RangeRequest& request, Kind& kind) {
  auto* range = std::get_if<IntegerRange>(&kind);
  if (!request.highest || range == nullptr || range->high <= *request.highest) return {};
  if (request.given) {
    return Wrong(request.name,
                 fmt::format("{} is too high: {} says that at most {} is possible here",
                             TextOfGiven(*range), request.facts->high_from, *request.highest));
  }
  range->low = std::min(range->low, *request.highest);
  range->high = *request.highest - (*request.highest - range->low) % range->step;
  return {};
}

// What was given in the form that the parameter has.
Result<Kind> AsKnownKind(const std::string& name, const Kind& known, const Kind& given) {
  if (known.index() == given.index()) return given;
  if (const auto* range = std::get_if<IntegerRange>(&given)) {
    if (auto narrowed = NarrowedTo(known, *range)) return *narrowed;
  }
  return Wrong(name, fmt::format("a range for {} is given, but it is {}", NameOfKind(given),
                                 NameOfKind(known)));
}

// A part with a single value in the knowledge base stays as it is.
OrderedTuple WithKeptParts(const OrderedTuple& known, OrderedTuple wanted,
                           const std::string& in_force) {
  const auto value = ValueOf(known, in_force);
  if (!value) return wanted;
  if (wanted.parts.empty()) wanted.parts.assign(known.arity, wanted.range);
  const auto& now = std::get<std::vector<std::int64_t>>(*value);
  for (std::size_t i = 0; i < known.parts.size() && i < wanted.parts.size(); ++i) {
    if (known.parts[i].low != known.parts[i].high) continue;
    wanted.parts[i] = {now[i], now[i]};
  }
  return wanted;
}

Result<Category> OfferedOf(const RangeRequest& request, const Category& wanted) {
  if (request.offered.empty()) return wanted;
  Category offered;
  for (const std::string& choice : wanted.choices) {
    if (Contains(request.offered, choice)) {
      offered.choices.push_back(choice);
    } else if (request.given) {
      return Wrong(request.name, fmt::format("{} is not offered by this kernel, which has {}",
                                             choice, fmt::join(request.offered, ", ")));
    }
  }
  return offered;
}

std::string TextOfHard(const HardRange& hard) {
  if (hard.low && hard.high) return fmt::format("{} to {}", *hard.low, *hard.high);
  return hard.low ? fmt::format("{} and more", *hard.low) : fmt::format("at most {}", *hard.high);
}

Result<void> CheckHard(const std::string& name, const IntegerRange& range, const HardRange& hard) {
  const bool is_low = hard.low && range.low < *hard.low;
  const bool is_high = hard.high && range.high > *hard.high;
  if (!is_low && !is_high) return {};
  return Wrong(name, fmt::format("{} leaves what is allowed, which is {}", TextOfGiven(range),
                                 TextOfHard(hard)));
}

Result<void> CheckHard(const RangeRequest& request, const Kind& kind) {
  const HardRange hard = HardRangeOn(*request.facts, request.sizes);
  if (const auto* range = std::get_if<IntegerRange>(&kind)) {
    return CheckHard(request.name, *range, hard);
  }
  const auto* tuple = std::get_if<OrderedTuple>(&kind);
  if (tuple == nullptr) return {};
  for (const IntegerRange& part : tuple->parts) {
    if (auto checked = CheckHard(request.name, part, hard); !checked) return checked;
  }
  return {};
}

// The range that holds this value and nothing else; nothing for what has no range.
std::optional<Kind> RangeOfOne(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return IntegerRange{*number, *number};
  }
  const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value);
  if (numbers == nullptr) return std::nullopt;
  OrderedTuple tuple{.arity = numbers->size(), .range = {}, .parts = {}};
  for (const std::int64_t number : *numbers) tuple.parts.push_back({number, number});
  return tuple;
}

void RaiseLow(IntegerRange& range, std::int64_t in_force) {
  if (in_force > range.low) range.low = in_force;
}

}  // namespace

MachineSizes ReadSizes(KernelFiles& files) {
  MachineSizes sizes;
  const auto text = files.ReadRaw("/proc/meminfo");
  if (text) {
    sizes.ram_bytes = KilobytesAfter(*text, "MemTotal:");
    sizes.huge_page_bytes = KilobytesAfter(*text, "Hugepagesize:");
  }
  sizes.page_bytes = ::sysconf(_SC_PAGESIZE);
  if (sizes.ram_bytes == 0) sizes.ram_bytes = ::sysconf(_SC_PHYS_PAGES) * sizes.page_bytes;
  if (sizes.huge_page_bytes == 0) sizes.huge_page_bytes = kUsualHugePage;
  sizes.cpus = ReadCpus(files);
  return sizes;
}

Kind SearchRangeOn(const ParameterFacts& facts, const MachineSizes& sizes) {
  Kind kind = facts.search;
  if (facts.is_cpus) {
    auto& choices = std::get<Category>(kind).choices;
    choices = MasksToTry(sizes.cpus, Contains(choices, kNoCpus));
    return kind;
  }
  const auto resolve = [&](IntegerRange& range, double share) {
    if (share <= 0) return;
    range.high = std::max(range.low, ShareOfRam(share, facts.unit, sizes));
    range.high -= (range.high - range.low) % range.step;
  };
  const auto& shares = facts.high_ram_shares;
  if (auto* range = std::get_if<IntegerRange>(&kind)) {
    if (!shares.empty()) resolve(*range, shares.front());
  } else if (auto* tuple = std::get_if<OrderedTuple>(&kind)) {
    for (std::size_t i = 0; i < tuple->parts.size() && i < shares.size(); ++i) {
      resolve(tuple->parts[i], shares[i]);
    }
  }
  return kind;
}

HardRange HardRangeOn(const ParameterFacts& facts, const MachineSizes& sizes) {
  HardRange hard{facts.hard_low, facts.hard_high};
  if (facts.hard_ram_share) hard.high = ShareOfRam(*facts.hard_ram_share, facts.unit, sizes);
  return hard;
}

std::vector<std::string> OfferedChoices(KernelFiles& files, const ParameterFacts* facts,
                                        const std::string& path, Place place) {
  if (facts != nullptr && !facts->choices_from.empty()) {
    const bool is_private = place == Place::kNamespace && !facts->namespace_choices_from.empty();
    const std::string from =
        PathOfName(is_private ? facts->namespace_choices_from : facts->choices_from);
    const auto stars = MatchPattern(PathOfName(facts->name), path);
    const auto list = files.Read(stars ? FillPattern(from, *stars) : from);
    if (list) return WordsBetweenBlanks(*list);
  }
  const auto raw = files.ReadRaw(path);
  return raw ? BracketedChoices(*raw) : std::vector<std::string>{};
}

std::optional<std::int64_t> HighestHere(KernelFiles& files, const ParameterFacts* facts,
                                        const std::string& path) {
  if (facts == nullptr || facts->high_from.empty()) return std::nullopt;
  const auto stars = MatchPattern(PathOfName(facts->name), path);
  const auto text = files.Read(
      FillPattern(PathOfName(facts->high_from), stars.value_or(std::vector<std::string>{})));
  const auto value = text ? ValueOf(IntegerRange{}, *text) : Result<Value>(text.error());
  if (!value) return std::nullopt;
  return std::get<std::int64_t>(*value);
}

std::string_view NameOfKind(const Kind& kind) {
  struct Namer {
    std::string_view operator()(const IntegerRange&) const { return "an integer"; }
    std::string_view operator()(const RealRange&) const { return "a number"; }
    std::string_view operator()(const Boolean&) const { return "on or off"; }
    std::string_view operator()(const Category&) const { return "a choice"; }
    std::string_view operator()(const OrderedTuple&) const { return "several integers"; }
  };
  return std::visit(Namer{}, kind);
}

Result<Kind> RangeFor(const RangeRequest& request) {
  Kind kind =
      request.facts == nullptr ? *request.given : SearchRangeOn(*request.facts, request.sizes);
  if (request.facts != nullptr && request.given) {
    auto given = AsKnownKind(request.name, kind, *request.given);
    if (!given) return given.error();
    kind = std::move(*given);
  }
  if (auto* category = std::get_if<Category>(&kind)) {
    auto offered = OfferedOf(request, *category);
    if (!offered) return offered.error();
    *category = std::move(*offered);
  }
  auto* tuple = std::get_if<OrderedTuple>(&kind);
  if (tuple != nullptr && request.facts != nullptr) {
    *tuple = WithKeptParts(std::get<OrderedTuple>(request.facts->search), *tuple, request.in_force);
  }
  if (auto kept = KeepToHighest(request, kind); !kept) return kept.error();
  if (const std::string fault = FaultOf(kind); request.given && !fault.empty()) {
    return Wrong(request.name, fault);
  }
  if (request.facts != nullptr && request.given) {
    if (auto checked = CheckHard(request, kind); !checked) return checked.error();
  }
  return kind;
}

Result<void> CheckValue(const ValueRequest& request) {
  const auto& specials = request.facts.specials;
  const auto value = ValueOf(request.facts.search, request.text, specials);
  if (!value) return Wrong(request.name, value.error().message);
  if (std::any_of(specials.begin(), specials.end(),
                  [&](const SpecialValue& special) { return special.value == *value; })) {
    return {};
  }
  const std::optional<Kind> given = RangeOfOne(*value);
  if (!given) return {};
  const std::vector<std::string> offered;
  const RangeRequest range{request.name, &request.facts, given,          offered,
                           request.text, request.sizes,  request.highest};
  Kind kind = *given;
  if (auto kept = KeepToHighest(range, kind); !kept) return kept;
  return CheckHard(range, kind);
}

bool RaiseOnly(Kind& kind, const Value& in_force) {
  if (auto* range = std::get_if<IntegerRange>(&kind)) {
    const auto* number = std::get_if<std::int64_t>(&in_force);
    if (number == nullptr) return false;  // A word: there is no limit.
    RaiseLow(*range, *number);
    return range->low < range->high;
  }
  auto* tuple = std::get_if<OrderedTuple>(&kind);
  if (tuple == nullptr) return true;
  const auto& parts = std::get<std::vector<std::int64_t>>(in_force);
  bool is_open = false;
  for (std::size_t i = 0; i < tuple->parts.size() && i < parts.size(); ++i) {
    RaiseLow(tuple->parts[i], parts[i]);
    tuple->parts[i].high = std::max(tuple->parts[i].low, tuple->parts[i].high);
    is_open = is_open || tuple->parts[i].low < tuple->parts[i].high;
  }
  return is_open;
}

}  // namespace hone::sysctl
