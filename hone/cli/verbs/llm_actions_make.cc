// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostream>

#include "hone/cli/verbs/llm_actions.h"

namespace hone::cli {

std::vector<Flag> LlmMakeFlags(LlmRequest& request) {
  app::NewLlm& made = request.made;
  return {{.names = "--corpus",
           .value = "PATH",
           .help = "make: a text, or a folder of texts, that the tokenizer is learnt from.",
           .set = [&made](const std::string& text) -> Result<void> {
             made.corpus.emplace_back(text);
             return {};
           },
           .is_repeatable = true,
           .completes = Completes::kFile},
          {.names = "--family",
           .value = "NAME",
           .help = "make: qwen2, qwen3 or llama (qwen2).",
           .set = Store(made.family),
           .completes = Completes::kChoices,
           .choices = {"qwen2", "qwen3", "llama"}},
          {.names = "--vocab",
           .value = "N",
           .help = "make: ids of the tokenizer, at most (4096).",
           .set = StoreCount("--vocab", made.vocab, 260, 1'000'000)},
          {.names = "--hidden",
           .value = "N",
           .help = "make: width of the model (256).",
           .set = StoreCount("--hidden", made.hidden, 8, 65'536)},
          {.names = "--layers",
           .value = "N",
           .help = "make: its layers (4).",
           .set = StoreCount("--layers", made.layers, 1, 1000)},
          {.names = "--heads",
           .value = "N",
           .help = "make: heads of its attention (4).",
           .set = StoreCount("--heads", made.heads, 1, 1024)},
          {.names = "--seed",
           .value = "N",
           .help = "make: of the weights (1).",
           .set = StoreParsed("--seed", ParseSeed, made.seed)}};
}

Result<ExitCode> LlmMake(Shell& shell, const LlmRequest& request) {
  app::NewLlm wanted = request.made;
  wanted.folder = request.folder;
  wanted.is_half = request.plan.type == "bf16";
  if (wanted.corpus.empty()) {
    return Error{Errc::kInvalidArgument, "--corpus: missing; the tokenizer is learnt from texts"};
  }
  const auto made = app::MakeLlm(wanted);
  if (!made) return made.error();
  if (shell.wants_json) {
    shell.console.out << Dump({{"folder", wanted.folder.string()},
                               {"parameters", made->parameters},
                               {"vocab_size", made->vocab},
                               {"corpus_bytes", made->corpus_bytes}})
                      << '\n';
  } else {
    shell.console.out << fmt::format(
        "{}: {} parameters that have learnt nothing, {} tokens from {:.1f} MB of text\n",
        wanted.folder.string(), made->parameters, made->vocab,
        static_cast<double>(made->corpus_bytes) / 1e6);
  }
  return ExitCode::kYes;
}

}  // namespace hone::cli
