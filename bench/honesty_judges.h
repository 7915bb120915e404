// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/honesty_cases.h"

// What verdicts and gates say, each sentence with a judge that knows the truth.
namespace hone {

// How often a sentence was said of a campaign, and how often it was true.
struct Judged {
  int said = 0;
  int is_true = 0;
};

struct Sentence {
  std::string name;
  std::function<Judged(const Played&)> judge;
  double min_true = 0.95;  // Of the times that it is said.
  // It promises no more than a chance of being true (an interval, a test's level): then it is
  // untrue only where it falls short by more than chance explains.
  bool is_chance = false;
};

std::vector<Sentence> HonestySentences();

}  // namespace hone
