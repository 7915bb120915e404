// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "hone/cli/text/help.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/action.h"
#include "hone/cli/verbs/llm_actions.h"
#include "hone/core/nearest.h"

namespace hone::cli {
namespace {

constexpr Action<LlmRequest> kLlmActions[] = {
    {"info", "info DIR",
     "What is in a model's folder: family, size, weights, tokenizer, template; exit status 1 if "
     "something is wrong with it.",
     LlmInfo},
    {"tokenize", "tokenize DIR [TEXT]",
     "The tokens of a text, or of standard input; --special reads special tokens in it.",
     LlmTokenize},
    {"template", "template DIR",
     "What the chat template makes of messages, a JSON array on standard input (or an object: "
     "messages, tools, …); --tokens for their ids.",
     LlmTemplate},
    {"serve", "serve DIR",
     "Serves a model over OpenAI's API: chat, completions, streaming, tools, log-probabilities. "
     "Requests share the batch.",
     LlmServe},
    {"chat", "chat DIR", "Talks with a model in the terminal, a line at a time.", LlmChat},
    {"make", "make DIR --corpus PATH",
     "Makes a new model that has learnt nothing, with a tokenizer from a corpus; transformers "
     "loads the folder.",
     LlmMake}};

std::string LlmHelp() { return "\nActions:\n" + TwoColumns(ActionRows(kLlmActions)); }

Result<ExitCode> RunLlmAction(Shell& shell, const LlmRequest& request) {
  for (const auto& action : kLlmActions) {
    if (request.action == action.name) return action.run(shell, request);
  }
  return Error{Errc::kInvalidArgument, NoSuch("action", request.action, ActionNames(kLlmActions))};
}

std::vector<Flag> LlmOperands(LlmRequest& request) {
  return {{.names = "ACTION",
           .value = "",
           .help = "What to do: one of those below.",
           .set = Store(request.action),
           .is_required = true,
           .completes = Completes::kChoices,
           .choices = ActionNames(kLlmActions)},
          {.names = "DIR",
           .value = "",
           .help = "The folder of a model, as Hugging Face has it: config.json, safetensors, "
                   "tokenizer.json.",
           .set = Store(request.folder),
           .is_required = true,
           .completes = Completes::kFile},
          {.names = "TEXT",
           .value = "",
           .help = "tokenize: the text; without it standard input.",
           .set = [&request](const std::string& text) -> Result<void> {
             request.text = text;
             return {};
           }}};
}

}  // namespace

Verb MakeLlmVerb() {
  const auto request = std::make_shared<LlmRequest>();
  Verb verb;
  verb.name = "llm";
  verb.summary = "looks into language models, runs them, and makes small ones";
  verb.description =
      "Qwen2, Qwen2.5, Qwen3 (dense) and Llama 3 from a folder of Hugging Face. What computes\n"
      "is a program of its own, hone-llm, which needs libtorch: `make llm` builds it.\n"
      "docs/language-models.md, docs/howto/serve-a-language-model.md";
  verb.flags = LlmOperands(*request);
  for (Flag& flag : LlmFolderFlags(*request)) verb.flags.push_back(std::move(flag));
  for (Flag& flag : LlmRunFlags(*request)) verb.flags.push_back(std::move(flag));
  for (Flag& flag : LlmServeFlags(*request)) verb.flags.push_back(std::move(flag));
  for (Flag& flag : LlmMakeFlags(*request)) verb.flags.push_back(std::move(flag));
  for (Flag& flag : LogFlags(request->log)) verb.flags.push_back(std::move(flag));
  verb.examples = {
      {"hone llm info Qwen2.5-0.5B-Instruct", "What is in the folder, and what is wrong with it."},
      {"hone llm tokenize Qwen2.5-0.5B-Instruct \"Hello world\"", "Ids and texts of the tokens."},
      {"hone llm template Qwen2.5-0.5B-Instruct < messages.json", "The prompt of a conversation."},
      {"hone llm make tiny --corpus docs", "A small new model, with a tokenizer from texts."},
      {"hone llm serve Qwen2.5-0.5B-Instruct", "OpenAI's API at http://127.0.0.1:10909/v1."},
      {"hone llm chat Qwen2.5-0.5B-Instruct", "A conversation here."},
      {"hone agent kernel softmax --llm http://127.0.0.1:10909/v1", "What it serves, used."}};
  verb.run = [request](Shell& shell) { return RunLlmAction(shell, *request); };
  verb.more_help = LlmHelp;
  return verb;
}

}  // namespace hone::cli
