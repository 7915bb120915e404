// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "hone/core/rng.h"

// Symmetric noise of several shapes, centred at 0, for simulations in tests.
namespace hone {

enum class Noise { kNormal, kStudent3, kLaplace };

inline std::string NameOf(Noise noise) {
  switch (noise) {
    case Noise::kNormal:
      return "Normal";
    case Noise::kStudent3:
      return "Student3";
    case Noise::kLaplace:
      return "Laplace";
  }
  return "";
}

inline double Draw(Noise noise, Rng& rng) {
  switch (noise) {
    case Noise::kNormal:
      return rng.Normal();
    case Noise::kStudent3: {
      const double a = rng.Normal();
      const double b = rng.Normal();
      const double c = rng.Normal();
      return rng.Normal() / std::sqrt((a * a + b * b + c * c) / 3);
    }
    case Noise::kLaplace:
      return rng.Coin() ? rng.Exponential() : -rng.Exponential();
  }
  return 0;
}

inline std::vector<double> Draw(Noise noise, std::size_t count, Rng& rng) {
  std::vector<double> values(count);
  for (double& value : values) value = Draw(noise, rng);
  return values;
}

}  // namespace hone
