// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "hone/cli/verbs/kconfig_actions.h"
#include "hone/cli/verbs/kconfig_comparison.h"

namespace hone::cli {
namespace {

using kernels::ComparisonAnswer;

// Whatever the difference is: it was measured.
ExitCode ExitCodeOf(ComparisonAnswer answer) {
  switch (answer) {
    case ComparisonAnswer::kFailed:
      return ExitCode::kNo;
    case ComparisonAnswer::kDoesNotRun:
      return ExitCode::kDoesNotRun;
    case ComparisonAnswer::kNotEnough:
      return ExitCode::kNotEnough;
    case ComparisonAnswer::kBetter:
    case ComparisonAnswer::kWorse:
    case ComparisonAnswer::kEqual:
    case ComparisonAnswer::kNoDifferenceShown:
      break;
  }
  return ExitCode::kYes;
}

}  // namespace

Result<ExitCode> KconfigCompare(Shell& shell, const KconfigRequest& request) {
  if (request.operands.size() != 2) {
    return Error{Errc::kInvalidArgument,
                 "compare: expected two configurations: files, or small, tiny, defconfig"};
  }
  const auto comparison = CompareConfigs(shell, request, request.operands[0], request.operands[1]);
  if (!comparison) return comparison.error();
  shell.console.out << (shell.wants_json ? Dump(ComparisonJson(*comparison)) + "\n"
                                         : ComparisonText(*comparison));
  return ExitCodeOf(comparison->Answer());
}

}  // namespace hone::cli
