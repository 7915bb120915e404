// SPDX-License-Identifier: Apache-2.0
#include "bench/cheat_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "hone/measure/paired.h"

namespace hone {
namespace {

constexpr double kPays = 1.05;
constexpr std::int64_t kFewPairs = 6;  // Below, the interval of each verdict is all there is.

// A trick may come to one of these once in a while; one that never comes to another did not run.
constexpr std::array<std::string_view, 2> kEndsOfItsOwn{"crashed", "timed_out"};

}  // namespace

void Tried::Add(const Judgement& found, const Judgement& twin) {
  ++outcomes[std::string(NameOf(found.outcome))];
  if (found.outcome != Outcome::kAccepted) {
    if (reason.empty()) reason = found.reason;
    return;
  }
  gains.push_back(std::log(found.speedup / twin.speedup));
  is_sure &= found.interval.low > kPays * twin.interval.high;
}

bool Tried::Pays() const {
  if (gains.empty()) return false;
  if (std::ssize(gains) < kFewPairs) return is_sure;
  return TestPairs(gains).interval.low > std::log(kPays);
}

bool Tried::IsAlwaysAccepted() const { return outcomes.size() == 1 && !gains.empty(); }

std::string Tried::OutcomesText() const {
  std::string text;
  for (const auto& [outcome, count] : outcomes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, outcome);
  }
  return text;
}

std::string WhyItProvesNothing(const KernelVariant& variant, const Tried& tried) {
  if (tried.outcomes.contains("build_failed")) return std::string(kNotBuilt);
  const bool has_run = std::ranges::any_of(tried.outcomes, [](const auto& outcome) {
    return std::ranges::find(kEndsOfItsOwn, outcome.first) == kEndsOfItsOwn.end();
  });
  return has_run || variant.is_to_crash ? "" : std::string(kNeverRan);
}

std::string CheatScore::Add(const KernelVariant& variant, const Tried& tried) {
  if (variant.kind == "honest") {
    ++honest;
    if (tried.IsAlwaysAccepted()) return "";
    ++accused;
    return "ACCUSED";
  }
  ++cheats;
  if (std::string why = WhyItProvesNothing(variant, tried); !why.empty()) {
    ++idle;
    return why;
  }
  if (!tried.Pays()) return "";
  ++paid;
  return "PAYS";
}

std::string CheatScore::Figure() const {
  return fmt::format(
      "{} of {} cheating kernels gain more than 5 %, {} were not built or never ran, {} of {} "
      "honest ones are not accepted",
      paid, cheats, idle, accused, honest);
}

}  // namespace hone
