// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <utility>

#include "hone/agent/kernel/kernel_record.h"
#include "hone/agent/kernel/kernel_scores.h"
#include "hone/app/kernel/kernel_writing.h"
#include "hone/app/kernel/problem_import.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/verbs/agent_actions.h"
#include "hone/cli/verbs/run_flags.h"
#include "hone/domains/compute/task_for_kernel.h"

namespace hone::cli {
namespace {

using agent::KernelAttempt;
using agent::KernelProof;
using agent::KernelSearchResult;
using agent::Speedup;

std::string SpeedupText(const std::optional<Speedup>& speedup) {
  if (!speedup) return "";
  return fmt::format("{:.3g}x [95 %: {:.3g}, {:.3g}]", speedup->value, speedup->low, speedup->high);
}

Json SpeedupJson(const std::optional<Speedup>& speedup) {
  if (!speedup) return nullptr;
  return {{"value", speedup->value}, {"low", speedup->low}, {"high", speedup->high}};
}

// What the searches of one command share.
struct KernelSession {
  Shell& shell;
  const AgentRequest& request;
  std::unique_ptr<Interrupts> interrupts;
  std::shared_ptr<agent::ChatBudget> budget;
  std::unique_ptr<agent::ChatModel> model;
  app::KernelJudge judge;

  std::stop_token stop() const { return interrupts->wrap_up(); }
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

Result<std::unique_ptr<KernelSession>> OpenSession(Shell& shell, const AgentRequest& request,
                                                   const std::vector<compute::Problem>& problems) {
  if (!request.chat.is_configured()) {
    return Error{Errc::kInvalidArgument,
                 "--llm: no language model is named; give --llm URL or set HONE_LLM"};
  }
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  agent::ChatSettings chat = request.chat;
  chat.stop = (*interrupts)->wrap_up();
  auto budget = OpenSessionBudget(shell, request, problems);
  if (!budget) return budget.error();
  chat.budget = *budget;
  auto model = agent::OpenChatModel(chat, shell.clock);
  if (!model) return model.error();
  return std::unique_ptr<KernelSession>(
      new KernelSession{shell, request, std::move(*interrupts), std::move(*budget),
                        std::move(*model), app::KernelJudge(shell.builtins, shell.clock)});
}

agent::KernelListener ToldOn(Shell& shell, const std::string& problem) {
  if (shell.is_quiet) return nullptr;
  return [&shell, problem](const KernelAttempt& attempt) {
    shell.console.err << fmt::format("{} round {} line {}: {} {}\n", problem, attempt.round + 1,
                                     attempt.line + 1, NameOf(attempt.verdict.outcome),
                                     SpeedupText(attempt.verdict.speedup));
  };
}

Result<KernelSearchResult> SearchOne(KernelSession& session, const compute::Problem& problem) {
  const AgentKernelRequest& kernel = session.request.kernel;
  const agent::KernelBrief brief = app::BriefOf(problem);
  auto log = OpenActionLog(session.shell, session.request.files, kKernels,
                           WhatIsSearched(session.request, problem, session.model->name()));
  if (!log) return log.error();
  return agent::SearchKernel(brief, kernel.search, *session.model,
                             app::JudgingOf(session.judge, problem, kernel.options), *log,
                             ToldOn(session.shell, problem.name), session.stop());
}

Json ProofJson(const KernelSearchResult& result, const std::optional<KernelProof>& proof) {
  Json json{{"attempts", Json::array()},
            {"notes", result.notes},
            {"is_cut_short", result.is_cut_short},
            {"winner", nullptr}};
  for (const KernelAttempt& one : result.attempts) json["attempts"].push_back(ToJson(one));
  if (!proof) return json;
  Json lineage = Json::array();
  for (const KernelAttempt& one : result.LineageOf(proof->winner)) lineage.push_back(one.number);
  json["winner"] = {{"number", proof->winner.number},
                    {"lineage", std::move(lineage)},
                    {"source", proof->winner.source},
                    {"searched", SpeedupJson(proof->winner.verdict.speedup)},
                    {"outcome", NameOf(proof->fresh.outcome)},
                    {"proven", SpeedupJson(proof->fresh.speedup)},
                    {"is_gain", proof->IsGain()}};
  return json;
}

std::string LineageText(const KernelSearchResult& result, const KernelAttempt& winner) {
  std::string text;
  for (const KernelAttempt& one : result.LineageOf(winner)) {
    text +=
        fmt::format("{}{} ({}{}{})", text.empty() ? "" : ", ", one.number,
                    NameOf(one.verdict.outcome), one.verdict.speedup ? " " : "",
                    one.verdict.speedup ? fmt::format("{:.3g}x", one.verdict.speedup->value) : "");
  }
  return text;
}

std::string ProofText(const std::string& problem, const KernelSearchResult& result,
                      const std::optional<KernelProof>& proof) {
  if (!proof) {
    return fmt::format("{}: none of {} attempts was accepted.\n", problem, result.attempts.size());
  }
  std::string text;
  if (proof->fresh.outcome != Outcome::kAccepted) {
    text = fmt::format("{}: the best of {} attempts was {} when it was judged again.\n", problem,
                       result.attempts.size(), NameOf(proof->fresh.outcome));
  } else if (proof->IsGain()) {
    text =
        fmt::format("{}: faster, {} on fresh runs.\n", problem, SpeedupText(proof->fresh.speedup));
  } else {
    text = fmt::format("{}: not shown to be faster: {} on fresh runs.\n", problem,
                       SpeedupText(proof->fresh.speedup));
  }
  text +=
      fmt::format("  attempt {} of {}; the search saw {}\n  lineage: {}\n", proof->winner.number,
                  result.attempts.size(), SpeedupText(proof->winner.verdict.speedup),
                  LineageText(result, proof->winner));
  return text;
}

std::string NotesText(const KernelSearchResult& result) {
  std::string text;
  for (const std::string& note : result.notes) text += fmt::format("  note: {}\n", note);
  if (result.is_cut_short) text += "  It was cut short; the same command goes on.\n";
  return text;
}

ExitCode ExitCodeOf(const KernelSearchResult& result, const std::optional<KernelProof>& proof) {
  if (proof && proof->IsGain()) return ExitCode::kYes;
  return result.is_cut_short ? ExitCode::kNotEnough : ExitCode::kNo;
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

Json ScoresJson(const agent::KernelScores& scores) {
  Json rounds = Json::array();
  for (const agent::RoundScores& round : scores.rounds) {
    Json fast = Json::array();
    for (const agent::FastShare& share : round.fast) {
      fast.push_back({{"p", share.threshold},
                      {"by_estimate", share.by_estimate},
                      {"by_lower_bound", share.by_lower_bound}});
    }
    rounds.push_back({{"round", round.round + 1}, {"accepted", round.accepted}, {"fast", fast}});
  }
  return {{"attempts", scores.attempts}, {"with_source", scores.with_source},
          {"built", scores.built},       {"accepted", scores.accepted},
          {"rounds", std::move(rounds)}, {"pass_at", scores.pass_at}};
}

std::string ScoresText(const agent::KernelScores& scores) {
  std::string text = fmt::format(
      "{} attempts: {:.0f} % with code, {:.0f} % build, {:.0f} % are right\n", scores.attempts,
      100 * scores.with_source, 100 * scores.built, 100 * scores.accepted);
  for (std::size_t k = 0; k < scores.pass_at.size(); ++k) {
    text += fmt::format("pass@{} {:.2f}  ", k + 1, scores.pass_at[k]);
  }
  text += "\nshare of lines that have, by the end of a round, (by the estimate / for sure)\n";
  for (const agent::RoundScores& round : scores.rounds) {
    text += fmt::format("  round {}: right {:.2f}", round.round + 1, round.accepted);
    for (const agent::FastShare& share : round.fast) {
      text += fmt::format("  fast@{:g} {:.2f} / {:.2f}", share.threshold, share.by_estimate,
                          share.by_lower_bound);
    }
    text += "\n";
  }
  return text;
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
  const auto result = SearchOne(**session, problems->front());
  if (!result) return result.error();
  const auto judging = app::JudgingOf((*session)->judge, problems->front(), request.kernel.options);
  const auto proof = agent::ProveBest(*result, judging, (*session)->stop());
  if (!proof) return proof.error();
  if (*proof && !request.files.output.empty()) {
    auto written = WriteAnswer(shell, request.files.output, (*proof)->winner.source);
    if (!written) return written.error();
  }
  if (shell.wants_json) {
    shell.console.out << Dump(ProofJson(*result, *proof)) << "\n";
  } else {
    shell.console.out << ProofText(name, *result, *proof) << NotesText(*result)
                      << fmt::format("  spent: {}\n", (*session)->budget->Describe());
  }
  return ExitCodeOf(*result, *proof);
}

Result<ExitCode> AgentBench(Shell& shell, const AgentRequest& request) {
  if (!request.files.log.empty() && request.operands.size() != 1) {
    return Error{Errc::kInvalidArgument, "--log: of several problems each has a log of its own"};
  }
  const auto problems = ProblemsOf(shell, request.operands);
  if (!problems) return problems.error();
  const auto session = OpenSession(shell, request, *problems);
  if (!session) return session.error();
  std::vector<std::vector<KernelAttempt>> attempts;
  std::string notes;
  for (const compute::Problem& problem : *problems) {
    const auto result = SearchOne(**session, problem);
    if (!result) return result.error();
    attempts.push_back(result->attempts);
    notes += NotesText(*result);
  }
  const agent::KernelScores scores = ScoresOf(attempts, {1, 1.2, 1.5, 2, 3});
  if (shell.wants_json) {
    shell.console.out << Dump(ScoresJson(scores)) << "\n";
  } else {
    shell.console.out << ScoresText(scores) << notes
                      << fmt::format("spent: {}\n", (*session)->budget->Describe());
  }
  return ExitCode::kYes;
}

}  // namespace hone::cli
