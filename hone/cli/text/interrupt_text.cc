// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/interrupt_text.h"

#include <fmt/format.h>

#include <string_view>

namespace hone::cli {
namespace {

std::string_view WhatEnds(tune::Phase phase) {
  switch (phase) {
    case tune::Phase::kGate:
      return "nothing has been tried yet; the A/A gate is made to its end, and no search follows";
    case tune::Phase::kSearch:
      return "the search ends here; what it found so far, if anything, is proven now";
    case tune::Phase::kFinals:
      return "the search has ended already; finals and proof of what it found go on";
    case tune::Phase::kProof:
      return "the search has ended already; the proof of what it found goes on";
    case tune::Phase::kAblation:
      return "the gain is proven already; finding out what each change is worth goes on";
  }
  return "";
}

std::string_view WhatEndsOfComparison(tune::Phase phase) {
  return phase == tune::Phase::kGate
             ? "no pair has been compared yet; the A/A gate is made to its end, and none follows"
             : "the comparison ends here, before all of its pairs are made";
}

}  // namespace

std::string InterruptText(int count, bool is_comparison, tune::Phase phase,
                          const std::string& resume) {
  if (count > 1) {
    return fmt::format("Stopping at once; nothing measured is lost: {}\n", resume);
  }
  return fmt::format("Interrupted: {}. Once more: stop at once, to go on later.\n",
                     is_comparison ? WhatEndsOfComparison(phase) : WhatEnds(phase));
}

}  // namespace hone::cli
