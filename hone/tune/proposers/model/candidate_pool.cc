// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/candidate_pool.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "hone/tune/proposers/model/sobol.h"

namespace hone::tune {
namespace {

constexpr double kGrid = 0x1.0p20;
constexpr double kBackToBaseline = 0.15;  // Chances of a moved coordinate.
constexpr double kDrawnAnew = 0.15;
constexpr double kMovedAtOnce = 3.0;  // Coordinates, on average; at most half of them.

double OnGrid(double unit) { return std::round(std::clamp(unit, 0.0, 1.0) * kGrid) / kGrid; }

}  // namespace

CandidatePool::CandidatePool(const Space& space, const Assignment& baseline)
    : space_(space), baseline_unit_(space.ToUnit(baseline)) {
  for (const Parameter& parameter : space.parameters()) {
    const bool is_ordered = !std::holds_alternative<Boolean>(parameter.kind) &&
                            !std::holds_alternative<Category>(parameter.kind);
    const auto* tuple = std::get_if<OrderedTuple>(&parameter.kind);
    is_ordered_.insert(is_ordered_.end(), tuple == nullptr ? 1 : tuple->arity, is_ordered);
  }
}

std::vector<Assignment> CandidatePool::Everywhere(std::size_t count, Rng rng) const {
  ScrambledSobol sobol(space_.UnitSize(), rng);
  std::vector<Assignment> found;
  found.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> unit = sobol.Next();
    for (double& u : unit) u = OnGrid(u);
    found.push_back(space_.FromUnit(unit));
  }
  return found;
}

double CandidatePool::Moved(std::size_t coordinate, double from, double reach, Rng& rng) const {
  const double draw = rng.Uniform();
  if (draw < kBackToBaseline) return baseline_unit_[coordinate];
  if (draw < kBackToBaseline + kDrawnAnew || !is_ordered_[coordinate]) return rng.Uniform();
  return from + reach * rng.Normal();
}

std::vector<Assignment> CandidatePool::Around(std::span<const Assignment> centres,
                                              std::size_t count, double reach, Rng rng) const {
  std::vector<std::vector<double>> units;
  for (const Assignment& centre : centres) units.push_back(space_.ToUnit(centre));
  const std::size_t size = space_.UnitSize();
  const double chance = std::min(0.5, kMovedAtOnce / static_cast<double>(size));
  std::vector<Assignment> found;
  found.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> unit = units[i % units.size()];
    const std::size_t always = rng.Below(size);
    for (std::size_t k = 0; k < size; ++k) {
      if (k != always && rng.Uniform() >= chance) continue;
      unit[k] = OnGrid(Moved(k, unit[k], reach, rng));
    }
    found.push_back(space_.FromUnit(unit));
  }
  return found;
}

}  // namespace hone::tune
