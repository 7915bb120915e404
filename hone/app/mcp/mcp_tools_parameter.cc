// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "hone/app/mcp/mcp_tools.h"
#include "hone/app/parameter_text.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/knowledge/tunable_range.h"

namespace hone::app {
namespace {

using agent::McpTool;
using agent::ToolAnswer;
using agent::ToolRun;
using sysctl::Knowledge;
using sysctl::ParameterFacts;

constexpr std::size_t kMaxParameters = 50;

Error UnknownParameter(const std::string& name) {
  const auto like = Knowledge::Builtin().Like(name);
  const std::string guess =
      like.empty() ? "" : fmt::format(" did you mean {}?", fmt::join(like, ", "));
  return {Errc::kNotFound, fmt::format("{}: nothing is known of such a parameter;{} "
                                       "list_parameters shows the known ones",
                                       name.substr(0, 200), guess)};
}

std::string PageOfParameter(const ParameterHere& here, const sysctl::MachineSizes& sizes) {
  const ParameterFacts& facts = *here.facts;
  std::string text = fmt::format("{}: {}\n", facts.name, facts.summary);
  const auto line = [&text](std::string_view title, const std::string& what) {
    if (!what.empty()) text += fmt::format("{}: {}\n", title, what);
  };
  line("caution", facts.caution);
  if (here.at.empty()) line("now", "not on this machine, or a pattern that needs a name");
  for (const auto& [path, value] : here.at) {
    line("now", fmt::format("{} is {}", path, ValueText(facts, value)));
  }
  line("does nothing here", fmt::format("{}", fmt::join(here.unmet, ", and ")));
  line("default", facts.kernel_default);
  line("worth searching", SearchText(facts, sizes));
  line("allowed", HardText(facts, sizes));
  line("risk", fmt::format("{}: {}", NameOf(facts.risk), MeaningOf(facts.risk)));
  line("scope", std::string(NameOf(facts.scope)));
  line("matters for", fmt::format("{}", fmt::join(facts.matters_for, ", ")));
  return text;
}

Result<ToolAnswer> ExplainParameter(const Json& arguments) {
  const auto name = arguments["name"].get<std::string>();
  const ParameterFacts* const facts = Knowledge::Builtin().Find(name);
  if (facts == nullptr) return UnknownParameter(name);
  const auto files = sysctl::MakeHostFiles();
  const sysctl::MachineSizes sizes = sysctl::ReadSizes(*files);
  ParameterHere here = LookAt(*files, *facts, name);
  if (here.at.size() > kMaxParameters) here.at.resize(kMaxParameters);
  return ToolAnswer{PageOfParameter(here, sizes), JsonOf(here, sizes), ""};
}

bool IsAskedFor(const ParameterFacts& facts, const Json& arguments) {
  const std::string word = arguments.value("for", "");
  const std::string part = arguments.value("contains", "");
  const auto& words = facts.matters_for;
  return (word.empty() || std::find(words.begin(), words.end(), word) != words.end()) &&
         (part.empty() || facts.name.find(part) != std::string::npos);
}

Result<ToolAnswer> ListParameters(const Json& arguments) {
  const std::size_t max = arguments.value("limit", kMaxParameters);
  Json list = Json::array();
  std::string text;
  std::size_t all = 0;
  for (const ParameterFacts& facts : Knowledge::Builtin().all()) {
    if (!IsAskedFor(facts, arguments) || ++all > max) continue;
    list.push_back(
        {{"name", facts.name}, {"summary", facts.summary}, {"risk", NameOf(facts.risk)}});
    text += fmt::format("{} ({}): {}\n", facts.name, NameOf(facts.risk), facts.summary);
  }
  if (all > list.size()) text += fmt::format("[{} more: ask for less]\n", all - list.size());
  return ToolAnswer{
      text.empty() ? "none\n" : text, {{"parameters", std::move(list)}, {"total", all}}, ""};
}

}  // namespace

std::vector<McpTool> McpParameterTools() {
  McpTool explain;
  explain.name = "explain_parameter";
  explain.title = "Explain a kernel parameter";
  explain.description =
      "What is known of a runtime parameter of Linux: what it does, its value on this machine, the "
      "range worth searching, what the kernel allows, its risks. Reads only.";
  explain.input_schema = SchemaOf(
      {{"name", TextSchema("vm.swappiness, or a path: /sys/block/sda/queue/scheduler.", 300)}},
      {"name"});
  explain.output_schema = {
      {"type", "object"},
      {"properties", {{"name", {{"type", "string"}}}, {"summary", {{"type", "string"}}}}},
      {"required", {"name", "summary", "risk"}}};
  explain.use = [](const Json& arguments, const ToolRun&) { return ExplainParameter(arguments); };

  McpTool list;
  list.name = "list_parameters";
  list.title = "List kernel parameters";
  list.description = "Runtime parameters of Linux of which something is known, one line each.";
  list.input_schema =
      SchemaOf({{"for", TextSchema("A kind of workload: network, memory, database, …", 50)},
                {"contains", TextSchema("Part of the name: tcp_.", 100)},
                {"limit", CountSchema("How many at most (50).", 1, 400)}},
               {});
  list.output_schema = {{"type", "object"},
                        {"properties", {{"parameters", {{"type", "array"}}}}},
                        {"required", {"parameters", "total"}}};
  list.use = [](const Json& arguments, const ToolRun&) { return ListParameters(arguments); };
  return {std::move(explain), std::move(list)};
}

}  // namespace hone::app
