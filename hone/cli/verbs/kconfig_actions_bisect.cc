// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostream>
#include <string_view>

#include "hone/base/announce.h"
#include "hone/base/json/json.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/verbs/kconfig_actions.h"
#include "hone/domains/kconfig/bisect/kernel_bisect.h"

namespace hone::cli {
namespace {

using kernels::BisectAnswer;
using kernels::BisectStep;

std::string StartText(std::size_t changes, std::size_t max_steps) {
  return fmt::format(
      "{} change{}; after the two ends at most {} step{} for one culprit, and about as many for "
      "each "
      "further one, if nothing has to be skipped",
      changes, changes == 1 ? "" : "s", max_steps, max_steps == 1 ? "" : "s");
}

std::string StepText(const BisectStep& step, std::size_t changes) {
  if (step.number == 0) return step.what;
  return fmt::format("step {}: {} of {} changes, {}", step.number, step.changes, changes,
                     step.what);
}

std::string AnswerText(const BisectAnswer& answer) {
  std::string text = fmt::format("{}: {} of {} changes, found in {} steps\n", answer.fault,
                                 answer.options.size(), answer.changes, answer.steps);
  for (const auto& group : answer.options) {
    text += fmt::format("  {}\n", fmt::join(group, "\n  "));
    if (group.size() > 1) text += "  (these could not be told apart)\n";
  }
  if (!answer.consequences.empty()) {
    text +=
        fmt::format("with what follows from that\n  {}\n", fmt::join(answer.consequences, "\n  "));
  }
  if (!answer.is_minimal) text += "Not all smaller sets could be tried: one may break it too.\n";
  for (const std::string& skipped : answer.skipped) text += "skipped: " + skipped + "\n";
  for (const Evidence& evidence : answer.evidence) {
    text += fmt::format("\n{}\n{}\n", evidence.what, evidence.text);
  }
  return text;
}

Json AnswerJson(const BisectAnswer& answer) {
  Json json{{"fault", answer.fault},        {"culprits", answer.options},
            {"minimal", answer.is_minimal}, {"consequences", answer.consequences},
            {"changes", answer.changes},    {"steps", answer.steps},
            {"skipped", answer.skipped}};
  for (const Evidence& evidence : answer.evidence) json["evidence"][evidence.what] = evidence.text;
  return json;
}

}  // namespace

Result<ExitCode> KconfigBisect(Shell& shell, const KconfigRequest& request) {
  if (request.operands.size() != 2) {
    return Error{Errc::kInvalidArgument,
                 "bisect: expected GOOD and BAD: files, or small, tiny, defconfig; with wishes "
                 "after commas: small,SMP=y"};
  }
  if (request.metric.empty() != (request.worse_than == 0)) {
    return Error{Errc::kInvalidArgument,
                 "bisect: --metric and --worse-than belong together: --metric index --worse-than "
                 "5%"};
  }
  const auto tell = [&](std::string_view text) {
    if (!shell.is_quiet) shell.console.err << text << std::endl;
  };
  const AnnouncementListener announcements(tell);
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  auto lab = kernels::OpenKernelLab(request.tree, request.arch);
  if (!lab) return lab.error();
  std::size_t changes = 0;
  kernels::BisectListener listener;
  listener.on_start = [&](std::size_t count, std::size_t max_steps) {
    changes = count;
    tell(StartText(count, max_steps));
  };
  listener.on_step = [&](const BisectStep& step) { tell(StepText(step, changes)); };
  const auto answer =
      kernels::BisectKernels(*lab,
                             {request.operands[0], request.operands[1], request.metric,
                              request.worse_than, (*interrupts)->wrap_up()},
                             listener);
  if (!answer) return answer.error();
  shell.console.out << (shell.wants_json ? Dump(AnswerJson(*answer)) + "\n" : AnswerText(*answer));
  return ExitCode::kYes;
}

}  // namespace hone::cli
