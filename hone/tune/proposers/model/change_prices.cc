// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/change_prices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

namespace hone::tune {
namespace {

constexpr double kDear = 1;  // Trials.
constexpr double kMaxPlot = 32;

}  // namespace

ChangePrices::ChangePrices(const Space& space, const Assignment& baseline,
                           const std::map<std::string, double>& prices)
    : plot_(space.ToUnit(baseline)) {
  std::size_t coordinate = 0;
  double dearest = 0;
  for (const Parameter& parameter : space.parameters()) {
    const auto* tuple = std::get_if<OrderedTuple>(&parameter.kind);
    const std::size_t size = tuple == nullptr ? 1 : tuple->arity;
    const auto found = prices.find(parameter.name);
    const double price = found == prices.end() ? 0 : found->second;
    if (price > 0) priced_.push_back({parameter.name, price});
    dearest = std::max(dearest, price);
    for (std::size_t i = 0; i < size; ++i, ++coordinate) {
      if (price > kDear) dear_.push_back(coordinate);
    }
  }
  plot_size_ = static_cast<std::size_t>(std::clamp(std::ceil(dearest), 1.0, kMaxPlot));
  NoteTried(baseline);
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

std::vector<double> ChangePrices::Settled(std::vector<double> unit, std::size_t asked) {
  if (asked > 0 && asked % plot_size_ == 0) plot_ = unit;
  for (const std::size_t coordinate : dear_) unit[coordinate] = plot_[coordinate];
  return unit;
}

}  // namespace hone::tune
