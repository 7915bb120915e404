// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/sobol.h"

#include <algorithm>
#include <boost/random/sobol.hpp>

namespace hone::tune {
namespace {

constexpr std::size_t kTableDimensions = boost::random::default_sobol_table::max_dimension;

std::uint32_t ReverseBits(std::uint32_t x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}

// Flips each bit by a hash of the bits above it, which is what nested scrambling asks for. The
// multipliers are even, so in the reversed word a bit depends on lower bits only.
std::uint32_t Scramble(std::uint32_t x, std::uint32_t seed) {
  x = ReverseBits(x);
  x ^= x * 0x3d20adeau;
  x += seed;
  x *= (seed >> 16) | 1u;
  x ^= x * 0x05526c56u;
  x ^= x * 0x53a22864u;
  return ReverseBits(x);
}

// The middle of the cell, so that neither 0 nor 1 comes out.
double ToUnit(std::uint32_t x) { return (static_cast<double>(x) + 0.5) * 0x1.0p-32; }

}  // namespace

struct ScrambledSobol::Engine {
  explicit Engine(std::size_t dimensions) : sobol(dimensions) {}

  boost::random::sobol_engine<std::uint32_t, 32> sobol;
};

ScrambledSobol::ScrambledSobol(std::size_t dimensions, Rng rng) : beyond_(rng.Split("beyond")) {
  seeds_.reserve(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) {
    seeds_.push_back(static_cast<std::uint32_t>(rng.Next() >> 32));
  }
  if (dimensions > 0) engine_ = std::make_unique<Engine>(std::min(dimensions, kTableDimensions));
}

ScrambledSobol::ScrambledSobol(ScrambledSobol&&) noexcept = default;
ScrambledSobol& ScrambledSobol::operator=(ScrambledSobol&&) noexcept = default;
ScrambledSobol::~ScrambledSobol() = default;

// Boost leaves out the first point of the sequence, the origin, and with it the balance.
std::vector<double> ScrambledSobol::Next() {
  std::vector<double> point;
  point.reserve(seeds_.size());
  for (std::size_t i = 0; i < seeds_.size(); ++i) {
    if (i >= kTableDimensions) {
      point.push_back(beyond_.Uniform());
    } else {
      point.push_back(ToUnit(Scramble(is_started_ ? engine_->sobol() : 0, seeds_[i])));
    }
  }
  is_started_ = true;
  return point;
}

}  // namespace hone::tune
