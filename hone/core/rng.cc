// SPDX-License-Identifier: Apache-2.0
#include "hone/core/rng.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "hone/core/check.h"

namespace hone {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t DigestOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return Mix(hash);
}

Rng::Rng(std::uint64_t seed) : key_(seed) {
  std::uint64_t x = seed;
  for (auto& word : state_) word = Mix(x += kGolden);
}

Rng Rng::Split(std::string_view name) const { return Rng(Mix(key_ + kGolden) ^ DigestOf(name)); }

Rng Rng::Split(std::uint64_t index) const {
  return Rng(Mix(Mix(key_ + kGolden) + Mix(index * kGolden + 1)));
}

std::uint64_t Rng::Next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Rng::Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

double Rng::Uniform(double low, double high) { return low + (high - low) * Uniform(); }

std::uint64_t Rng::Below(std::uint64_t count) {
  HONE_CHECK(count > 0);
  const std::uint64_t limit = (0 - count) % count;  // 2^64 mod count: the biased head.
  std::uint64_t draw = Next();
  while (draw < limit) draw = Next();
  return draw % count;
}

bool Rng::Coin() { return (Next() >> 63) != 0; }

double Rng::Normal() {
  const double radius = std::sqrt(2.0 * Exponential());
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

double Rng::Exponential() { return -std::log1p(-Uniform()); }

}  // namespace hone
