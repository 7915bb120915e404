// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/training_show.h"

#include <chrono>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/learn/training_curve.h"
#include "hone/tune/campaign/campaign_json.h"

namespace hone::cli {
namespace {

std::string TrainingState(const TrainingShow::Facts& facts) {
  if (!facts.kept) return "training";
  return facts.steps >= facts.settings.total_timesteps ? "done" : "stopped";
}

Json TrainingJson(const TrainingShow::Facts& facts, WallTime now) {
  return {{"algorithm", "ppo"},
          {"environment", facts.environment},
          {"seed", facts.settings.seed},
          {"steps", facts.steps},
          {"total_steps", facts.settings.total_timesteps},
          {"settings", learn::ToOptions(facts.settings)},
          {"columns", learn::CurveColumns()},
          {"began", IsoTime(facts.kept.value_or(now))},
          {"is_live", !facts.kept.has_value()},
          {"state", TrainingState(facts)},
          {"folder", facts.folder.string()},
          {"score", nullptr},
          {"message", ""}};
}

Json UpdateOf(const learn::CurveRow& row, const Json& at) {
  Json values = Json::array();
  for (const auto& value : row)
    values.push_back(value ? tune::FiniteOrNull(*value) : Json(nullptr));
  return {{"at_s", at}, {"values", std::move(values)}};
}

}  // namespace

TrainingShow::TrainingShow(server::TrainingBoard& board, Clock& clock, const Facts& facts,
                           std::function<void()> stop)
    : board_(board),
      clock_(clock),
      facts_(facts),
      began_(clock.Now()),
      training_(TrainingJson(facts, clock.Wall())) {
  board_.Begin(training_, [&board, told = training_, stop = std::move(stop)]() mutable {
    told["state"] = "stopping";
    board.Show(told);
    stop();
  });
}

TrainingShow::~TrainingShow() { board_.End(); }

Result<void> TrainingShow::ShowEarlier() {
  if (facts_.steps == 0 || facts_.folder.empty()) return {};
  const auto curve = learn::ReadTrainingCurve(facts_.folder);
  if (!curve) return curve.error();
  for (const learn::CurveRow& row : *curve) board_.Add(UpdateOf(row, nullptr));
  return {};
}

void TrainingShow::Show(const learn::TrainReport& report) {
  const double seconds = std::chrono::duration<double>(clock_.Now() - began_).count();
  board_.Add(UpdateOf(learn::RowOf(report), seconds));
}

void TrainingShow::ShowEvaluating() {
  training_["state"] = "evaluating";
  board_.Show(training_);
}

void TrainingShow::ShowScore(double mean, double deviation, std::int64_t episodes, bool is_done) {
  training_["state"] = is_done ? "done" : "stopped";
  training_["score"] = {{"mean", mean}, {"deviation", deviation}, {"episodes", episodes}};
  board_.Show(training_);
}

void TrainingShow::ShowFailure(const std::string& message) {
  training_["state"] = "failed";
  training_["message"] = message;
  board_.Show(training_);
}

}  // namespace hone::cli
