// SPDX-License-Identifier: Apache-2.0
#include "hone/app/llm/llm_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "hone/base/file.h"
#include "hone/llm/files/model_tensors.h"
#include "hone/llm/files/new_model.h"
#include "hone/llm/text/tokenizer_trainer.h"

namespace hone::app {
namespace {

constexpr std::size_t kMaxCorpus = std::size_t{1} << 30;

Result<void> AddFile(const std::filesystem::path& file, std::size_t& bytes,
                     std::vector<std::string>& texts) {
  auto text = ReadFile(file, kMaxCorpus);
  if (!text) return text.error();
  bytes += text->size();
  if (bytes > kMaxCorpus) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: the corpus is over {} MiB with it; a tokenizer needs less",
                             file.string(), kMaxCorpus >> 20)};
  }
  texts.push_back(std::move(*text));
  return {};
}

Result<std::vector<std::string>> ReadCorpus(const std::vector<std::filesystem::path>& places,
                                            std::size_t& bytes) {
  std::vector<std::filesystem::path> files;
  for (const auto& place : places) {
    std::error_code problem;
    if (!std::filesystem::is_directory(place, problem)) {
      files.push_back(place);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place, problem)) {
      if (entry.is_regular_file(problem)) files.push_back(entry.path());
    }
    if (problem) {
      return Error{Errc::kUnavailable, fmt::format("{}: {}", place.string(), problem.message())};
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) {
    if (auto added = AddFile(file, bytes, texts); !added) return added.error();
  }
  if (bytes == 0) {
    return Error{Errc::kInvalidArgument, "--corpus: no text in it; name files or folders of texts"};
  }
  return texts;
}

Result<llm::ModelConfig> ConfigOf(const NewLlm& wanted, std::size_t vocab) {
  using Family = llm::ModelConfig::Family;
  llm::ModelConfig config;
  for (const Family family : {Family::kQwen2, Family::kQwen3, Family::kLlama}) {
    if (llm::NameOf(family) == wanted.family) config.family = family;
  }
  if (llm::NameOf(config.family) != wanted.family) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--family: {} is none of qwen2, qwen3, llama", wanted.family)};
  }
  if (wanted.hidden % (2 * wanted.heads) != 0) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--hidden: {} is no multiple of twice the {} heads", wanted.hidden,
                             wanted.heads)};
  }
  config.vocab_size = static_cast<std::int64_t>(vocab);
  config.hidden_size = wanted.hidden;
  config.intermediate_size = (wanted.hidden * 8 / 3 + 31) / 32 * 32;
  config.num_layers = wanted.layers;
  config.num_heads = wanted.heads;
  config.num_kv_heads = wanted.heads % 2 == 0 ? wanted.heads / 2 : wanted.heads;
  config.head_dim = wanted.hidden / wanted.heads;
  config.max_positions = wanted.length;
  config.tie_word_embeddings = true;
  config.attention_bias = config.family == Family::kQwen2;
  config.weights_type = wanted.is_half ? llm::DataType::kBF16 : llm::DataType::kF32;
  return config;
}

}  // namespace

Result<LlmParts> OpenLlm(const LlmPlan& plan) {
  const auto program = llm::FindEngineProgram();
  if (!program) return program.error();
  auto folder = plan.folder.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  LlmParts parts;
  auto text =
      llm::TextModel::Open(folder, plan.name.empty() ? folder.filename().string() : plan.name);
  if (!text) return text.error();
  parts.text = std::move(*text);
  llm::EngineProgram started;
  started.program = *program;
  started.arguments = {"serve",    folder.string(),
                       "--rows",   std::to_string(plan.rows),
                       "--length", std::to_string(plan.length),
                       "--vocab",  std::to_string(parts.text->tokenizer().vocab_size())};
  const auto add = [&started](const char* flag, const std::string& value) {
    if (value.empty()) return;
    started.arguments.emplace_back(flag);
    started.arguments.push_back(value);
  };
  add("--device", plan.device);
  add("--type", plan.type);
  add("--adapter", plan.adapter.string());
  if (plan.threads) add("--threads", std::to_string(*plan.threads));
  auto engine = llm::EngineProcess::Start(started);
  if (!engine) return engine.error();
  parts.engine = std::move(*engine);
  return parts;
}

Result<MadeLlm> MakeLlm(const NewLlm& wanted) {
  std::error_code problem;
  if (std::filesystem::exists(wanted.folder / "config.json", problem)) {
    return Error{Errc::kConflict, fmt::format("{}: there is a model already; name another folder",
                                              wanted.folder.string())};
  }
  MadeLlm made;
  const auto texts = ReadCorpus(wanted.corpus, made.corpus_bytes);
  if (!texts) return texts.error();
  const std::vector<std::string_view> views(texts->begin(), texts->end());
  llm::TokenizerRecipe recipe;
  recipe.vocab_size = static_cast<std::size_t>(wanted.vocab);
  const auto tokenizer = llm::TrainTokenizer(views, recipe);
  if (!tokenizer) return tokenizer.error();
  auto config = ConfigOf(wanted, tokenizer->vocab_size);
  if (!config) return config.error();
  const auto first_special =
      static_cast<std::int64_t>(tokenizer->vocab_size - recipe.special_tokens.size());
  config->eos_token_ids = {first_special + 1, first_special};
  config->bos_token_id = first_special;
  config->pad_token_id = first_special;
  llm::NewWeights weights;
  weights.seed = wanted.seed;
  if (auto written = llm::WriteNewModel(wanted.folder, *config, weights); !written) {
    return written.error();
  }
  if (auto written = llm::WriteTokenizer(wanted.folder, *tokenizer); !written) {
    return written.error();
  }
  made.parameters = llm::ParameterCount(*config);
  made.vocab = tokenizer->vocab_size;
  return made;
}

}  // namespace hone::app
