// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "hone/app/checkup/checkup.h"

namespace hone::app {
namespace {

using State = Check::State;

constexpr std::int64_t kProbeTokens = 1024;  // Some think before they say a word.

Check ChatCheck(std::string name, bool is_good, std::string good, std::string bad) {
  return {"llm", std::move(name), is_good ? State::kOk : State::kLimited,
          is_good ? std::move(good) : std::move(bad)};
}

agent::ChatRequest Probe(std::string text) {
  return {.messages = {{.role = agent::ChatRole::kUser, .text = std::move(text)}},
          .max_tokens = kProbeTokens};
}

// "llm" rows of the first question: whether it answers at all, and how.
std::vector<Check> CheckAnswer(agent::ChatModel& model, const agent::ChatBudget& budget,
                               Clock& clock) {
  const auto begin = clock.Now();
  const auto before = budget.spent();
  int pieces = 0;
  const auto answer =
      model.Ask(Probe("Count from one to ten in words."), [&](std::string_view) { ++pieces; });
  if (!answer) return {{"llm", "endpoint", State::kMissing, answer.error().message}};
  const std::chrono::duration<double> took = clock.Now() - begin;
  const agent::ChatUsage& usage = answer->usage;
  const bool is_told =
      budget.spent().tokens - before.tokens == usage.prompt_tokens + usage.answer_tokens;
  const std::string& thought = answer->message.reasoning;
  return {{"llm", "endpoint", State::kOk,
           fmt::format("{} answered in {:.1f} s with {} tokens", model.name(), took.count(),
                       usage.answer_tokens)},
          ChatCheck("streaming", pieces > 1, fmt::format("in {} pieces", pieces),
                    "the answer comes in one piece: nothing is shown before its end"),
          ChatCheck("usage", is_told, "it says what it used",
                    "it does not say what it used: the most that a request may take is charged "
                    "to the budget"),
          {"llm", "reasoning", State::kOk,
           thought.empty() ? "it shows none"
                           : fmt::format("shown: {} tokens", usage.reasoning_tokens)}};
}

Check CheckJsonAnswer(agent::ChatModel& model) {
  agent::ChatRequest request = Probe("Which number follows seven? Answer as JSON.");
  request.answer_schema = {{"type", "object"},
                           {"properties", {{"number", {{"type", "integer"}}}}},
                           {"required", {"number"}},
                           {"additionalProperties", false}};
  const auto answer = model.Ask(request);
  if (!answer) return ChatCheck("JSON answers", false, "", answer.error().message);
  const auto json = ParseJson(answer->message.text, "the answer");
  const bool is_good = json && json->is_object() && json->contains("number");
  return ChatCheck("JSON answers", is_good, "as the schema says",
                   "it does not keep to a schema: answers are read from its text");
}

Check CheckTools(agent::ChatModel& model) {
  agent::ChatRequest request = Probe("Use the tool to look up the parameter vm.swappiness.");
  request.tools = {{.name = "look_up",
                    .description = "Looks up a kernel parameter by its name.",
                    .parameters = {{"type", "object"},
                                   {"properties", {{"name", {{"type", "string"}}}}},
                                   {"required", {"name"}}}}};
  const auto answer = model.Ask(request);
  if (!answer) return ChatCheck("tools", false, "", answer.error().message);
  const auto& calls = answer->message.calls;
  return ChatCheck("tools", !calls.empty() && calls.front().name == "look_up", "it calls them",
                   "it does not call a tool when it is asked to");
}

}  // namespace

std::vector<Check> CheckChat(const agent::ChatSettings& settings, Clock& clock) {
  if (!settings.is_configured()) {
    return {{"llm", "endpoint", State::kLimited,
             "none is configured: --llm URL or $HONE_LLM names one "
             "(docs/howto/use-a-language-model.md)"}};
  }
  agent::ChatSettings own = settings;
  const auto budget = agent::OpenChatBudget(own);
  if (!budget) return {{"llm", "endpoint", State::kMissing, budget.error().message}};
  own.budget = *budget;
  const auto model = agent::OpenChatModel(own, clock);
  if (!model) return {{"llm", "endpoint", State::kMissing, model.error().message}};
  std::vector<Check> checks = CheckAnswer(**model, **budget, clock);
  if (checks.front().state != State::kOk) return checks;
  checks.push_back(CheckJsonAnswer(**model));
  checks.push_back(CheckTools(**model));
  checks.push_back({"llm", "spent", State::kOk, (*budget)->Describe()});
  return checks;
}

}  // namespace hone::app
