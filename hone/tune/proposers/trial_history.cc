// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/trial_history.h"

#include <fmt/format.h>

#include <utility>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"

namespace hone::tune {

std::string HistoryText(const std::vector<Trial>& trials) {
  Json list = Json::array();
  for (const Trial& trial : trials) {
    Json json = {{"candidate", ToJson(trial.candidate)}, {"outcome", NameOf(trial.outcome)}};
    if (trial.outcome == Outcome::kAccepted) {
      json["mean"] = trial.reward.mean;
      json["standard_error"] = trial.reward.standard_error;
      json["is_within_limits"] = trial.is_within_limits;
    }
    list.push_back(std::move(json));
  }
  return Dump(list);
}

Result<std::vector<Trial>> ReadHistory(const std::string& text, const Space& space) {
  const auto json = ParseJson(text, "option history");
  if (!json) return json.error();
  JsonReader reader(*json, "option history");
  std::vector<Trial> trials;
  std::string why_not;  // Of a trial that the space does not allow.
  for (JsonReader& item : reader.Items()) {
    Trial trial;
    trial.candidate = ReadCandidate(item.At("candidate"));
    const auto outcome = OutcomeNamed(item.At("outcome").String());
    if (!outcome) return outcome.error();
    trial.outcome = *outcome;
    if (trial.outcome == Outcome::kAccepted) {
      trial.reward = {.mean = item.At("mean").Number(),
                      .standard_error = item.At("standard_error").Number(),
                      .count = 1};
      trial.is_within_limits = item.At("is_within_limits").Bool();
    }
    const auto valid = space.Validate(trial.candidate.assignment);
    if (!valid) why_not = valid.error().message;
    if (valid) trials.push_back(std::move(trial));
  }
  if (auto finished = reader.Finish(); !finished) return finished.error();
  if (trials.empty() && !why_not.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("option history: none of its trials can be made here: {}", why_not)};
  }
  return trials;
}

}  // namespace hone::tune
