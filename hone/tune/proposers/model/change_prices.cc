// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/change_prices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

namespace hone::tune {
namespace {

constexpr double kDear = 2;             // Trials, from which on a parameter moves alone.
constexpr std::size_t kPlotSize = 2;    // Points.
constexpr double kCheapShare = 0.5;     // Of what dear ones cost is first spent on others,
constexpr double kMinCheapShare = 0.1;  // or so much if they would not all come up else.

}  // namespace

ChangePrices::ChangePrices(const Space& space, const Assignment& baseline,
                           const std::map<std::string, double>& prices, std::size_t design_size)
    : baseline_(space.ToUnit(baseline)) {
  std::size_t coordinate = 0;
  for (const Parameter& parameter : space.parameters()) {
    const auto* tuple = std::get_if<OrderedTuple>(&parameter.kind);
    const auto found = prices.find(parameter.name);
    const double price = found == prices.end() ? 0 : found->second;
    if (price > 0) priced_.push_back({parameter.name, price});
    const std::size_t count = tuple == nullptr ? 1 : tuple->arity;
    if (price >= kDear) plots_.push_back({.price = price, .first = coordinate, .count = count});
    coordinate += count;
  }
  ArrangePlots(design_size);
  NoteTried(baseline);
}

void ChangePrices::ArrangePlots(std::size_t design_size) {
  std::stable_sort(plots_.begin(), plots_.end(),
                   [](const Plot& a, const Plot& b) { return a.price < b.price; });
  double all = 0;
  for (const Plot& plot : plots_) all += plot.price;
  const double room = static_cast<double>(design_size) - static_cast<double>(kPlotSize);
  const double share = all > 0 ? std::clamp(room / all, kMinCheapShare, kCheapShare) : kCheapShare;
  double spent = 0;
  std::size_t next = kPlotSize;
  for (Plot& plot : plots_) {
    spent += plot.price;
    plot.begin = std::max(next, static_cast<std::size_t>(share * spent));
    next = plot.begin + kPlotSize;
  }
  round_ = next;
}

ChangePrices::Values ChangePrices::ValuesOf(const Assignment& assignment) const {
  Values values;
  values.reserve(priced_.size());
  for (const Priced& priced : priced_) {
    const auto found = assignment.find(priced.name);
    values.push_back(found == assignment.end() ? "" : ToText(found->second));
  }
  return values;
}

double ChangePrices::Between(const Values& one, const Values& other) const {
  double dearest = 0;
  for (std::size_t i = 0; i < priced_.size(); ++i) {
    if (one[i] != other[i]) dearest = std::max(dearest, priced_[i].price);
  }
  return dearest;
}

double ChangePrices::Of(const Assignment& assignment) const {
  const Values values = ValuesOf(assignment);
  double cheapest = std::numeric_limits<double>::infinity();
  for (const Values& tried : tried_) cheapest = std::min(cheapest, Between(values, tried));
  return cheapest;
}

void ChangePrices::NoteTried(const Assignment& assignment) { tried_.insert(ValuesOf(assignment)); }

std::vector<double> ChangePrices::Settled(std::vector<double> unit, std::size_t asked) const {
  const std::size_t at = asked % round_;
  for (const Plot& plot : plots_) {
    const bool moves = plot.begin <= at && at < plot.begin + kPlotSize;
    for (std::size_t i = plot.first; i < plot.first + plot.count; ++i) {
      // At least a quarter of the way around from the baseline: of two values the other one.
      const double away = baseline_[i] + 0.25 + 0.5 * unit[i];
      unit[i] = moves ? away - std::floor(away) : baseline_[i];
    }
  }
  return unit;
}

}  // namespace hone::tune
