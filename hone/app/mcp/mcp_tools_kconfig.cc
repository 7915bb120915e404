// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "hone/agent/chat/plain_text.h"
#include "hone/app/kconfig/kconfig_answers.h"
#include "hone/app/kconfig/kconfig_source.h"
#include "hone/app/mcp/mcp_tools.h"
#include "hone/kconfig/reason/explain.h"
#include "hone/kconfig/reason/reason_json.h"
#include "hone/kconfig/reason/reason_text.h"
#include "hone/kconfig/reason/search.h"

namespace hone::app {
namespace {

using agent::McpTool;
using agent::QuotedText;
using agent::ToolAnswer;
using agent::ToolRun;

constexpr std::size_t kMaxRules = 20;
constexpr std::size_t kMaxEffects = 60;
constexpr std::size_t kMaxSymbols = 10;
constexpr std::size_t kMaxAnswerLines = 80;
constexpr std::size_t kMaxAnswerBytes = 8 << 10;

// What a model names is not trusted: the tree reads its own folder and nothing else, and its
// commands run in their jail.
Result<Ground> OpenGround(const McpToolShop& shop, const Json& arguments) {
  KconfigSource source;
  auto tree = shop.Readable(arguments["tree"].get<std::string>());
  if (!tree) return tree.error();
  source.tree = std::move(*tree);
  source.arch = arguments.value("arch", "");
  if (arguments.contains("config")) {
    auto config = shop.Readable(arguments["config"].get<std::string>());
    if (!config) return config.error();
    source.config = std::move(*config);
  }
  const auto opened = OpenKconfigTree(source);
  if (!opened) return opened.error();
  std::vector<std::string> warnings;
  auto configuration = StartConfiguration(source, *opened, warnings);
  if (!configuration) return configuration.error();
  return Ground{std::make_shared<const kconfig::TreeIndex>(opened->tree),
                std::move(*configuration)};
}

// A list that may be long: its beginning, and how long it is.
void Shorten(Json& object, const std::string& member, std::size_t max) {
  if (!object.contains(member) || !object[member].is_array()) return;
  const std::size_t all = object[member].size();
  object[member] = FirstItems(object[member], max);
  object[member + "_total"] = all;
}

Result<ToolAnswer> ExplainSymbols(const McpToolShop& shop, const Json& arguments) {
  const auto ground = OpenGround(shop, arguments);
  if (!ground) return ground.error();
  Json answers = Json::array();
  std::string text;
  for (const Json& item : arguments["symbols"]) {
    const auto name = item.get<std::string>();
    if (name.find('=') != std::string::npos) {
      const auto wish = kconfig::ParseWish(ground->tree(), name);
      if (!wish) return wish.error();
      const auto answer = WhyNot(*ground->index, ground->configuration, wish->symbol, wish->value);
      Json facts = ToJson(ground->tree(), answer);
      Shorten(facts, "blockers", kMaxRules);
      answers.push_back(std::move(facts));
      text += ToText(ground->tree(), answer);
      continue;
    }
    const auto id = FindSymbol(ground->tree(), name);
    if (!id) return id.error();
    Json facts = ExplainJson(*ground, *id);
    for (const char* const member : {"selected_by", "implied_by", "dependents"}) {
      Shorten(facts, member, kMaxRules);
    }
    answers.push_back(std::move(facts));
    text += ExplainText(*ground, *id);
  }
  return ToolAnswer{QuotedText("explanation", text, kMaxAnswerLines, kMaxAnswerBytes),
                    {{"answers", std::move(answers)}},
                    ""};
}

Result<kconfig::SolveRequest> WantedOf(const Ground& ground, const Json& arguments) {
  kconfig::SolveRequest wanted;
  for (const Json& item : arguments["wishes"]) {
    auto wish = kconfig::ParseWish(ground.tree(), item.get<std::string>());
    if (!wish) return wish.error();
    wanted.wishes.push_back(std::move(*wish));
  }
  for (const Json& item : arguments.value("keep", Json::array())) {
    const auto id = FindSymbol(ground.tree(), item.get<std::string>());
    if (!id) return id.error();
    wanted.kept.push_back(*id);
  }
  wanted.alternatives = arguments.value("alternatives", std::size_t{1});
  return wanted;
}

Result<ToolAnswer> SolveWishes(const McpToolShop& shop, const Json& arguments) {
  const auto ground = OpenGround(shop, arguments);
  if (!ground) return ground.error();
  const auto wanted = WantedOf(*ground, arguments);
  if (!wanted) return wanted.error();
  const kconfig::Solver solver(ground->index);
  const auto answer = solver.Solve(ground->configuration, *wanted);
  if (!answer) return answer.error();
  const auto move = FamilyMoveOf(*ground, solver, *wanted, *answer);
  if (!move) return move.error();
  Json facts = SolveJson(*ground, *answer, *move);
  if (facts.contains("solutions")) {
    for (Json& solution : facts["solutions"]) Shorten(solution, "effects", kMaxEffects);
  }
  if (facts.contains("nearest_in_family")) {
    Shorten(facts["nearest_in_family"], "effects", kMaxEffects);
  }
  facts["is_possible"] = !answer->solutions.empty();
  const std::string headline = answer->solutions.empty()
                                   ? "There is no way; these contradict each other.\n"
                                   : "There is a way.\n";
  return ToolAnswer{headline + QuotedText("answer", SolveText(*ground, *answer, *move),
                                          kMaxAnswerLines, kMaxAnswerBytes),
                    std::move(facts), ""};
}

Result<ToolAnswer> SearchSymbols(const McpToolShop& shop, const Json& arguments) {
  const auto ground = OpenGround(shop, arguments);
  if (!ground) return ground.error();
  auto options = kconfig::OptionIndex::Make(ground->index);
  if (!options) return options.error();
  const auto hits = options->Search(ground->configuration, arguments["words"].get<std::string>(),
                                    arguments.value("limit", kMaxSymbols));
  if (!hits) return hits.error();
  Json list = Json::array();
  std::string text;
  for (const kconfig::SearchHit& hit : *hits) {
    list.push_back(ToJson(ground->tree(), hit));
    text += ToText(ground->tree(), hit, hits->size() == 1);
  }
  return ToolAnswer{text.empty() ? "no symbol has these words\n"
                                 : QuotedText("symbols", text, kMaxAnswerLines, kMaxAnswerBytes),
                    {{"symbols", std::move(list)}},
                    ""};
}

// A tool about a tree; `properties` are its own.
McpTool TreeTool(std::string name, std::string title, std::string description, Json properties,
                 std::string required) {
  McpTool tool;
  tool.name = std::move(name);
  tool.title = std::move(title);
  tool.description = std::move(description);
  properties["tree"] = TextSchema("A folder with a Kconfig tree, such as a Linux source tree.");
  properties["arch"] = TextSchema("Of a Linux tree: x86, arm64, … (this machine's).", 50);
  properties["config"] = TextSchema("The .config to begin with; else all defaults.");
  tool.input_schema = SchemaOf(std::move(properties), {"tree", std::move(required)});
  return tool;
}

}  // namespace

std::vector<McpTool> McpKconfigTools(const McpToolShopPtr& shop) {
  McpTool explain = TreeTool(
      "kconfig_explain", "Explain build options",
      "NAME: why a Kconfig symbol has its value, who selects it, what depends on it. NAME=VALUE: "
      "whether it can be set so now, and what is in the way. Nothing is written.",
      {{"symbols", ListSchema("NAME or NAME=VALUE, each.", kMaxSymbols)}}, "symbols");
  explain.output_schema = {{"type", "object"},
                           {"properties", {{"answers", {{"type", "array"}}}}},
                           {"required", {"answers"}}};
  explain.use = [shop](const Json& arguments, const ToolRun&) {
    return ExplainSymbols(*shop, arguments);
  };
  McpTool solve = TreeTool(
      "kconfig_solve", "Solve for build options",
      "The smallest change of a kernel's configuration that gives symbols the wanted values, as a "
      "difference of .config files, or a proof that there is none. Nothing is written.",
      {{"wishes", ListSchema("NAME=VALUE, each.", 50)},
       {"keep", ListSchema("Symbols whose values must not change.", 50)},
       {"alternatives", CountSchema("How many answers at most (1).", 1, 10)}},
      "wishes");
  solve.output_schema = {{"type", "object"},
                         {"properties", {{"is_possible", {{"type", "boolean"}}}}},
                         {"required", {"is_possible"}}};
  solve.use = [shop](const Json& arguments, const ToolRun&) {
    return SolveWishes(*shop, arguments);
  };
  McpTool search = TreeTool("kconfig_search", "Search for build options",
                            "Kconfig symbols by name, prompt and help text.",
                            {{"words", TextSchema("A name or words.", 200)},
                             {"limit", CountSchema("How many at most (10).", 1, 50)}},
                            "words");
  search.output_schema = {{"type", "object"},
                          {"properties", {{"symbols", {{"type", "array"}}}}},
                          {"required", {"symbols"}}};
  search.use = [shop](const Json& arguments, const ToolRun&) {
    return SearchSymbols(*shop, arguments);
  };
  return {std::move(explain), std::move(solve), std::move(search)};
}

}  // namespace hone::app
