// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <iterator>
#include <ostream>
#include <span>
#include <utility>

#include "hone/base/json/ordered_json.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs/llm_actions.h"
#include "hone/llm/inspect/model_folder.h"
#include "hone/llm/text/chat_prompt.h"
#include "hone/llm/text/chat_template.h"
#include "hone/llm/text/tokenizer.h"

namespace hone::cli {
namespace {

constexpr std::size_t kMaxInput = 64 << 20;

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

}  // namespace

std::vector<Flag> LlmFolderFlags(LlmRequest& request) {
  return {{.names = "--special",
           .value = "",
           .help = "tokenize: special tokens in the text are read as such, and those that the "
                   "tokenizer adds are added.",
           .set = Raise(request.has_special)},
          {.names = "--tokens",
           .value = "",
           .help = "template: the ids of the prompt; special tokens come from the template alone.",
           .set = Raise(request.wants_tokens)}};
}

Result<ExitCode> LlmInfo(Shell& shell, const LlmRequest& request) {
  const llm::ModelFolder folder = llm::InspectModelFolder(request.folder);
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
  const auto tokenizer =
      llm::Tokenizer::Read(std::filesystem::path(request.folder) / "tokenizer.json");
  if (!tokenizer) return tokenizer.error();
  const bool is_given = request.text && *request.text != "-";
  const auto text = is_given ? Result<std::string>(*request.text) : ReadInput();
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

Result<ExitCode> LlmTemplate(Shell& shell, const LlmRequest& request) {
  const auto chat_template = llm::ChatTemplate::Read(request.folder);
  if (!chat_template) return chat_template.error();
  auto context = ReadContext();
  if (!context) return context.error();
  if (!request.wants_tokens) {
    const auto text = chat_template->Render(*context);
    if (!text) return text.error();
    shell.console.out << (shell.wants_json ? Dump(Json{{"text", *text}}) + "\n" : *text);
    return ExitCode::kYes;
  }
  const auto tokenizer =
      llm::Tokenizer::Read(std::filesystem::path(request.folder) / "tokenizer.json");
  if (!tokenizer) return tokenizer.error();
  const auto ids = llm::EncodeChat(*tokenizer, *chat_template, *context);
  if (!ids) return ids.error();
  shell.console.out << (shell.wants_json ? Dump(Json(*ids))
                                         : fmt::format("{}", fmt::join(*ids, " ")))
                    << '\n';
  return ExitCode::kYes;
}

}  // namespace hone::cli
