// SPDX-License-Identifier: Apache-2.0
#include "hone/core/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hone {
namespace {

constexpr std::size_t kShaBlock = 64;

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kShaRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using ShaWords = std::array<std::uint32_t, 8>;

// The first 32 bits of the fractions of the square roots of the first 8 primes.
constexpr ShaWords kShaStart{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::array<std::uint32_t, 64> ScheduleOf(std::string_view block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) {
    for (std::size_t k = 0; k < 4; ++k) {
      w[t] = (w[t] << 8U) | static_cast<unsigned char>(block[4 * t + k]);
    }
  }
  for (std::size_t t = 16; t < w.size(); ++t) {
    const std::uint32_t a = w[t - 15];
    const std::uint32_t b = w[t - 2];
    w[t] = w[t - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U)) + w[t - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U));
  }
  return w;
}

void AddBlock(std::string_view block, ShaWords& hash) {
  const auto w = ScheduleOf(block);
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < w.size(); ++t) {
    const std::uint32_t chosen = (e & f) ^ (~e & g);
    const std::uint32_t most = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t one =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + chosen + kShaRounds[t] + w[t];
    const std::uint32_t two = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + most;
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + two;
  }
  const ShaWords sum{a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < hash.size(); ++k) hash[k] += sum[k];
}

// What is left of the text, a 1, and its length in bits at the end of the last block.
std::string PaddedEnd(std::string_view rest, std::uint64_t bytes) {
  std::string end(rest);
  end += '\x80';
  const std::size_t blocks = end.size() + 8 > kShaBlock ? 2 : 1;
  end.resize(blocks * kShaBlock - 8, '\0');
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    end += static_cast<char>((bytes * 8 >> (shift - 8)) & 0xffU);
  }
  return end;
}

}  // namespace

std::string Sha256Of(std::string_view bytes) {
  ShaWords hash = kShaStart;
  const std::uint64_t size = bytes.size();
  for (; bytes.size() >= kShaBlock; bytes.remove_prefix(kShaBlock))
    AddBlock(bytes.substr(0, kShaBlock), hash);
  const std::string end = PaddedEnd(bytes, size);
  for (std::size_t at = 0; at < end.size(); at += kShaBlock) {
    AddBlock(std::string_view(end).substr(at, kShaBlock), hash);
  }
  std::string text;
  for (const std::uint32_t word : hash) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace hone
