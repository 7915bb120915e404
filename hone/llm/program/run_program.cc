// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/program/run_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/json/json_frames.h"
#include "hone/base/process/linked_process.h"
#include "hone/core/rng.h"
#include "hone/llm/engine/engine.h"
#include "hone/llm/engine/golden.h"
#include "hone/llm/engine/language_model.h"
#include "hone/llm/files/model_tensors.h"
#include "hone/llm/files/new_model.h"
#include "hone/llm/program/program_flags.h"
#include "hone/llm/program/serve_engine.h"

namespace hone::llm {
namespace {

constexpr const char* kUsage =
    "hone-llm serve DIR    answers `hone llm` over descriptor 3\n"
    "hone-llm check DIR…   compares with golden.safetensors of tests/oracle/llm_golden.py\n"
    "hone-llm save DIR TO  writes the weights anew, with --adapter merged, and what to check them "
    "by\n"
    "hone-llm measure DIR  generates --batch texts of --tokens from prompts of --prompt tokens\n"
    "hone-llm new DIR      a folder of random weights of --shape small, 0.5B or 1.5B; no "
    "tokenizer\n"
    "hone-llm version      what it was compiled with\n"
    "flags: --device cpu|cuda --type f32|bf16 --rows N --length N --steps N --vocab N --threads N\n"
    "       --adapter DIR --base DIR --no-graphs\n";

int Tell(const Error& error, int status) {
  std::fprintf(stderr, "hone-llm: %s\n", error.message.c_str());
  return status;
}

Result<LanguageModel> OpenModel(const ProgramFlags& flags) {
  if (flags.folders.size() != 1) {
    return Error{Errc::kInvalidArgument, "name one folder of a model"};
  }
  auto model = LanguageModel::Open(flags.folders.front(), flags.placement());
  if (!model || flags.adapter.empty()) return model;
  const auto adapter = LoraAdapter::Open(flags.adapter);
  if (!adapter) return adapter.error();
  if (auto merged = model->Merge(*adapter); !merged) return merged.error();
  return model;
}

std::string PlacedText(const Placement& placement) {
  return fmt::format("{} on {}", placement.type == DataType::kBF16 ? "bf16" : "f32",
                     placement.is_on_gpu ? "cuda" : "cpu");
}

Result<void> Serve(const ProgramFlags& flags) {
  auto model = OpenModel(flags);
  if (!model) return model.error();
  auto decoder = MakeDecoder(*model, flags.decoder);
  if (!decoder) return decoder.error();
  EngineFacts facts;
  facts.vocab_size = model->config().vocab_size;
  facts.max_length = (*decoder)->settings().max_length;
  facts.rows = (*decoder)->settings().rows;
  facts.placed = PlacedText(model->placement());
  facts.identity = EngineIdentity();
  return ServeEngine(**decoder, facts, kLinkSocket);
}

int ServeOverSocket(const ProgramFlags& flags) {
  const auto served = Serve(flags);
  if (served) return 0;
  // Whoever started us reads why; who started us by hand reads it here.
  const Json failed = ToJson(FromEngine(FailedMessage{0, served.error().message}));
  if (!SendFrame(kLinkSocket, failed)) return Tell(served.error(), 3);
  return 3;
}

int Check(const ProgramFlags& flags) {
  bool is_good = true;
  for (const auto& folder : flags.folders) {
    const auto report =
        CompareWithGolden(folder, flags.base, flags.placement(), flags.decoder.uses_graphs);
    if (!report) return Tell(report.error(), 3);
    std::printf("%s: %s\n", folder.filename().c_str(), Text(*report).c_str());
    const bool is_half = flags.placement().type == DataType::kBF16;
    const double allowed = (is_half ? 3e-2 : 1e-4) * std::max(1.0, report->largest_logit);
    is_good &= report->prompts > 0 && report->logit_error <= allowed;
    is_good &= is_half || report->first_difference < 0 || report->gap_at_difference > 0;
  }
  std::printf("hone-llm check: %s\n", is_good ? "holds" : "falls short");
  return is_good ? 0 : 1;
}

struct Measured {
  double seconds = 0;
  std::int64_t tokens = 0;
};

Measured Generate(Decoder& decoder, const ProgramFlags& flags, std::int64_t vocab,
                  std::uint64_t seed) {
  Engine engine(decoder);
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < flags.batch; ++i) {
    GenerationRequest request;
    Rng random(seed * 1000 + static_cast<std::uint64_t>(i));
    for (std::int64_t k = 0; k < flags.prompt; ++k) {
      request.prompt.push_back(
          static_cast<TokenId>(random.Below(static_cast<std::uint64_t>(vocab))));
    }
    request.max_tokens = flags.tokens;
    request.seed = seed;
    engine.Submit(static_cast<RequestId>(i + 1), std::move(request));
  }
  Measured measured;
  while (!engine.is_idle()) {
    for (const GenerationEvent& event : engine.Step()) {
      measured.tokens += static_cast<std::int64_t>(event.tokens.size());
    }
  }
  measured.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return measured;
}

// Three times after one that warms up; every line is a JSON object.
int Measure(ProgramFlags flags) {
  flags.decoder.rows = flags.batch;
  flags.decoder.max_length = flags.prompt + flags.tokens;
  auto model = OpenModel(flags);
  if (!model) return Tell(model.error(), 3);
  auto decoder = MakeDecoder(*model, flags.decoder);
  if (!decoder) return Tell(decoder.error(), 3);
  const std::int64_t vocab = model->config().vocab_size;
  Generate(**decoder, flags, vocab, 0);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Measured measured = Generate(**decoder, flags, vocab, seed);
    const Json line = {{"tokens", measured.tokens},
                       {"seconds", measured.seconds},
                       {"tokens_per_s", static_cast<double>(measured.tokens) / measured.seconds},
                       {"parameters", ParameterCount(model->config())},
                       {"placed", PlacedText(model->placement())},
                       {"identity", EngineIdentity()}};
    std::printf("%s\n", Dump(line).c_str());
  }
  return 0;
}

// The shapes of Qwen2.5, and a small one for the processor.
Result<ModelConfig> ShapeNamed(const std::string& name) {
  ModelConfig config;
  config.attention_bias = true;
  config.tie_word_embeddings = true;
  config.max_positions = 32'768;
  config.rope_theta = 1e6;
  config.vocab_size = 151'936;
  config.num_kv_heads = 2;
  config.eos_token_ids = {151'645};
  const auto set = [&config](std::int64_t hidden, std::int64_t inner, std::int64_t layers,
                             std::int64_t heads) {
    config.hidden_size = hidden;
    config.intermediate_size = inner;
    config.num_layers = layers;
    config.num_heads = heads;
    config.head_dim = hidden / heads;
  };
  if (name == "0.5B") {
    set(896, 4864, 24, 14);
  } else if (name == "1.5B") {
    set(1536, 8960, 28, 12);
  } else if (name == "small") {
    set(256, 704, 4, 4);
    config.vocab_size = 4096;
    config.eos_token_ids = {1};
  } else {
    return Error{Errc::kInvalidArgument, "--shape: small, 0.5B or 1.5B"};
  }
  return config;
}

int New(const ProgramFlags& flags) {
  auto config = ShapeNamed(flags.shape);
  if (!config || flags.folders.size() != 1) {
    return Tell(config ? Error{Errc::kInvalidArgument, "name one folder"} : config.error(), 2);
  }
  config->weights_type = flags.type.value_or(DataType::kF32);
  const auto written = WriteNewModel(flags.folders.front(), *config, {});
  return written ? 0 : Tell(written.error(), 3);
}

int Save(ProgramFlags flags) {
  if (flags.folders.size() != 2) return Tell({Errc::kInvalidArgument, "name two folders"}, 2);
  const auto to = flags.folders.back();
  flags.folders.pop_back();
  const auto model = OpenModel(flags);
  if (!model) return Tell(model.error(), 3);
  const auto saved = SaveForCheck(*model, to);
  return saved ? 0 : Tell(saved.error(), 3);
}

int Run(const std::vector<std::string>& words) {
  if (words.empty()) return std::fputs(kUsage, stderr), 2;
  auto flags = ReadProgramFlags(std::span(words).subspan(1));
  if (!flags) return Tell(flags.error(), 2);
  UseThreads(flags->threads);
  if (words[0] == "serve") return ServeOverSocket(*flags);
  if (words[0] == "check") return Check(*flags);
  if (words[0] == "measure") return Measure(*flags);
  if (words[0] == "new") return New(*flags);
  if (words[0] == "save") return Save(*flags);
  if (words[0] == "version") return std::printf("%s\n", EngineIdentity().c_str()), 0;
  std::fputs(kUsage, stderr);
  return 2;
}

}  // namespace

int RunProgram(int argc, char** argv) try {
  return Run({argv + 1, argv + argc});
} catch (const std::exception& problem) {
  return Tell({Errc::kUnavailable, problem.what()}, 3);
}

}  // namespace hone::llm
