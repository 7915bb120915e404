// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "hone/agent/kernel/kernel_proof.h"
#include "hone/agent/kernel/kernel_scores.h"
#include "hone/app/kernel/kernel_writing.h"
#include "hone/app/kernel/problem_import.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/text/kernel_search_text.h"
#include "hone/cli/verbs/agent_actions.h"
#include "hone/cli/verbs/run_flags.h"
#include "hone/domains/compute/task_for_kernel.h"

namespace hone::cli {
namespace {

using agent::KernelAttempt;
using agent::KernelSearchResult;

// What the searches of one command share.
struct KernelSession {
  Shell& shell;
  const AgentRequest& request;
  std::unique_ptr<Interrupts> interrupts;
  std::shared_ptr<agent::ChatBudget> budget;
  std::unique_ptr<agent::ChatModel> model;
  std::string asked;  // Whom the user named. The model's own name changes once it is known.
  app::KernelJudge judge;

  std::stop_token stop() const { return interrupts->wrap_up(); }
  std::stop_token stop_of_proof() const { return interrupts->abandon(); }
};

constexpr const char* kKernels = "kernels";  // The folder of logs.

std::string WhatIsSearched(const AgentRequest& request, const compute::Problem& problem,
                           const std::string& model) {
  const AgentKernelRequest& kernel = request.kernel;
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", problem.text, model, NameOf(kernel.search.mode),
                     kernel.search.lines, kernel.search.seed, Dump(Json(kernel.options)));
}

// One for all problems of the command.
Result<std::shared_ptr<agent::ChatBudget>> OpenSessionBudget(
    Shell& shell, const AgentRequest& request, const std::vector<compute::Problem>& problems) {
  std::string asked = request.action;
  for (const compute::Problem& problem : problems) {
    asked += "\n" + WhatIsSearched(request, problem, request.chat.model);
  }
  return OpenActionBudget(shell, request.files, kKernels, asked, request.chat);
}

const char* OnInterrupt(int count) {
  return count == 1 ? "Interrupted: the search ends here. Once more: ends without a proof too.\n"
                    : "Ending; the same command goes on.\n";
}

Result<std::unique_ptr<KernelSession>> OpenSession(Shell& shell, const AgentRequest& request,
                                                   const std::vector<compute::Problem>& problems) {
  if (auto there = CheckAnswersAreThere(request.files, request.chat); !there) return there.error();
  auto interrupts = Interrupts::Watch([&shell](int count) {
    if (!shell.is_quiet) shell.console.err << OnInterrupt(count);
  });
  if (!interrupts) return interrupts.error();
  agent::ChatSettings chat = request.chat;
  chat.stop = (*interrupts)->wrap_up();
  auto budget = OpenSessionBudget(shell, request, problems);
  if (!budget) return budget.error();
  chat.budget = *budget;
  auto model = OpenActionModel(shell, chat);
  if (!model) return model.error();
  const std::string asked = (*model)->name();
  return std::unique_ptr<KernelSession>(
      new KernelSession{shell, request, std::move(*interrupts), std::move(*budget),
                        std::move(*model), asked, app::KernelJudge(shell.builtins, shell.clock)});
}

agent::KernelListener ToldOn(Shell& shell, const std::string& problem) {
  if (shell.is_quiet) return nullptr;
  return [&shell, problem](const KernelAttempt& attempt) {
    shell.console.err << fmt::format("{} round {} line {}: {} {}\n", problem, attempt.round + 1,
                                     attempt.line + 1, NameOf(attempt.verdict.outcome),
                                     KernelSpeedupText(attempt.verdict.speedup));
  };
}

Result<agent::AgentLog> OpenKernelLog(KernelSession& session, const compute::Problem& problem) {
  return OpenActionLog(session.shell, session.request.files, kKernels,
                       WhatIsSearched(session.request, problem, session.asked));
}

Result<KernelSearchResult> SearchOne(KernelSession& session, const compute::Problem& problem,
                                     agent::AgentLog& log) {
  const AgentKernelRequest& kernel = session.request.kernel;
  const agent::KernelBrief brief = app::BriefOf(problem);
  return agent::SearchKernel(brief, kernel.search, *session.model,
                             app::JudgingOf(session.judge, problem, kernel.options), log,
                             ToldOn(session.shell, problem.name), session.stop());
}

// Of one problem of several.
Result<KernelSearchResult> SearchByOwnLog(KernelSession& session, const compute::Problem& problem) {
  auto log = OpenKernelLog(session, problem);
  if (!log) return log.error();
  return SearchOne(session, problem, *log);
}

// A problem of which nothing could be tried is told beside the scores of the others; an Error if
// that is so of all.
Result<BenchReport> SearchAll(KernelSession& session,
                              const std::vector<compute::Problem>& problems) {
  BenchReport report;
  std::vector<std::vector<KernelAttempt>> attempts;
  std::optional<Error> first_error;
  for (const compute::Problem& problem : problems) {
    const auto result = SearchByOwnLog(session, problem);
    if (!result) {
      if (!first_error) first_error = result.error();
      report.failed.push_back({problem.name, result.error().message});
      continue;
    }
    if (!result->attempts.empty()) attempts.push_back(result->attempts);
    report.is_cut_short = report.is_cut_short || result->is_cut_short;
    for (const std::string& note : result->notes) {
      report.notes.push_back(fmt::format("{}: {}", problem.name, note));
    }
  }
  if (first_error && attempts.empty() && !report.is_cut_short) return *first_error;
  report.scores = ScoresOf(attempts, {1, 1.2, 1.5, 2, 3});
  report.spent = session.budget->spent();
  return report;
}

Result<std::vector<compute::Problem>> ProblemsOf(const Shell& shell,
                                                 const std::vector<std::string>& names) {
  std::vector<compute::Problem> problems;
  for (const std::string& name : names.empty() ? compute::ProblemNames("cpp") : names) {
    auto problem = compute::ProblemAt(app::PlaceOfProblem(shell.store, name));
    if (!problem) return problem.error();
    problems.push_back(std::move(*problem));
  }
  return problems;
}

}  // namespace

std::vector<Flag> AgentKernelFlags(AgentKernelRequest& request) {
  agent::KernelSearchSettings& search = request.search;
  return {
      {.names = "--lines",
       .value = "COUNT",
       .help = "kernel, bench: conversations side by side, or islands; 4 if not given.",
       .set = StoreCount("--lines", search.lines, 1, 64)},
      {.names = "--rounds",
       .value = "COUNT",
       .help = "kernel, bench: turns of each; 4 if not given.",
       .set = StoreCount("--rounds", search.rounds, 1, 1000)},
      {.names = "--mode",
       .value = "MODE",
       .help = "kernel, bench: refine (each line improves its own) or evolve (islands whose "
               "attempts have one or two parents).",
       .set = StoreParsed(
           "--mode",
           [](const std::string&, const std::string& text) { return agent::KernelModeNamed(text); },
           search.mode),
       .completes = Completes::kChoices,
       .choices = {"refine", "evolve"}},
      {.names = "--shown",
       .value = "COUNT",
       .help = "kernel, bench: how many earlier attempts a line is shown; 3 if not given.",
       .set = StoreCount("--shown", search.max_shown, 1, 20)},
      {.names = "--seed",
       .value = "N",
       .help = "kernel, bench: draws parents and answers.",
       .set = StoreParsed("--seed", ParseSeed, search.seed)},
      {.names = "--option",
       .value = "NAME=VALUE",
       .help = "kernel, bench: a setting of the domain compute, such as samples=1000.",
       .set = StoreSetting("--option", request.options),
       .is_repeatable = true}};
}

Result<ExitCode> AgentKernel(Shell& shell, const AgentRequest& request) {
  if (request.operands.size() != 1) {
    return Error{
        Errc::kInvalidArgument,
        "PROBLEM: expected one name of data/problems, or one folder; usage: hone agent kernel "
        "PROBLEM"};
  }
  const auto problems = ProblemsOf(shell, request.operands);
  if (!problems) return problems.error();
  const auto session = OpenSession(shell, request, *problems);
  if (!session) return session.error();
  const std::string& name = problems->front().name;
  auto log = OpenKernelLog(**session, problems->front());
  if (!log) return log.error();
  const auto result = SearchOne(**session, problems->front(), *log);
  if (!result) return result.error();
  const auto judging = app::JudgingOf((*session)->judge, problems->front(), request.kernel.options);
  const agent::KernelProof proof = agent::ProveBest(*result, judging, (*session)->stop_of_proof());
  if (auto kept = log->Append("proof", ToJson(proof)); !kept) return kept.error();
  if (proof.winner && !request.files.output.empty()) {
    auto written = WriteAnswer(shell, request.files.output, proof.winner->source);
    if (!written) return written.error();
  }
  if (shell.wants_json) {
    shell.console.out << Dump(ProofJson(*result, proof)) << "\n";
  } else {
    shell.console.out << ProofText(name, *result, proof) << NotesText(*result)
                      << fmt::format("  spent: {}\n", (*session)->budget->Describe());
  }
  return ExitCodeOf(*result, proof);
}

Result<ExitCode> AgentBench(Shell& shell, const AgentRequest& request) {
  if (!request.files.log.empty() && request.operands.size() != 1) {
    return Error{Errc::kInvalidArgument, "--log: of several problems each has a log of its own"};
  }
  const auto problems = ProblemsOf(shell, request.operands);
  if (!problems) return problems.error();
  const auto session = OpenSession(shell, request, *problems);
  if (!session) return session.error();
  const auto report = SearchAll(**session, *problems);
  if (!report) return report.error();
  if (shell.wants_json) {
    shell.console.out << Dump(BenchJson(*report)) << "\n";
  } else {
    shell.console.out << BenchText(*report)
                      << fmt::format("spent: {}\n", (*session)->budget->Describe());
  }
  return ExitCodeOf(*report);
}

}  // namespace hone::cli
