// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <iterator>
#include <memory>
#include <ostream>
#include <span>
#include <utility>

#include "hone/base/json/ordered_json.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/action.h"
#include "hone/core/nearest.h"
#include "hone/llm/model_folder.h"
#include "hone/llm/text/chat_prompt.h"
#include "hone/llm/text/chat_template.h"
#include "hone/llm/text/tokenizer.h"

namespace hone::cli {
namespace {

constexpr std::size_t kMaxInput = 64 << 20;

struct LlmRequest {
  std::string action;
  std::vector<std::string> operands;  // DIR, then TEXT.
  bool has_special = false;
  bool wants_tokens = false;
};

Result<std::string> ReadInput() {
  std::string text;
  for (std::istreambuf_iterator<char> at(std::cin), end; at != end; ++at) {
    text += *at;
    if (text.size() > kMaxInput) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("standard input: over the {} bytes allowed", kMaxInput)};
    }
  }
  return text;
}

Result<std::filesystem::path> FolderOf(const LlmRequest& request, std::size_t max_operands) {
  if (request.operands.empty() || request.operands.size() > max_operands) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: expected the folder of a model", request.action)};
  }
  return std::filesystem::path(request.operands.front());
}

void PrintShape(Shell& shell, const llm::ModelFolder& folder) {
  std::ostream& out = shell.console.out;
  if (const auto& config = folder.config) {
    out << fmt::format("{}: {:.2f} billion parameters in {} layers\n", NameOf(config->family),
                       static_cast<double>(folder.parameters) / 1e9, config->num_layers)
        << fmt::format("  hidden {}, intermediate {}, heads {} ({} of keys) of {}, vocabulary {}\n",
                       config->hidden_size, config->intermediate_size, config->num_heads,
                       config->num_kv_heads, config->head_dim, config->vocab_size)
        << fmt::format("  context {}, ends with {}\n", config->max_positions,
                       fmt::join(config->eos_token_ids, ", "));
  }
  if (folder.weight_files > 0) {
    out << fmt::format("weights: {} tensors, {:.2f} GB in {} {}\n", folder.tensors,
                       static_cast<double>(folder.weight_bytes) / 1e9, folder.weight_files,
                       folder.weight_files == 1 ? "file" : "files");
  }
  if (folder.tokenizer_size) out << fmt::format("tokenizer: {} ids\n", *folder.tokenizer_size);
  if (folder.has_chat_template) out << "chat template: yes\n";
}

Result<ExitCode> LlmInfo(Shell& shell, const LlmRequest& request) {
  const auto path = FolderOf(request, 1);
  if (!path) return path.error();
  const llm::ModelFolder folder = llm::InspectModelFolder(*path);
  const ExitCode code = folder.problems.empty() ? ExitCode::kYes : ExitCode::kNo;
  if (shell.wants_json) {
    shell.console.out << Dump(llm::ToJson(folder)) << '\n';
    return code;
  }
  PrintShape(shell, folder);
  for (const std::string& note : folder.notes) {
    shell.console.out << "note: " << Printable(note) << '\n';
  }
  for (const std::string& problem : folder.problems) {
    shell.console.out << "problem: " << Printable(problem) << '\n';
  }
  return code;
}

Result<ExitCode> LlmTokenize(Shell& shell, const LlmRequest& request) {
  const auto path = FolderOf(request, 2);
  if (!path) return path.error();
  const auto tokenizer = llm::Tokenizer::Read(*path / "tokenizer.json");
  if (!tokenizer) return tokenizer.error();
  const bool is_given = request.operands.size() == 2 && request.operands[1] != "-";
  const auto text = is_given ? Result<std::string>(request.operands[1]) : ReadInput();
  if (!text) return text.error();
  const auto ids =
      tokenizer->Encode(*text, llm::EncodeOptions{.with_special = request.has_special,
                                                  .special_in_text = request.has_special});
  if (shell.wants_json) {
    Json tokens = Json::array();
    for (const std::int32_t id : ids) {
      tokens.push_back({{"id", id}, {"text", tokenizer->Decode(std::span(&id, 1), false)}});
    }
    shell.console.out << Dump(tokens) << '\n';
    return ExitCode::kYes;
  }
  for (const std::int32_t id : ids) {
    const Json shown = tokenizer->Decode(std::span(&id, 1), false);
    shell.console.out << fmt::format("{:>7}  {}\n", id, Dump(shown));
  }
  if (!shell.is_quiet) {
    shell.console.err << fmt::format("{} bytes, {} tokens\n", text->size(), ids.size());
  }
  return ExitCode::kYes;
}

// An array is taken for the messages, an object for the whole context.
Result<OrderedJson> ReadContext() {
  const auto text = ReadInput();
  if (!text) return text.error();
  auto json = ParseOrderedJson(*text, "standard input", {.bytes = kMaxInput});
  if (!json) return json.error();
  if (!json->is_array()) return json;
  OrderedJson context = OrderedJson::object();
  context["messages"] = std::move(*json);
  context["add_generation_prompt"] = true;
  return context;
}

Result<ExitCode> LlmTemplate(Shell& shell, const LlmRequest& request) {
  const auto path = FolderOf(request, 1);
  if (!path) return path.error();
  const auto chat_template = llm::ChatTemplate::Read(*path);
  if (!chat_template) return chat_template.error();
  auto context = ReadContext();
  if (!context) return context.error();
  if (!request.wants_tokens) {
    const auto text = chat_template->Render(*context);
    if (!text) return text.error();
    shell.console.out << (shell.wants_json ? Dump(Json{{"text", *text}}) + "\n" : *text);
    return ExitCode::kYes;
  }
  const auto tokenizer = llm::Tokenizer::Read(*path / "tokenizer.json");
  if (!tokenizer) return tokenizer.error();
  const auto ids = llm::EncodeChat(*tokenizer, *chat_template, *context);
  if (!ids) return ids.error();
  shell.console.out << (shell.wants_json ? Dump(Json(*ids))
                                         : fmt::format("{}", fmt::join(*ids, " ")))
                    << '\n';
  return ExitCode::kYes;
}

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
     LlmTemplate}};

Result<ExitCode> RunLlmAction(Shell& shell, const LlmRequest& request) {
  for (const auto& action : kLlmActions) {
    if (request.action == action.name) return action.run(shell, request);
  }
  return Error{Errc::kInvalidArgument, NoSuch("action", request.action, ActionNames(kLlmActions))};
}

}  // namespace

Verb MakeLlmVerb() {
  const auto request = std::make_shared<LlmRequest>();
  Verb verb;
  verb.name = "llm";
  verb.summary = "looks into language models: files, tokens, chat templates";
  verb.description =
      "DIR is a model's folder as Hugging Face has it: config.json, safetensors,\n"
      "tokenizer.json, tokenizer_config.json. Qwen2, Qwen2.5, Qwen3 (dense) and Llama 3\n"
      "are read. docs/language-models.md";
  verb.flags = {{.names = "ACTION",
                 .value = "",
                 .help = "info, tokenize or template.",
                 .set = Store(request->action),
                 .is_required = true,
                 .completes = Completes::kChoices,
                 .choices = ActionNames(kLlmActions)},
                {.names = "DIR",
                 .value = "",
                 .help = "The folder of a model; for tokenize also a text.",
                 .set = Append(request->operands),
                 .is_repeatable = true,
                 .completes = Completes::kFile},
                {.names = "--special",
                 .value = "",
                 .help = "tokenize: special tokens in the text are read as such, and those that "
                         "the tokenizer adds are added.",
                 .set = Raise(request->has_special)},
                {.names = "--tokens",
                 .value = "",
                 .help = "template: the ids of the prompt; special tokens come from the template "
                         "alone.",
                 .set = Raise(request->wants_tokens)}};
  verb.examples = {
      {"hone llm info Qwen2.5-0.5B-Instruct", "What is in the folder, and what is wrong with it."},
      {"hone llm tokenize Qwen2.5-0.5B-Instruct \"Hello world\"", "Ids and texts of the tokens."},
      {"hone llm template Qwen2.5-0.5B-Instruct < messages.json", "The prompt of a conversation."}};
  verb.run = [request](Shell& shell) { return RunLlmAction(shell, *request); };
  verb.more_help = [] { return "\nActions:\n" + TwoColumns(ActionRows(kLlmActions)); };
  return verb;
}

}  // namespace hone::cli
