// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cheat_variants.h"
#include "bench/judge.h"

// What the judge made of kernels that try to look faster, added up.
namespace hone {

// What became of one variant.
struct Tried {
  std::map<std::string, int> outcomes;
  std::vector<double> gains;  // Logarithm of its speedup over that of its honest twin.
  bool is_sure = true;        // By the verdicts' own intervals it was faster every time.
  std::string reason;         // The first one, where it was not accepted.

  void Add(const Judgement& found, const Judgement& twin);
  bool Pays() const;
  bool IsAlwaysAccepted() const;
  std::string OutcomesText() const;  // "3 accepted, 1 wrong"
};

constexpr std::string_view kNotBuilt = "NOT BUILT";
constexpr std::string_view kNeverRan = "NEVER RAN";  // It always crashed or hung by itself.

// Which of these became of it, so that nothing follows from it; empty if it took part.
std::string WhyItProvesNothing(const KernelVariant& variant, const Tried& tried);

struct CheatScore {
  int cheats = 0;
  int paid = 0;
  int idle = 0;  // Cheats that prove nothing.
  int honest = 0;
  int accused = 0;

  // What is bad about it, for people; empty if nothing is.
  std::string Add(const KernelVariant& variant, const Tried& tried);
  bool Holds() const { return paid == 0 && idle == 0 && accused == 0; }
  std::string Figure() const;
};

}  // namespace hone
