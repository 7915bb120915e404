// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <utility>

#include "hone/app/kernel/kernel_judge.h"
#include "hone/app/kernel/problem_import.h"
#include "hone/app/service/service_parts.h"
#include "hone/app/store_path.h"
#include "hone/base/fresh_number.h"
#include "hone/base/http/http_client.h"
#include "hone/base/json/parse_values.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/text/eval_report.h"
#include "hone/cli/verbs.h"
#include "hone/domains/compute/task_for_kernel.h"
#include "hone/server/http/tokens.h"

namespace hone::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kPoll{30'000};   // Of one long poll.
constexpr milliseconds kGrace{30'000};  // For its reply.

struct EvalArguments {
  compute::KernelOrder order;
  std::string server;
  std::string token_file;
};

// From the file, $HONE_TOKEN, the address, or the file of a server of this store.
Result<std::string> TokenFor(const Shell& shell, const EvalArguments& arguments,
                             const HttpUrl& url) {
  if (!url.password.empty()) return url.password;
  if (const std::string token = app::FromEnvironment("HONE_TOKEN"); !token.empty()) return token;
  const std::filesystem::path own = app::ServicePath(shell.store, "tokens");
  const bool is_given = !arguments.token_file.empty();
  if (!is_given && !std::filesystem::exists(own)) return std::string();
  const auto book =
      server::TokenBook::Load(is_given ? std::filesystem::path(arguments.token_file) : own);
  if (!book) return book.error();
  for (const server::TokenRole role : {server::TokenRole::kSubmit, server::TokenRole::kAdmin}) {
    if (const auto token = book->TokenOf(role)) return *token;
  }
  return std::string();
}

Result<Json> BodyOf(const HttpReply& reply) {
  auto json = ParseJson(reply.body, "the server's reply", {.bytes = reply.body.size()});
  if (reply.status == 200 || reply.status == 202) return json;
  const bool has_message = json && json->contains("error") && (*json)["error"].contains("message");
  return Error{reply.status >= 500 ? Errc::kUnavailable : Errc::kInvalidArgument,
               fmt::format("the server answers {}: {}", reply.status,
                           has_message ? (*json)["error"]["message"].get<std::string>()
                                       : reply.body.substr(0, 200))};
}

Json SubmissionOf(const Task& task) {
  Json json{{"domain", task.domain},
            {"options", task.options},
            {"candidate", {{"source", task.candidate.source}}},
            {"seed", task.seed},
            {"run_limit_ms", task.run_timeout.count()}};
  return json;
}

// Submits, then waits in long polls: a connection that breaks loses nothing.
Result<Json> Remotely(const Shell& shell, const EvalArguments& arguments, const Task& task) {
  auto url = ParseHttpUrl(arguments.server);
  if (!url) return url.error();
  const auto token = TokenFor(shell, arguments, *url);
  if (!token) return token.error();
  HttpCall call;
  call.url = *url;
  call.method = "POST";
  call.target =
      fmt::format("/v1/tasks?wait_s={}", std::chrono::duration_cast<seconds>(kPoll).count());
  if (!token->empty()) call.headers = {{"authorization", "Bearer " + *token}};
  call.body = Dump(SubmissionOf(task));
  call.limits.total = kPoll + kGrace;
  auto reply = CallHttp(call);
  if (!reply) return reply.error();
  auto json = BodyOf(*reply);
  while (json && (*json)["state"] != "settled") {
    if (json->contains("why_waiting") && !shell.is_quiet) {
      shell.console.err << fmt::format("hone eval: {}\n",
                                       (*json)["why_waiting"].get<std::string>());
    }
    call.method = "GET";
    call.body.clear();
    call.target = fmt::format("/v1/tasks/{}/wait", (*json)["id"].get<std::string>());
    reply = CallHttp(call);
    if (!reply) return reply.error();
    json = BodyOf(*reply);
  }
  return json;
}

// The same path without a server, with one worker.
Result<Json> Locally(const Shell& shell, Task task) {
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  app::KernelJudge judge(shell.builtins, shell.clock, 1);
  return judge.Judge(std::move(task), (*interrupts)->wrap_up());
}

// What was found when the problem was screened. Of a kernel that it accepts, the judge says it too.
void WarnIfMarked(const Shell& shell, const std::string& folder) {
  const auto screening = app::FindScreening(folder);
  if (!screening || screening->accepts.empty() || shell.is_quiet) return;
  shell.console.err << fmt::format(
      "hone eval: this problem {} as an answer, so that being accepted proves little\n",
      app::TextOf(*screening));
}

Result<ExitCode> Eval(Shell& shell, EvalArguments& arguments) {
  if (arguments.order.seed == 0) {
    arguments.order.seed = FreshNumber();
  } else {
    arguments.order.options["inputs"] = "seeded";
  }
  arguments.order.problem = app::PlaceOfProblem(shell.store, arguments.order.problem);
  WarnIfMarked(shell, arguments.order.problem);
  auto task = compute::TaskForKernel(arguments.order);
  if (!task) return task.error();
  const auto json = arguments.server.empty() ? Locally(shell, std::move(*task))
                                             : Remotely(shell, arguments, *task);
  if (!json) return json.error();
  if (shell.wants_json) {
    shell.console.out << Dump(*json) << '\n';
  } else {
    shell.console.out << EvalReport(*json, shell.console.out_ink);
  }
  return (*json)["outcome"] == "accepted" ? ExitCode::kYes : ExitCode::kNo;
}

std::vector<Flag> EvalFlags(EvalArguments& arguments) {
  return {{.names = "FILE",
           .value = "",
           .help = "The kernel's source.",
           .set = [&](const std::string& text) -> Result<void> {
             arguments.order.file = text;
             return {};
           },
           .is_required = true,
           .completes = Completes::kFile},
          {.names = "--problem",
           .value = "NAME|DIR",
           .help = "What it is to compute: a name of `hone problems list`, or a problem's folder.",
           .set = Store(arguments.order.problem),
           .is_required = true},
          {.names = "-o,--option",
           .value = "NAME=VALUE",
           .help = "A setting of the domain compute, such as samples=1000.",
           .set = StoreSetting("--option", arguments.order.options),
           .is_repeatable = true},
          {.names = "--limit",
           .value = "TIME",
           .help = "For running it (60s).",
           .set = StoreParsed("--limit", ParseDuration, arguments.order.run_timeout)},
          {.names = "--seed",
           .value = "N",
           .help = "Of the inputs of the trials, to look at a fault again; without it nobody can "
                   "know them.",
           .set = StoreParsed("--seed", ParseSeed, arguments.order.seed)},
          {.names = "--server",
           .value = "URL",
           .help = "Let this hone serve judge it: http://host:10907.",
           .set = Store(arguments.server)},
          {.names = "--token-file",
           .value = "FILE",
           .help = "The server's tokens; else $HONE_TOKEN, else those of this store's server.",
           .set = Store(arguments.token_file),
           .completes = Completes::kFile}};
}

}  // namespace

Verb MakeEvalVerb() {
  const auto arguments = std::make_shared<EvalArguments>();
  Verb verb;
  verb.name = "eval";
  verb.summary = "judges one kernel: is it right, and how fast";
  verb.description =
      "Builds the kernel, runs it in a sandbox against the problem's reference, checks every\n"
      "result, times both in turn, and says what came out: the outcome and why, the\n"
      "compiler's message, the first element that differs, the speedup with its interval.\n"
      "\n"
      "Without --server everything happens here. Exit status 0: accepted; 1: it was not.";
  verb.flags = EvalFlags(*arguments);
  verb.examples = {
      {"hone eval saxpy.cc --problem saxpy", "Is it right, and is it faster?"},
      {"hone eval k.cc --problem saxpy --server http://gpu7:10907 --json | jq .outcome",
       "The same, by a server, for a program."}};
  verb.run = [arguments](Shell& shell) { return Eval(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli
