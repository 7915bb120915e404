// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "hone/agent/data/measured_trials.h"
#include "hone/agent/rewards/judge_calibration.h"
#include "hone/app/campaign/stored_run.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/verbs/agent_actions.h"

namespace hone::cli {
namespace {

std::string CorrelationText(const std::optional<agent::Correlation>& correlation) {
  if (!correlation) return "none: it always says the same";
  return fmt::format("{:+.2f} [95 % by Fisher: {:+.2f}, {:+.2f}; by bootstrap: {:+.2f}, {:+.2f}]",
                     correlation->value, correlation->fisher_low, correlation->fisher_high,
                     correlation->bootstrap_low, correlation->bootstrap_high);
}

std::string CalibrationText(const agent::JudgeCalibration& calibration) {
  return fmt::format(
      "{}: {} of {} opinions\n  Pearson   {}\n  Spearman  {}\n  weight    {:.2f}: {}\n",
      calibration.judge, calibration.opinion_count, calibration.opinions.size(),
      CorrelationText(calibration.pearson), CorrelationText(calibration.spearman),
      calibration.weight, calibration.reason);
}

Result<std::vector<agent::MeasuredConfiguration>> MeasuredIn(Shell& shell,
                                                             const std::vector<std::string>& runs) {
  std::vector<agent::MeasuredConfiguration> all;
  for (const std::string& run : runs) {
    const auto history = app::LoadRun(shell.store, shell.clock, run);
    if (!history) return history.error();
    for (auto& one : agent::MeasuredConfigurationsOf(*history)) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

Result<ExitCode> AgentCalibrate(Shell& shell, const AgentRequest& request) {
  if (request.kconfig.goal.empty()) {
    return Error{Errc::kInvalidArgument,
                 "--goal: missing; say what the runs were to make better, as the model is to be "
                 "asked"};
  }
  if (!request.chat.is_configured()) {
    return Error{Errc::kInvalidArgument,
                 "--llm: no language model is named; give --llm URL or set HONE_LLM"};
  }
  const auto measured = MeasuredIn(
      shell, request.operands.empty() ? std::vector<std::string>{"last"} : request.operands);
  if (!measured) return measured.error();
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  agent::ChatSettings chat = request.chat;
  chat.stop = (*interrupts)->wrap_up();
  const auto model = agent::OpenChatModel(chat, shell.clock);
  if (!model) return model.error();
  const auto calibration = agent::CalibrateJudge(**model, request.kconfig.goal, *measured);
  if (!calibration) return calibration.error();
  if (shell.wants_json) {
    shell.console.out << Dump(ToJson(*calibration)) << "\n";
  } else {
    shell.console.out << CalibrationText(*calibration);
  }
  return calibration->weight > 0 ? ExitCode::kYes : ExitCode::kNo;
}

}  // namespace hone::cli
