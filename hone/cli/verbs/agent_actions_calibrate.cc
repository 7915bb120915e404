// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "hone/agent/chat/logged_model.h"
#include "hone/agent/data/measured_trials.h"
#include "hone/agent/rewards/judge_calibration.h"
#include "hone/app/stored/stored_run.h"
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

constexpr const char* kCalibrations = "calibrations";  // The folder of logs.

std::string WhatIsCalibrated(const AgentRequest& request,
                             const std::vector<agent::MeasuredConfiguration>& measured) {
  std::string asked = request.kconfig.goal + "\n" + request.chat.model;
  for (const std::string& url : request.chat.urls) asked += "\n" + url;
  for (const auto& one : measured) asked += "\n" + one.change;
  return asked;
}

// What the log holds, of which the first line says whose log it is.
Result<agent::LoggedExchanges> ReadCalibrationLog(agent::AgentLog& log, const std::string& goal) {
  constexpr const char* kFirstLine = "calibration";
  const auto begun = log.Next(kFirstLine);
  if (!begun) return begun.error();
  agent::LoggedExchanges recorded;
  if (!*begun) {
    if (auto written = log.Append(kFirstLine, {{"goal", goal}}); !written) return written.error();
    return recorded;
  }
  if ((*begun)->value("goal", Json()) != goal) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: it is of another goal; give another --log", log.Where())};
  }
  while (!log.is_at_end()) {
    const auto line = log.Next(agent::kExchangeLine);
    if (!line) return line.error();
    if (auto added = recorded.Add(**line, log.Where()); !added) return added.error();
  }
  return recorded;
}

// The same opinions as often as the same command is given: they are in its log.
Result<agent::JudgeCalibration> CalibrateByLog(
    Shell& shell, const AgentRequest& request, const agent::ChatSettings& chat,
    const std::vector<agent::MeasuredConfiguration>& measured) {
  const std::string& goal = request.kconfig.goal;
  auto log =
      OpenActionLog(shell, request.files, kCalibrations, WhatIsCalibrated(request, measured));
  if (!log) return log.error();
  auto recorded = ReadCalibrationLog(*log, goal);
  if (!recorded) return recorded.error();
  const auto model = OpenActionModel(shell, chat);
  if (!model) return model.error();
  agent::LoggedModel logged(**model, *log, std::move(*recorded));
  return agent::CalibrateJudge(logged, goal, measured);
}

}  // namespace

Result<ExitCode> AgentCalibrate(Shell& shell, const AgentRequest& request) {
  if (request.kconfig.goal.empty()) {
    return Error{Errc::kInvalidArgument,
                 "--goal: missing; say what the runs were to make better, as the model is to be "
                 "asked"};
  }
  if (auto there = CheckAnswersAreThere(request.files, request.chat); !there) return there.error();
  const auto measured = MeasuredIn(
      shell, request.operands.empty() ? std::vector<std::string>{"last"} : request.operands);
  if (!measured) return measured.error();
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  agent::ChatSettings chat = request.chat;
  chat.stop = (*interrupts)->wrap_up();
  auto budget = OpenActionBudget(shell, request.files, kCalibrations,
                                 WhatIsCalibrated(request, *measured), chat);
  if (!budget) return budget.error();
  chat.budget = *budget;
  const auto calibration = CalibrateByLog(shell, request, chat, *measured);
  if (!calibration && chat.stop.stop_requested()) {
    shell.console.err << "It was cut short; the same command goes on.\n";
    return ExitCode::kNotEnough;
  }
  if (!calibration) return calibration.error();
  if (shell.wants_json) {
    shell.console.out << Dump(ToJson(*calibration)) << "\n";
  } else {
    shell.console.out << CalibrationText(*calibration)
                      << fmt::format("  spent     {}\n", (*budget)->Describe());
  }
  return calibration->weight > 0 ? ExitCode::kYes : ExitCode::kNo;
}

}  // namespace hone::cli
