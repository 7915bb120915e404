// SPDX-License-Identifier: Apache-2.0
#include "hone/core/evaluation.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace hone {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 7> kOutcomeNames{{
    {Outcome::kAccepted, "accepted"},
    {Outcome::kRejected, "rejected"},
    {Outcome::kBuildFailed, "build_failed"},
    {Outcome::kCrashed, "crashed"},
    {Outcome::kTimedOut, "timed_out"},
    {Outcome::kWrong, "wrong"},
    {Outcome::kCheated, "cheated"},
}};

}  // namespace

std::string_view NameOf(Outcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)].second;
}

Result<Outcome> OutcomeNamed(std::string_view name) {
  for (const auto& [outcome, known] : kOutcomeNames) {
    if (known == name) return outcome;
  }
  return Error{Errc::kInvalidArgument, fmt::format("outcome \"{}\": no such outcome", name)};
}

}  // namespace hone
