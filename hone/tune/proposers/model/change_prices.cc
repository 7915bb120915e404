// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/change_prices.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

namespace hone::tune {
namespace {

constexpr std::size_t kMaxPeriod = 32;

// The largest power of two that is no more than the price: what moves seldom moves together with
// what moves often.
std::size_t PeriodOf(double price) {
  std::size_t period = 1;
  while (period < kMaxPeriod && 2 * static_cast<double>(period) <= price) period *= 2;
  return period;
}

}  // namespace

ChangePrices::ChangePrices(const Space& space, const Assignment& baseline,
                           const std::map<std::string, double>& prices)
    : held_(space.ToUnit(baseline)) {
  for (const Parameter& parameter : space.parameters()) {
    const auto* tuple = std::get_if<OrderedTuple>(&parameter.kind);
    const auto found = prices.find(parameter.name);
    const double price = found == prices.end() ? 0 : found->second;
    if (price > 0) priced_.push_back({parameter.name, price});
    period_.insert(period_.end(), tuple == nullptr ? 1 : tuple->arity, PeriodOf(price));
  }
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
  for (std::size_t i = 0; i < unit.size(); ++i) {
    const bool moves = period_[i] == 1 || (asked > 0 && asked % period_[i] == 0);
    if (moves) held_[i] = unit[i];
    unit[i] = held_[i];
  }
  return unit;
}

}  // namespace hone::tune
