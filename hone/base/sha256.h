// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace hone {

// By which a result is found again, wherever somebody else chooses what it was made from: nobody
// can make a second text of the same one. For seeds there is DigestOf (core/rng.h).
using Sha256Digest = std::array<std::uint8_t, 32>;

// Of a text that comes in parts. One at a time; may be used again after Take.
class Sha256 {
 public:
  Sha256();

  void Add(std::string_view part);
  void AddText(std::string_view text);  // With its length before it: a part with a known end.
  Sha256Digest Take();

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

// 64 hexadecimal digits.
std::string HexOf(const Sha256Digest& digest);

// The same of a whole text.
std::string Sha256Of(std::string_view text);

// Of several, each with its length: other texts have another digest, however they are divided.
std::string Sha256OfTexts(std::initializer_list<std::string_view> texts);

}  // namespace hone
