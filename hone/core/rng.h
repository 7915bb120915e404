// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace hone {

// Random numbers that are the same on every machine and with every standard library:
// xoshiro256++ (Blackman and Vigna, 2019), seeded through SplitMix64.
//
// Split makes an independent stream from the key alone, whatever was drawn before, so a
// decision can take its own stream by name and stay the same when code around it changes.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  Rng Split(std::string_view name) const;
  Rng Split(std::uint64_t index) const;

  std::uint64_t Next();
  double Uniform();                          // In [0, 1).
  double Uniform(double low, double high);   // In [low, high).
  std::uint64_t Below(std::uint64_t count);  // In [0, count), unbiased; count > 0.
  bool Coin();
  double Normal();       // Mean 0, variance 1.
  double Exponential();  // Mean 1.

  template <typename T>
  void Shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(i)]);
  }

 private:
  std::uint64_t key_;
  std::array<std::uint64_t, 4> state_;
};

// A 64-bit digest of a text (FNV-1a, then mixed), for seeds. Stable across machines and versions.
// Who may choose the text finds another of the same digest: see base/sha256.h.
std::uint64_t DigestOf(std::string_view text);

}  // namespace hone
