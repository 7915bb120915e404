// SPDX-License-Identifier: Apache-2.0
#include "hone/app/service/observed_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "hone/base/json/json.h"
#include "hone/core/nearest.h"
#include "hone/core/trimmed.h"
#include "hone/domains/sysctl/workload/pattern.h"

namespace hone::app {
namespace {

using Labels = std::map<std::string, std::string>;

struct Series {
  std::string name;
  Labels labels;
  double value = 0;
};

constexpr std::string_view kExpression = "re:";
constexpr std::string_view kBound = "le";
constexpr std::size_t kMaxNamed = 8;

// "+Inf" and "NaN" too, as Prometheus writes them.
std::optional<double> NumberIn(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// `a="b",c="d"}`, behind the opening brace; what is left behind the closing one. Nullopt: it is
// not.
std::optional<std::string_view> ReadLabels(std::string_view text, Labels& labels) {
  for (;;) {
    text = Trimmed(text);
    if (text.starts_with(',')) text = Trimmed(text.substr(1));
    if (text.starts_with('}')) return text.substr(1);
    const std::size_t equals = text.find('=');
    if (equals == text.npos) return std::nullopt;
    const std::string name(Trimmed(text.substr(0, equals)));
    text = Trimmed(text.substr(equals + 1));
    if (!text.starts_with('"')) return std::nullopt;
    std::string value;
    std::size_t at = 1;
    for (; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      value += text[at - 1] == '\\' && text[at] == 'n' ? '\n' : text[at];
    }
    if (at >= text.size()) return std::nullopt;
    labels[name] = value;
    text.remove_prefix(at + 1);
  }
}

// `name{labels}` and what follows.
std::optional<std::string_view> ReadName(std::string_view text, Series& series) {
  const std::size_t end = std::min(text.find_first_of("{ \t"), text.size());
  series.name = std::string(text.substr(0, end));
  if (series.name.empty() || NumberIn(series.name)) return std::nullopt;
  text = text.substr(end);
  if (!Trimmed(text).starts_with('{')) return text;
  return ReadLabels(Trimmed(text).substr(1), series.labels);
}

std::vector<Series> SeriesOn(std::string_view page) {
  std::vector<Series> all;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = Trimmed(page.substr(0, end));
    page.remove_prefix(std::min(end + 1, page.size()));
    if (line.empty() || line.starts_with('#')) continue;
    Series series;
    const auto rest = ReadName(line, series);
    if (!rest) continue;
    const std::string_view number = Trimmed(*rest);
    const std::size_t blank = std::min(number.find_first_of(" \t"), number.size());
    const auto value = NumberIn(number.substr(0, blank));
    const std::string_view stamp = Trimmed(number.substr(blank));
    if (!value || (!stamp.empty() && !NumberIn(stamp))) continue;  // A line for people.
    series.value = *value;
    all.push_back(std::move(series));
  }
  return all;
}

bool Matches(const Series& series, const Series& wanted) {
  return series.name == wanted.name && std::ranges::all_of(wanted.labels, [&](const auto& label) {
           const auto found = series.labels.find(label.first);
           return found != series.labels.end() && found->second == label.second;
         });
}

Error NoSuchSeries(const std::string& selector, const Series& wanted,
                   const std::vector<Series>& all) {
  std::set<std::string> names;
  for (const Series& series : all) names.insert(series.name);
  const std::vector<std::string> known(names.begin(), names.end());
  std::string text = fmt::format("the page has no {}", selector);
  if (known.empty()) {
    text += "; it is not in the form that Prometheus reads: use /a/json/pointer or re:EXPRESSION";
  } else if (const auto near = Nearest(wanted.name, known); near && *near != wanted.name) {
    text += fmt::format("; did you mean {}?", *near);
  } else {
    text += fmt::format("; it has: {}{}",
                        fmt::join(std::span(known).first(std::min(known.size(), kMaxNamed)), ", "),
                        known.size() > kMaxNamed ? ", …" : "");
  }
  return {Errc::kInvalidArgument, text};
}

Result<std::vector<Series>> FindSeries(const std::string& selector, const std::string& suffix,
                                       std::string_view page) {
  Series wanted;
  const auto rest = ReadName(selector, wanted);
  if (!rest || !Trimmed(*rest).empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("\"{}\": expected name{{label=\"value\"}}", selector)};
  }
  wanted.name += suffix;
  const auto all = SeriesOn(page);
  std::vector<Series> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const Series& series) { return Matches(series, wanted); });
  if (found.empty()) return NoSuchSeries(selector + suffix, wanted, all);
  return found;
}

Result<double> FromJson(const std::string& pointer, const std::string& page) {
  const auto document = ParseJson(page, "the page");
  if (!document) return document.error();
  try {
    const Json& found = document->at(Json::json_pointer(pointer));
    if (found.is_number()) return found.get<double>();
    return Error{Errc::kInvalidArgument, fmt::format("{} is no number on the page", pointer)};
  } catch (const Json::exception&) {
    return Error{Errc::kInvalidArgument, fmt::format("the page has nothing at {}", pointer)};
  }
}

Result<double> ByExpression(const std::string& selector, const std::string& page) {
  const auto pattern = sysctl::Pattern::Make(selector.substr(kExpression.size()), "");
  if (!pattern) return pattern.error();
  const auto found = pattern->FindAll(page);
  if (found.size() != 1) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{} matches {} times on the page; it must match once", selector, found.size())};
  }
  const auto number = NumberIn(found.front());
  if (number) return *number;
  return Error{Errc::kInvalidArgument, fmt::format("\"{}\" is no number", found.front())};
}

Result<double> FromSeries(const std::string& selector, const std::string& page, bool may_add) {
  const auto found = FindSeries(selector, "", page);
  if (!found) return found.error();
  if (found->size() > 1 && !may_add) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{} stands for {} series: name a label that tells them apart",
                             selector, found->size())};
  }
  double sum = 0;
  for (const Series& series : *found) sum += series.value;
  return sum;
}

// The number on one page. Several counters add up; several values do not.
Result<double> NumberOn(const Observable& observable, const std::string& page) {
  const std::string& selector = observable.selector;
  if (selector.starts_with('/')) return FromJson(selector, page);
  if (selector.starts_with(kExpression)) return ByExpression(selector, page);
  return FromSeries(selector, page, observable.kind == Observable::Kind::kRate);
}

Error Fell(const std::string& selector, double from, double to) {
  return {Errc::kUnavailable,
          fmt::format("{} fell from {} to {}: the service was restarted, and nothing can be said "
                      "about this time",
                      selector, from, to)};
}

Result<std::map<double, double>> BucketsOn(const std::string& selector, const std::string& page) {
  const auto found = FindSeries(selector, "_bucket", page);
  if (!found) return found.error();
  std::map<double, double> buckets;
  for (const Series& series : *found) {
    const auto bound = series.labels.find(std::string(kBound));
    const auto number = bound == series.labels.end() ? std::nullopt : NumberIn(bound->second);
    if (!number) {
      return Error{Errc::kInvalidArgument, fmt::format("{} is no histogram", selector)};
    }
    buckets[*number] += series.value;
  }
  return buckets;
}

double CountAt(const std::map<double, double>& buckets, double bound) {
  const auto found = buckets.find(bound);
  return found == buckets.end() ? 0 : found->second;
}

}  // namespace

Result<Observable> ParseObservable(std::string_view text) {
  const Error wrong{Errc::kInvalidArgument,
                    fmt::format("\"{}\": expected NAME=rate(COUNTER), NAME=value(GAUGE) or "
                                "NAME=quantile(0.99, HISTOGRAM)",
                                text)};
  const std::size_t equals = text.find('=');
  const std::size_t open = text.find('(', std::min(equals, text.size()));
  if (equals == text.npos || open == text.npos || equals == 0 || !text.ends_with(')')) return wrong;
  Observable observable;
  observable.name = std::string(text.substr(0, equals));
  const std::string_view kind = text.substr(equals + 1, open - equals - 1);
  std::string_view inside = Trimmed(text.substr(open + 1, text.size() - open - 2));
  if (kind == "rate") {
    observable.kind = Observable::Kind::kRate;
  } else if (kind == "quantile") {
    observable.kind = Observable::Kind::kQuantile;
    const std::size_t comma = inside.find(',');
    const auto share = NumberIn(inside.substr(0, std::min(comma, inside.size())));
    if (comma == inside.npos || !share || !(*share > 0 && *share < 1)) return wrong;
    observable.quantile = *share;
    inside = Trimmed(inside.substr(comma + 1));
  } else if (kind != "value") {
    return wrong;
  }
  if (inside.empty()) return wrong;
  observable.selector = std::string(inside);
  return observable;
}

PageObserver::PageObserver(const std::vector<Observable>& observables) {
  seen_.reserve(observables.size());
  for (const Observable& observable : observables) seen_.push_back({.observable = observable});
}

Result<void> PageObserver::Look(const std::string& page, double seconds) {
  for (Seen& seen : seen_) {
    if (auto looked = LookFor(seen, page); !looked) return looked.error();
  }
  if (looks_ == 0) began_ = seconds;
  ended_ = seconds;
  ++looks_;
  return {};
}

Result<void> PageObserver::LookFor(Seen& seen, const std::string& page) const {
  if (seen.observable.kind == Observable::Kind::kQuantile) return AddBuckets(seen, page);
  const auto value = NumberOn(seen.observable, page);
  if (!value) return value.error();
  if (looks_ == 0) seen.first = *value;
  if (seen.observable.kind == Observable::Kind::kRate && looks_ > 0 && *value < seen.last) {
    return Fell(seen.observable.selector, seen.last, *value);
  }
  seen.last = *value;
  seen.sum += *value;
  return {};
}

Result<void> PageObserver::AddBuckets(Seen& seen, const std::string& page) const {
  const std::string& selector = seen.observable.selector;
  auto buckets = BucketsOn(selector, page);
  if (!buckets) return buckets.error();
  for (const auto& [bound, count] : *buckets) {
    const double was = CountAt(seen.last_buckets, bound);
    if (count < was) return Fell(selector + "_bucket", was, count);
  }
  if (looks_ == 0) seen.first_buckets = *buckets;
  seen.last_buckets = std::move(*buckets);
  return {};
}

Result<std::vector<std::pair<std::string, double>>> PageObserver::Numbers() const {
  if (looks_ < 2 || ended_ <= began_) {
    return Error{Errc::kInvalidArgument, "a stretch of time has two looks at least"};
  }
  std::vector<std::pair<std::string, double>> numbers;
  numbers.reserve(seen_.size());
  for (const Seen& seen : seen_) {
    const auto number = NumberOf(seen);
    if (!number) return number.error();
    if (!std::isfinite(*number)) {
      return Error{Errc::kUnavailable,
                   fmt::format("{} is not a finite number now", seen.observable.selector)};
    }
    numbers.emplace_back(seen.observable.name, *number);
  }
  return numbers;
}

Result<double> PageObserver::NumberOf(const Seen& seen) const {
  switch (seen.observable.kind) {
    case Observable::Kind::kRate:
      return (seen.last - seen.first) / (ended_ - began_);
    case Observable::Kind::kQuantile:
      return QuantileOf(seen);
    case Observable::Kind::kValue:
      break;
  }
  return seen.sum / static_cast<double>(looks_);
}

// Within a bucket all are taken to lie evenly, as Prometheus does.
Result<double> PageObserver::QuantileOf(const Seen& seen) {
  const Observable& observable = seen.observable;
  Buckets counts = seen.last_buckets;
  for (auto& [bound, count] : counts) count -= CountAt(seen.first_buckets, bound);
  const double all = counts.rbegin()->second;
  if (all <= 0) {
    return Error{Errc::kUnavailable,
                 fmt::format("{} counted nothing meanwhile", observable.selector)};
  }
  const double rank = observable.quantile * all;
  double low = 0;
  double below = 0;
  for (const auto& [bound, count] : counts) {
    if (count >= rank && std::isfinite(bound)) {
      return count > below ? low + (bound - low) * (rank - below) / (count - below) : bound;
    }
    if (std::isfinite(bound)) low = bound;
    below = count;
  }
  return Error{Errc::kUnavailable,
               fmt::format("the {} quantile of {} lies above its largest bound, {}",
                           observable.quantile, observable.selector, low)};
}

}  // namespace hone::app
