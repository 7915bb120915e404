// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/minimise.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone::tune {
namespace {

using Eigen::VectorXd;

Sloped Rosenbrock(const VectorXd& at) {
  const double x = at(0);
  const double y = at(1);
  VectorXd gradient(2);
  gradient << -2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x);
  return {.value = (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x), .gradient = gradient};
}

TEST(MinimiseTest, FindsTheBottomOfACurvedValley) {
  const VectorXd found = Minimise(Rosenbrock, VectorXd{{-1.2, 1.0}}, 200);
  EXPECT_NEAR(found(0), 1, 0.02);
  EXPECT_NEAR(found(1), 1, 0.04);
}

TEST(MinimiseTest, KeepsToItsEvaluations) {
  int used = 0;
  Minimise([&](const VectorXd& at) { return ++used, Rosenbrock(at); }, VectorXd{{-1.2, 1.0}}, 7);
  EXPECT_LE(used, 7);
  EXPECT_GT(used, 3);
}

TEST(MinimiseTest, StepsBackFromWhereTheFunctionIsNotFinite) {
  const auto wall = [](const VectorXd& at) {
    if (at(0) > 0.5) {
      return Sloped{.value = std::numeric_limits<double>::infinity(), .gradient = VectorXd{{0.0}}};
    }
    return Sloped{.value = -at(0), .gradient = VectorXd{{-1.0}}};
  };
  const double found = Minimise(wall, VectorXd{{0.0}}, 40)(0);
  EXPECT_GT(found, 0.2);
  EXPECT_LE(found, 0.5);
}

}  // namespace
}  // namespace hone::tune
