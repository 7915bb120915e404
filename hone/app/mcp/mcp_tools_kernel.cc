// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <optional>
#include <utility>

#include "hone/agent/chat/plain_text.h"
#include "hone/app/kernel/kernel_facts.h"
#include "hone/app/mcp/mcp_tools.h"
#include "hone/base/fresh_number.h"
#include "hone/domains/compute/compute_options.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/compute/task_for_kernel.h"

namespace hone::app {
namespace {

using agent::McpTool;
using agent::QuotedText;
using agent::ToolAnswer;
using agent::ToolRun;

constexpr std::size_t kMaxKernelBytes = 1 << 20;

Json NumberOrNull(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

std::string NameOf(const compute::JudgeTerms& terms) {
  return terms.problem.empty() ? "the given problem" : terms.problem;
}

// By name a problem is judged as it says, unless the user of this server leaves that to who asks.
Result<void> CheckDeviations(const McpToolShop& shop, const compute::JudgeTerms& terms) {
  if (shop.settings.allows_deviations || terms.deviations.empty()) return {};
  return Error{
      Errc::kInvalidArgument,
      fmt::format("problem {}: {}: a problem by name is judged as it says; leave that out, "
                  "or send a problem_text of your own (the server's user can allow it: "
                  "hone mcp --allow-deviations)",
                  terms.problem, fmt::join(terms.deviations, "; "))};
}

// What the verdict is worth to whoever did not see the call.
std::string TermsLine(const compute::JudgeTerms& terms) {
  if (terms.problem.empty()) {
    return fmt::format("the problem was the caller's own (SHA-256 {})\n", terms.digest);
  }
  if (terms.deviations.empty()) return "";
  return fmt::format("not the standard verdict; deviations: {}\n",
                     fmt::join(terms.deviations, "; "));
}

Result<ToolAnswer> KernelAnswer(const Json& task, const compute::JudgeTerms& terms) {
  const auto facts = KernelFactsOf(task);
  if (!facts) return facts.error();
  const std::string outcome(NameOf(facts->outcome));
  const std::string problem = NameOf(terms);
  const bool has_interval = facts->speedup_low && facts->speedup_high;
  Json json{{"problem", problem},
            {"outcome", outcome},
            {"reason", agent::CutText(facts->reason, 1000)},
            {"is_own_problem", terms.problem.empty()},
            {"problem_digest", terms.digest},
            {"deviations", terms.deviations},
            {"speedup", NumberOrNull(facts->speedup)},
            {"speedup_interval",
             has_interval ? Json::array({*facts->speedup_low, *facts->speedup_high}) : Json()},
            {"time_ms", NumberOrNull(facts->time_ms)},
            {"reference_ms", NumberOrNull(facts->reference_ms)}};
  const std::string text = fmt::format("{}: {}\n{}{}", problem, outcome, TermsLine(terms),
                                       QuotedText("feedback", facts->feedback));
  return ToolAnswer{text, std::move(json),
                    task.dump(2, ' ', false, Json::error_handler_t::replace)};
}

Result<ToolAnswer> JudgeKernel(McpToolShop& shop, const Json& arguments, const ToolRun& run) {
  compute::SourceOrder order;
  order.source = arguments["source"];
  if (arguments.contains("problem") == arguments.contains("problem_text")) {
    return Error{Errc::kInvalidArgument, "give either problem or problem_text"};
  }
  const Json options = arguments.value("options", Json::object());
  for (const auto& [option, value] : options.items()) {
    order.options[option] = value.get<std::string>();
  }
  for (const char* const key : {"problem", "problem_text"}) {
    if (arguments.contains(key)) order.options[key] = arguments[key].get<std::string>();
  }
  order.seed = FreshNumber();
  if (arguments.contains("seed")) {
    order.seed = arguments["seed"].get<std::uint64_t>();
    order.options["inputs"] = "seeded";
  }
  order.run_timeout = std::chrono::seconds(arguments.value("timeout_s", 60));
  auto task = compute::TaskForSource(std::move(order));
  if (!task) return task.error();
  const auto read = compute::ReadComputeOptions(task->options);
  if (!read) return read.error();
  if (auto said = CheckDeviations(shop, read->terms); !said) return said.error();
  run.tell(fmt::format("judging a kernel for {}", NameOf(read->terms)));
  const auto judged = shop.judge.Judge(std::move(*task), run.wrap_up);
  if (!judged) return judged.error();
  return KernelAnswer(*judged, read->terms);
}

Json OutcomeSchema() {
  const Json number{{"type", {"number", "null"}}};
  return {
      {"type", "object"},
      {"properties",
       {{"problem", {{"type", "string"}}},
        {"outcome",
         {{"type", "string"},
          {"enum",
           {"accepted", "rejected", "build_failed", "crashed", "timed_out", "wrong", "cheated"}}}},
        {"reason", {{"type", "string"}}},
        {"is_own_problem", {{"type", "boolean"}}},
        {"problem_digest", {{"type", "string"}}},
        {"deviations", {{"type", "array"}, {"items", {{"type", "string"}}}}},
        {"speedup", number},
        {"speedup_interval", {{"type", {"array", "null"}}}},
        {"time_ms", number},
        {"reference_ms", number}}},
      {"required",
       {"problem", "outcome", "reason", "is_own_problem", "problem_digest", "deviations"}}};
}

McpTool JudgeKernelTool(const McpToolShopPtr& shop) {
  McpTool tool;
  tool.name = "judge_kernel";
  tool.title = "Judge a compute kernel";
  tool.description =
      "Compiles a kernel's source, runs it in a sandbox against the problem's reference, checks "
      "every result and times both in turn. Says the outcome (accepted, build_failed, wrong, "
      "crashed, timed_out, rejected, cheated), the speedup with its 95 % interval, and the first "
      "error. A problem by name is judged as it says: what would make it easier (fewer trials, "
      "another policy, a known seed) is refused, or named in deviations where the server's user "
      "allowed it. A kernel that fails is an ordinary answer. Changes nothing on this machine.";
  tool.input_schema = SchemaOf(
      {{"source", TextSchema("The whole source text.", kMaxKernelBytes)},
       {"problem", TextSchema("What it is to compute: a name of list_problems.", 200)},
       {"problem_text",
        TextSchema("Instead of problem: an own problem as a JSON document with its reference.",
                   kMaxKernelBytes)},
       {"options",
        {{"type", "object"},
         {"additionalProperties", {{"type", "string"}, {"maxLength", 200}}},
         {"description",
          "Settings of the domain compute, such as {\"samples\": \"1000\"}; with problem only "
          "those "
          "that make it stricter."}}},
       {"timeout_s", CountSchema("For running it (60).", 1, 600)},
       {"seed", CountSchema("Of the inputs of the trials, with problem_text; without it nobody can "
                            "know them. Those of timed calls nobody knows in any case.",
                            0, std::int64_t{1} << 53U)}},
      {"source"});
  tool.output_schema = OutcomeSchema();
  tool.is_long = true;
  tool.use = [shop](const Json& arguments, const ToolRun& run) {
    return JudgeKernel(*shop, arguments, run);
  };
  return tool;
}

Result<ToolAnswer> ListProblems(const Json& arguments) {
  Json problems = Json::array();
  std::string text;
  for (const std::string& name : compute::ProblemNames(arguments.value("backend", ""))) {
    const auto problem = compute::FindProblem(name);
    if (!problem) return problem.error();
    problems.push_back(
        {{"name", name}, {"summary", problem->summary}, {"backend", problem->backend}});
    text += fmt::format("{} ({}): {}\n", name, problem->backend, problem->summary);
  }
  return ToolAnswer{text.empty() ? "none\n" : text, {{"problems", std::move(problems)}}, ""};
}

Result<ToolAnswer> GetProblem(const Json& arguments) {
  const auto problem = compute::FindProblem(arguments["name"].get<std::string>());
  if (!problem) return problem.error();
  std::vector<std::string> shapes;
  for (const compute::Sizes& sizes : problem->shapes) shapes.push_back(compute::TextOfSizes(sizes));
  const compute::Policy& policy = problem->policy;
  const std::string signature =
      problem->backend == "torch" ? "class ModelNew(nn.Module)" : SignatureOf(*problem);
  Json facts{{"name", problem->name},
             {"summary", problem->summary},
             {"backend", problem->backend},
             {"language", problem->language},
             {"entry_point", problem->entry_point},
             {"signature", signature},
             {"reference", problem->reference},
             {"shapes", shapes},
             {"threads", policy.threads},
             {"libraries", policy.libraries}};
  std::string text = fmt::format(
      "{}: {}\nbackend: {}; entry point: {}\nsignature: {}\nshapes (the first is timed): {}\n"
      "threads: {}; libraries that do the work: {}\n\nreference (\"scalar\" in it is the floating "
      "type of the signature):\n{}\n",
      problem->name, problem->summary, problem->backend, problem->entry_point, signature,
      fmt::join(shapes, "; "), policy.threads, policy.libraries ? "allowed" : "not allowed",
      problem->reference);
  return ToolAnswer{std::move(text), std::move(facts), ""};
}

}  // namespace

std::vector<McpTool> McpKernelTools(const McpToolShopPtr& shop) {
  McpTool list;
  list.name = "list_problems";
  list.title = "List the compute problems";
  list.description = "The problems that judge_kernel knows, with one sentence each.";
  list.input_schema = SchemaOf({{"backend",
                                 {{"type", "string"},
                                  {"enum", {"cpp", "cuda", "torch"}},
                                  {"description", "Only those of this backend."}}}},
                               {});
  list.output_schema = {{"type", "object"},
                        {"properties", {{"problems", {{"type", "array"}}}}},
                        {"required", {"problems"}}};
  list.use = [](const Json& arguments, const ToolRun&) { return ListProblems(arguments); };

  McpTool get;
  get.name = "get_problem";
  get.title = "Get a compute problem";
  get.description =
      "What a kernel for this problem must look like: the signature of its entry point, the "
      "reference's source, the shapes, and what it may do.";
  get.input_schema = SchemaOf({{"name", TextSchema("A name of list_problems.", 200)}}, {"name"});
  get.output_schema = {
      {"type", "object"},
      {"properties", {{"name", {{"type", "string"}}}, {"signature", {{"type", "string"}}}}},
      {"required", {"name", "signature", "reference"}}};
  get.use = [](const Json& arguments, const ToolRun&) { return GetProblem(arguments); };
  return {std::move(list), std::move(get), JudgeKernelTool(shop)};
}

}  // namespace hone::app
