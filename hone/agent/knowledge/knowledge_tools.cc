// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/knowledge_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "hone/agent/chat/plain_text.h"
#include "hone/agent/knowledge/knowledge_answers.h"
#include "hone/agent/knowledge/knowledge_search.h"
#include "hone/kconfig/reason/explain.h"
#include "hone/kconfig/reason/reason_text.h"
#include "hone/kconfig/reason/solve.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxArgument = 2'000;
constexpr std::int64_t kMaxHits = 20;
constexpr std::int64_t kUsualHits = 5;

// One lock for all: a base is for one thread at a time.
struct SharedSources {
  std::mutex mutex;
  KnowledgeSources sources;
};
using Sources = std::shared_ptr<SharedSources>;

// A text among the arguments, or the sentence that says what is wrong with them.
struct Argument {
  std::string text;
  std::string fault;
};

Argument TextArgument(const Json& arguments, const char* name, const char* example) {
  const std::string expected =
      fmt::format("Expected an object with the text \"{}\", for example {}.", name, example);
  if (!arguments.is_object()) return {"", expected};
  const auto found = arguments.find(name);
  if (found == arguments.end() || !found->is_string()) return {"", expected};
  std::string text = found->get<std::string>();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return {"", fmt::format("\"{}\" is empty. {}", name, expected)};
  }
  if (text.size() > kMaxArgument) {
    return {"", fmt::format("\"{}\" is longer than {} bytes. {}", name, kMaxArgument, expected)};
  }
  return {std::move(text), ""};
}

std::size_t CountArgument(const Json& arguments) {
  const auto found = arguments.find("max");
  if (found == arguments.end() || !found->is_number_integer()) return kUsualHits;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(found->get<std::int64_t>(), 1, kMaxHits));
}

std::string Bounded(const std::string& text) { return CutText(text, kMaxToolAnswer); }

Json ObjectSchema(Json properties, Json required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json TextSchema(const char* description) {
  return {{"type", "string"}, {"description", description}, {"maxLength", kMaxArgument}};
}

Tool SearchTool(const Sources& shared) {
  Tool tool;
  tool.description = {
      "search_knowledge",
      "Searches what is known about tuning Linux: build options with their help, runtime "
      "parameters, the kernel's documentation, and what campaigns on this machine measured. Takes "
      "a question in plain words or a name; each passage comes with its source.",
      ObjectSchema({{"question", TextSchema("Plain words, or a name such as vm.swappiness.")},
                    {"max",
                     {{"type", "integer"},
                      {"minimum", 1},
                      {"maximum", kMaxHits},
                      {"description", "How many passages; 5 if not given."}}}},
                   {"question"})};
  tool.use = [shared](const Json& arguments) -> Result<std::string> {
    const Argument question =
        TextArgument(arguments, "question", R"({"question": "why do huge pages get split"})");
    if (!question.fault.empty()) return question.fault;
    const std::lock_guard lock(shared->mutex);
    SearchOptions options;
    options.max = CountArgument(arguments);
    const auto base = shared->sources.base();
    if (!base) return base.error();
    const auto hits = SearchKnowledge(**base, question.text, options);
    if (!hits) return hits.error();
    return Bounded(ToText(*hits, question.text));
  };
  return tool;
}

Tool ExplainTool(const Sources& shared) {
  Tool tool;
  tool.description = {
      "explain_option",
      "Everything that is known of one build option or runtime parameter: meaning, range, "
      "dependencies, default, risk, the kernel's own words, and what was measured here.",
      ObjectSchema({{"name", TextSchema("NO_HZ_FULL, CONFIG_KSM, vm.swappiness, tcp_rmem, …")}},
                   {"name"})};
  tool.use = [shared](const Json& arguments) -> Result<std::string> {
    const Argument name = TextArgument(arguments, "name", R"({"name": "vm.swappiness"})");
    if (!name.fault.empty()) return name.fault;
    const std::lock_guard lock(shared->mutex);
    const auto base = shared->sources.base();
    if (!base) return base.error();
    const auto effects = shared->sources.effects();
    if (!effects) return effects.error();
    const auto& known = shared->sources.known_name;
    const auto answer = ExplainName(**base, *effects, known ? known(name.text) : name.text);
    if (!answer) return answer.error();
    return Bounded(ToText(*answer));
  };
  return tool;
}

std::string WhatBlocks(const OptionGround& ground, const std::string& setting) {
  const kconfig::Tree& tree = ground.index->tree();
  const auto wish = kconfig::ParseWish(tree, setting);
  if (!wish) return CleanText(wish.error().message, 1'000) + "\n";
  const auto answer =
      kconfig::WhyNot(*ground.index, ground.configuration, wish->symbol, wish->value);
  return CleanText(kconfig::ToText(tree, answer));
}

Tool BlocksTool(const Sources& shared) {
  Tool tool;
  tool.description = {
      "what_blocks",
      fmt::format("Says whether a build option can be set to a value {}, and if not, which "
                  "dependencies keep it from that, with the file and line of each.",
                  shared->sources.values),
      ObjectSchema({{"setting", TextSchema("NAME=VALUE, for example NO_HZ_FULL=y.")}},
                   {"setting"})};
  tool.use = [shared](const Json& arguments) -> Result<std::string> {
    const Argument setting = TextArgument(arguments, "setting", R"({"setting": "NO_HZ_FULL=y"})");
    if (!setting.fault.empty()) return setting.fault;
    const std::lock_guard lock(shared->mutex);
    const auto ground = shared->sources.options();
    if (!ground) return ground.error();
    return Bounded(WhatBlocks(**ground, BareName(setting.text)));
  };
  return tool;
}

Tool EffectsTool(const Sources& shared) {
  Tool tool;
  tool.description = {
      "measured_effects",
      "What changes of parameters or options were worth in campaigns on this machine, with "
      "confidence intervals, the campaign and its day: of one name, or of all. A proof and an "
      "ablation were measured on fresh runs; the best trials of a search look better than they "
      "are.",
      ObjectSchema({{"name", TextSchema("A parameter or option; all if it is not given.")}},
                   Json::array())};
  tool.use = [shared](const Json& arguments) -> Result<std::string> {
    std::string wanted;
    const bool has_name = arguments.is_object() && arguments.contains("name");
    if (has_name || !(arguments.is_object() || arguments.is_null())) {
      const Argument name = TextArgument(arguments, "name", R"({"name": "vm.swappiness"} or {})");
      if (!name.fault.empty()) return name.fault;
      wanted = BareName(name.text);
    }
    const std::lock_guard lock(shared->mutex);
    const auto effects = shared->sources.effects();
    if (!effects) return effects.error();
    return Bounded(ToText(EffectsOf(*effects, wanted), wanted));
  };
  return tool;
}

}  // namespace

std::vector<Tool> MakeKnowledgeTools(KnowledgeSources sources) {
  const auto shared = std::make_shared<SharedSources>();
  shared->sources = std::move(sources);
  return {SearchTool(shared), ExplainTool(shared), BlocksTool(shared), EffectsTool(shared)};
}

}  // namespace hone::agent
