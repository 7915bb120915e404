// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/model_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/llm/files/model_tensors.h"

namespace hone::llm {
namespace {

using testing::HasSubstr;

Json Qwen25() {
  return {{"model_type", "qwen2"},       {"vocab_size", 151936},
          {"hidden_size", 896},          {"intermediate_size", 4864},
          {"num_hidden_layers", 24},     {"num_attention_heads", 14},
          {"num_key_value_heads", 2},    {"max_position_embeddings", 32768},
          {"rms_norm_eps", 1e-6},        {"rope_theta", 1e6},
          {"tie_word_embeddings", true}, {"hidden_act", "silu"},
          {"use_sliding_window", false}, {"sliding_window", 32768},
          {"eos_token_id", 151645},      {"torch_dtype", "bfloat16"}};
}

Json Llama32() {
  Json json = Qwen25();
  json.update({{"model_type", "llama"},
               {"vocab_size", 128256},
               {"hidden_size", 2048},
               {"intermediate_size", 8192},
               {"num_hidden_layers", 16},
               {"num_attention_heads", 32},
               {"num_key_value_heads", 8},
               {"head_dim", 64},
               {"eos_token_id", {128001, 128008, 128009}},
               {"rope_scaling",
                {{"rope_type", "llama3"},
                 {"factor", 32.0},
                 {"low_freq_factor", 1.0},
                 {"high_freq_factor", 4.0},
                 {"original_max_position_embeddings", 8192}}}});
  return json;
}

std::string Refusal(Json json, const Json& change) {
  json.update(change);
  const auto config = ParseModelConfig(json, "c");
  EXPECT_FALSE(config) << change;
  return config ? "" : config.error().message;
}

TEST(ModelConfigTest, ShapesOfRealModelsHaveTheirParameters) {
  const auto qwen = ParseModelConfig(Qwen25(), "c");
  ASSERT_TRUE(qwen) << qwen.error().message;
  EXPECT_EQ(ParameterCount(*qwen), 494'032'768);
  EXPECT_TRUE(qwen->attention_bias);
  EXPECT_FALSE(qwen->attention_output_bias);
  EXPECT_EQ(qwen->head_dim, 64);
  const auto llama = ParseModelConfig(Llama32(), "c");
  ASSERT_TRUE(llama) << llama.error().message;
  EXPECT_EQ(ParameterCount(*llama), 1'235'814'400);
  EXPECT_EQ(llama->rope_scaling->factor, 32);
  EXPECT_EQ(llama->eos_token_ids.size(), 3U);
  Json json = Qwen25();
  json.update({{"model_type", "qwen3"},
               {"hidden_size", 1024},
               {"intermediate_size", 3072},
               {"num_hidden_layers", 28},
               {"num_attention_heads", 16},
               {"num_key_value_heads", 8}});
  const auto qwen3 = ParseModelConfig(json, "c");
  ASSERT_TRUE(qwen3) << qwen3.error().message;
  EXPECT_EQ(ParameterCount(*qwen3), 596'049'920);
}

TEST(ModelConfigTest, TheNewerSpellingIsTheSame) {
  Json json = Llama32();
  json["rope_parameters"] = json["rope_scaling"];
  json["rope_parameters"]["rope_theta"] = 5e5;
  json["dtype"] = json["torch_dtype"];
  json.erase("rope_scaling");
  json.erase("rope_theta");
  json.erase("torch_dtype");
  const auto config = ParseModelConfig(json, "c");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->rope_theta, 5e5);
  EXPECT_EQ(config->rope_scaling->factor, 32);
  EXPECT_EQ(config->weights_type, DataType::kBF16);
}

TEST(ModelConfigTest, WhatIsWrittenReadsBack) {
  for (const Json& json : {Qwen25(), Llama32()}) {
    const auto config = ParseModelConfig(json, "c");
    ASSERT_TRUE(config);
    const auto again = ParseModelConfig(ToJson(*config), "c");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(ToJson(*again), ToJson(*config));
    EXPECT_EQ(ParameterCount(*again), ParameterCount(*config));
  }
}

TEST(ModelConfigTest, WhatWouldBeComputedDifferentlyIsRefused) {
  EXPECT_THAT(Refusal(Qwen25(), {{"model_type", "gemma"}}), HasSubstr("\"gemma\""));
  EXPECT_THAT(Refusal(Qwen25(), {{"use_sliding_window", true}}), HasSubstr("sliding"));
  EXPECT_THAT(Refusal(Qwen25(), {{"layer_types", {"sliding_attention"}}}),
              HasSubstr("layer_types"));
  EXPECT_THAT(Refusal(Qwen25(), {{"hidden_act", "gelu"}}), HasSubstr("silu"));
  EXPECT_THAT(Refusal(Qwen25(), {{"rope_scaling", {{"type", "yarn"}, {"factor", 4.0}}}}),
              HasSubstr("yarn"));
  EXPECT_THAT(Refusal(Qwen25(), {{"quantization_config", {{"bits", 4}}}}), HasSubstr("quantised"));
  EXPECT_THAT(Refusal(Llama32(), {{"mlp_bias", true}}), HasSubstr("mlp_bias"));
  EXPECT_THAT(Refusal(Qwen25(), {{"num_key_value_heads", 3}}), HasSubstr("no multiple"));
  EXPECT_THAT(Refusal(Qwen25(), {{"num_attention_heads", 13}}), HasSubstr("no multiple"));
  EXPECT_THAT(Refusal(Qwen25(), {{"hidden_size", -1}}), HasSubstr("from 1 to"));
  EXPECT_THAT(Refusal(Qwen25(), {{"num_hidden_layers", 1'000'000'000}}), HasSubstr("from 1 to"));
  EXPECT_THAT(Refusal(Qwen25(), {{"head_dim", 63}}), HasSubstr("odd"));
}

TEST(ModelConfigTest, TheGenerationFileSaysWhereATextEnds) {
  const auto folder = TempDir::Make("config");
  EXPECT_THAT(ReadModelConfig(folder->path()).error().message, HasSubstr("no config.json"));
  ASSERT_TRUE(WriteFileAtomically(folder->path() / "config.json", Dump(Qwen25())));
  EXPECT_EQ(ReadModelConfig(folder->path())->eos_token_ids, (std::vector<std::int64_t>{151645}));
  ASSERT_TRUE(WriteFileAtomically(
      folder->path() / "generation_config.json",
      R"({"eos_token_id":[151645,151643],"pad_token_id":151643,"temperature":0.7,"top_k":20})"));
  const auto config = ReadModelConfig(folder->path());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->eos_token_ids, (std::vector<std::int64_t>{151645, 151643}));
  EXPECT_EQ(config->pad_token_id, 151643);
  EXPECT_EQ(ReadGenerationConfig(folder->path())->temperature, 0.7);
}

// A folder from somewhere: a pipe would be waited for, a file without an end read for ever.
TEST(ModelConfigTest, WhatIsNoFileIsRefusedAndNotWaitedFor) {
  const auto folder = TempDir::Make("config");
  const auto config = folder->path() / "config.json";
  const auto generation = folder->path() / "generation_config.json";
  ASSERT_EQ(::mkfifo(config.c_str(), 0600), 0);
  EXPECT_THAT(ReadModelConfig(folder->path()).error().message,
              HasSubstr("config.json: not a regular file but a pipe"));
  std::filesystem::remove(config);
  ASSERT_TRUE(WriteFileAtomically(config, Dump(Qwen25())));
  std::filesystem::create_symlink("/dev/zero", generation);
  EXPECT_THAT(ReadModelConfig(folder->path()).error().message,
              HasSubstr("json: not a regular file but a device"));
}

}  // namespace
}  // namespace hone::llm
