// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/agent/rewards/correlation.h"
#include "hone/agent/rewards/performance_reward.h"
#include "hone/core/result.h"

// A judge is a model that is asked for its opinion on a change. An opinion is a prior: a reason to
// measure one thing before another. It is never a reward and never called performance, and it has
// no weight until it was seen to go along with what was measured.
namespace hone::agent {

inline constexpr std::size_t kMinJudged = 20;

// A configuration that was measured, as the judge is told of it.
struct MeasuredConfiguration {
  std::string change;  // "CONFIG_HZ_1000=y CONFIG_HZ_250=n"
  MeasuredLogRatio effect;
};

// What the judge expects of one change; none if it did not say so in the form that was asked for.
struct JudgeOpinion {
  std::optional<double> expected;  // In [-1, 1]: worse to better.
  std::string fault;               // Why there is none.
};

struct JudgeCalibration {
  std::string judge;
  std::vector<JudgeOpinion> opinions;  // One for each configuration.
  std::size_t opinion_count = 0;       // That were given.
  // Between opinions and measured log-ratios; none if the judge always says the same.
  std::optional<Correlation> pearson;
  std::optional<Correlation> spearman;
  // w = max(0, the lower bound of Spearman's correlation) if Pearson's is above 0 too; else 0. A
  // judge without a shown correlation has none.
  double weight = 0;
  std::string reason;  // One sentence: why this is its weight.
};

struct JudgeSettings {
  std::uint64_t seed = 1;  // Of the bootstrap.
  std::int64_t max_tokens = 1024;
};

// Asks the judge about each configuration, one conversation each, and compares. The judge is not
// told what was measured. kInvalidArgument: fewer than kMinJudged configurations, or an effect that
// is not finite; an Error of the model is returned as it is.
Result<JudgeCalibration> CalibrateJudge(ChatModel& judge, const std::string& goal,
                                        const std::vector<MeasuredConfiguration>& configurations,
                                        const JudgeSettings& settings = {});

// The same from opinions that were given before. As many opinions as configurations.
Result<JudgeCalibration> CalibrationOf(std::vector<JudgeOpinion> opinions,
                                       const std::vector<MeasuredConfiguration>& configurations,
                                       std::uint64_t seed);

// One question and its answer. An Error is the model's, never the answer's.
Result<JudgeOpinion> AskJudge(ChatModel& judge, const std::string& goal, const std::string& change,
                              std::int64_t max_tokens);

// What an opinion adds to the order in which things are tried: weight times what is expected, 0
// without an opinion.
double PriorOf(const JudgeCalibration& calibration, const JudgeOpinion& opinion);

Json ToJson(const JudgeCalibration& calibration);

// What ToJson wrote, without the single opinions. The weight follows from the correlations,
// whatever else the text says it is. `what` names the text in errors.
Result<JudgeCalibration> ReadJudgeCalibration(const std::string& text, const std::string& what);

}  // namespace hone::agent
