// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/walk_exit_code.h"

namespace hone::cli {

ExitCode ExitCodeOfWalk(agent::WalkEnd end, bool has_honoured) {
  using agent::WalkEnd;
  switch (end) {
    case WalkEnd::kDone:
      return has_honoured ? ExitCode::kYes : ExitCode::kNo;
    case WalkEnd::kModelFailed:
    case WalkEnd::kUnreadable:
      return ExitCode::kFailed;
    case WalkEnd::kQuestions:
    case WalkEnd::kTokens:
    case WalkEnd::kStopped:
    case WalkEnd::kLogEnded:
      break;
  }
  return ExitCode::kNotEnough;
}

ExitCode ExitCodeOfMeasuredWalk(ExitCode walked, kernels::ComparisonAnswer measured) {
  using kernels::ComparisonAnswer;
  const bool is_open = walked == ExitCode::kFailed || walked == ExitCode::kNotEnough;
  switch (measured) {
    case ComparisonAnswer::kBetter:
      return ExitCode::kYes;
    case ComparisonAnswer::kDoesNotRun:
      return ExitCode::kDoesNotRun;
    case ComparisonAnswer::kNotEnough:
      return ExitCode::kNotEnough;
    case ComparisonAnswer::kWorse:
    case ComparisonAnswer::kEqual:
    case ComparisonAnswer::kNoDifferenceShown:
    case ComparisonAnswer::kFailed:
      break;
  }
  return is_open ? walked : ExitCode::kNo;
}

}  // namespace hone::cli
