// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kernel/kernel_writing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <utility>
#include <vector>

#include "hone/app/kernel/kernel_facts.h"
#include "hone/base/fresh_number.h"
#include "hone/domains/compute/task_for_kernel.h"

namespace hone::app {
namespace {

constexpr std::chrono::seconds kRunLimit{60};

std::string LanguageOf(const compute::Problem& problem) {
  if (problem.backend == "torch") return "python";
  if (problem.backend == "cuda") return "cuda";
  return problem.language == "c" ? "c" : "cpp";
}

std::string FormOf(const compute::Problem& problem) {
  if (problem.backend == "torch") {
    return "a class ModelNew(nn.Module) that does what the reference's Model does";
  }
  if (problem.backend == "cuda") {
    return "CUDA device code with its launches as comments, as the reference has them";
  }
  return fmt::format("a function: extern \"C\" {}", compute::SignatureOf(problem));
}

std::string StatementOf(const compute::Problem& problem) {
  std::vector<std::string> shapes;
  for (const compute::Sizes& sizes : problem.shapes) {
    shapes.push_back(compute::TextOfSizes(sizes));
  }
  return fmt::format(
      "{}\nThe source is {}.\nShapes (the first is timed, all are checked): {}\n\"scalar\" in the "
      "reference is the floating type of the arrays.",
      problem.summary, FormOf(problem), fmt::join(shapes, "; "));
}

std::string RulesOf(const compute::Policy& policy) {
  return fmt::format("It may use {} thread{}. Libraries that do the work are {}.{}", policy.threads,
                     policy.threads == 1 ? "" : "s", policy.libraries ? "allowed" : "not allowed",
                     policy.is_bitwise ? " The same inputs must give the same bits." : "");
}

agent::KernelVerdict VerdictOf(const KernelFacts& facts) {
  agent::KernelVerdict verdict{.outcome = facts.outcome, .feedback = facts.feedback};
  const bool is_timed = facts.speedup && facts.speedup_low && facts.speedup_high;
  if (facts.outcome == Outcome::kAccepted && is_timed) {
    verdict.speedup = agent::Speedup{*facts.speedup, *facts.speedup_low, *facts.speedup_high};
  }
  return verdict;
}

}  // namespace

agent::KernelBrief BriefOf(const compute::Problem& problem) {
  return {.problem = problem.name,
          .statement = StatementOf(problem),
          .reference = problem.reference,
          .language = LanguageOf(problem),
          .rules = RulesOf(problem.policy)};
}

agent::KernelJudging JudgingOf(KernelJudge& judge, const compute::Problem& problem,
                               const Options& options) {
  return
      [&judge, named = compute::OptionFor(problem), options](
          const std::string& source, const std::stop_token& stop) -> Result<agent::KernelVerdict> {
        compute::SourceOrder order{.source = source, .options = options};
        order.options[named.first] = named.second;
        order.seed = FreshNumber();
        order.run_timeout = kRunLimit;
        auto task = compute::TaskForSource(std::move(order));
        if (!task) return task.error();
        const auto judged = judge.Judge(std::move(*task), stop);
        if (!judged) return judged.error();
        const auto facts = KernelFactsOf(*judged);
        if (!facts) return facts.error();
        return VerdictOf(*facts);
      };
}

}  // namespace hone::app
