// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "hone/agent/data/response_scores.h"
#include "hone/agent/rewards/reward_audit.h"
#include "hone/base/file.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/action.h"
#include "hone/core/nearest.h"

namespace hone::cli {
namespace {

constexpr std::size_t kMaxSetBytes = std::size_t{1} << 30;

struct RewardsRequest {
  std::string action;
  std::vector<std::string> files;
  agent::AuditSettings audit;
};

Result<ExitCode> AuditAction(Shell& shell, const RewardsRequest& request) {
  const auto audit = agent::AuditRewards(request.audit);
  if (!audit) return audit.error();
  const ExitCode code = audit->broken.empty() ? ExitCode::kYes : ExitCode::kNo;
  if (shell.wants_json) {
    shell.console.out << Dump(agent::ToJson(*audit)) << '\n';
    return code;
  }
  shell.console.out << agent::ToMarkdown(*audit);
  for (const std::string& what : audit->broken) shell.console.out << "broken: " << what << '\n';
  if (!shell.is_quiet) {
    shell.console.err << fmt::format(
        "{} questions of each kind, seed {}; docs/rewards.md says what this shows. {}\n",
        request.audit.questions, request.audit.seed,
        audit->broken.empty() ? "Every property of our rules holds." : "A property is broken.");
  }
  return code;
}

Result<ExitCode> ScoreAction(Shell& shell, const RewardsRequest& request) {
  if (request.files.size() != 2) {
    return Error{Errc::kInvalidArgument, "score: expected SET RESPONSES, two files"};
  }
  const auto set_text = ReadFile(request.files[0], kMaxSetBytes);
  if (!set_text) return set_text.error();
  const auto rows = agent::ParseQuestionSet(*set_text, request.files[0]);
  if (!rows) return rows.error();
  const auto response_text = ReadFile(request.files[1], kMaxSetBytes);
  if (!response_text) return response_text.error();
  const auto responses = agent::ParseResponses(*response_text, request.files[1]);
  if (!responses) return responses.error();
  const agent::ResponseScores scores = agent::ScoreResponses(*rows, *responses);
  if (shell.wants_json) {
    shell.console.out << Dump(agent::ToJson(scores)) << '\n';
  } else {
    for (const agent::ScoredResponse& scored : scores.scored) {
      shell.console.out << (scored.reward
                                ? fmt::format("{}  {:.4f}\n", scored.id, scored.reward->total)
                                : fmt::format("{}  -  {}\n", scored.id,
                                              scored.reward.error().message));
    }
    if (!shell.is_quiet) {
      shell.console.err << fmt::format("{} of {} responses have a reward, {:.4f} on average\n",
                                       scores.rewarded, scores.scored.size(), scores.mean);
    }
  }
  return scores.rewarded == scores.scored.size() ? ExitCode::kYes : ExitCode::kNo;
}

constexpr Action<RewardsRequest> kRewardsActions[] = {
    {"audit", "audit",
     "Every rule against perfect, random and degenerate policies, beside OS-R1's; exit status 1 if "
     "one of ours breaks a property.",
     AuditAction},
    {"score", "score SET RESPONSES",
     "What responses to a question set are worth; exit status 1 if some have no reward.",
     ScoreAction}};

Result<ExitCode> RunRewardsAction(Shell& shell, const RewardsRequest& request) {
  for (const auto& action : kRewardsActions) {
    if (request.action == action.name) return action.run(shell, request);
  }
  return Error{Errc::kInvalidArgument,
               NoSuch("action", request.action, ActionNames(kRewardsActions))};
}

}  // namespace

Verb MakeRewardsVerb() {
  const auto request = std::make_shared<RewardsRequest>();
  Verb verb;
  verb.name = "rewards";
  verb.summary = "tries the reward rules of language models, and scores responses by them";
  verb.description =
      "The rules by which answers about build options, kernels and measured changes are\n"
      "rewarded. A reward that cannot be computed is an error, never 0. docs/rewards.md\n"
      "\n"
      "SET is a question set of `hone data`; RESPONSES has a JSON object on each line:\n"
      "{\"id\": \"q0123…\", \"response\": \"<answer>…</answer>\"}.";
  verb.flags = {{.names = "ACTION",
                 .value = "",
                 .help = "audit or score.",
                 .set = Store(request->action),
                 .is_required = true,
                 .completes = Completes::kChoices,
                 .choices = ActionNames(kRewardsActions)},
                {.names = "FILE",
                 .value = "",
                 .help = "score: the question set and the responses.",
                 .set = Append(request->files),
                 .is_repeatable = true,
                 .completes = Completes::kFile},
                {.names = "--questions",
                 .value = "COUNT",
                 .help = "audit: how many of each kind; 100 if not given.",
                 .set = StoreCount("--questions", request->audit.questions, 1, 10'000)},
                {.names = "--seed",
                 .value = "NUMBER",
                 .help = "audit: of the questions; 1 if not given.",
                 .set = StoreParsed("--seed", ParseSeed, request->audit.seed)}};
  verb.examples = {{"hone rewards audit", "The table of docs/rewards.md."},
                   {"hone rewards audit --json --seed 7", "The same of other questions, as JSON."},
                   {"hone rewards score set.jsonl responses.jsonl", "A reward for each response."}};
  verb.run = [request](Shell& shell) { return RunRewardsAction(shell, *request); };
  verb.more_help = [] { return "\nActions:\n" + TwoColumns(ActionRows(kRewardsActions)); };
  return verb;
}

}  // namespace hone::cli
