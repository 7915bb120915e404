// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/lora.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::llm {
namespace {

using testing::HasSubstr;

class LoraTest : public testing::Test {
 protected:
  LoraPair PairOf(const std::string& module, std::int64_t out, std::int64_t in) const {
    const std::span<const std::byte> bytes(room_);
    const auto size = [](std::int64_t numbers) { return static_cast<std::size_t>(numbers) * 4; };
    return {module,
            {"", DataType::kF32, {config_.rank, in}, bytes.first(size(config_.rank * in))},
            {"", DataType::kF32, {out, config_.rank}, bytes.first(size(out * config_.rank))}};
  }

  const Result<TempDir> folder_ = TempDir::Make("lora");
  const std::vector<std::byte> room_ = std::vector<std::byte>(4096);
  LoraConfig config_{.rank = 2, .alpha = 8};
  ModelConfig model_{.vocab_size = 10,
                     .hidden_size = 8,
                     .intermediate_size = 16,
                     .num_layers = 1,
                     .num_heads = 2,
                     .num_kv_heads = 1,
                     .head_dim = 4,
                     .max_positions = 64};
};

TEST_F(LoraTest, WhatIsWrittenIsReadBackByTheNamesOfPeft) {
  const std::vector<LoraPair> pairs = {PairOf("model.layers.0.self_attn.v_proj", 4, 8),
                                       PairOf("model.layers.0.self_attn.q_proj", 8, 8)};
  ASSERT_TRUE(WriteLora(folder_->path() / "a", config_, pairs));
  const auto file = SafetensorsFile::Open(folder_->path() / "a/adapter_model.safetensors");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->tensors().front().name,
            "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight");
  const auto adapter = LoraAdapter::Open(folder_->path() / "a");
  ASSERT_TRUE(adapter) << adapter.error().message;
  ASSERT_EQ(adapter->pairs().size(), 2U);
  EXPECT_EQ(adapter->pairs()[0].module, "model.layers.0.self_attn.q_proj");
  EXPECT_EQ(adapter->config().scale(), 4);
  EXPECT_TRUE(CheckFits(*adapter, model_));
  model_.hidden_size = 12;
  EXPECT_THAT(CheckFits(*adapter, model_).error().message, HasSubstr("made for a matrix of"));
}

TEST_F(LoraTest, RanksAndHalvesThatDoNotFitAreRefused) {
  LoraPair pair = PairOf("m", 4, 8);
  pair.a.shape = {8, 2};
  ASSERT_TRUE(WriteLora(folder_->path(), config_, std::vector<LoraPair>{pair}));
  EXPECT_THAT(LoraAdapter::Open(folder_->path()).error().message, HasSubstr("not those of rank 2"));
  const TensorView half{LoraNameA("m"), DataType::kU8, {1}, std::span(room_).first(1)};
  ASSERT_TRUE(WriteSafetensors(folder_->path() / "adapter_model.safetensors",
                               std::vector<TensorView>{half}));
  EXPECT_THAT(LoraAdapter::Open(folder_->path()).error().message, HasSubstr("only one of"));
}

TEST_F(LoraTest, OtherKindsOfAdaptersAreRefusedByName) {
  const auto refusal = [&](const Json& change) {
    Json json = ToJson(config_);
    json.update(change);
    const auto parsed = ParseLoraConfig(json, "c");
    EXPECT_FALSE(parsed) << change;
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_THAT(refusal({{"use_dora", true}}), HasSubstr("use_dora"));
  EXPECT_THAT(refusal({{"bias", "all"}}), HasSubstr("bias"));
  EXPECT_THAT(refusal({{"rank_pattern", {{"q_proj", 4}}}}), HasSubstr("rank_pattern"));
  EXPECT_THAT(refusal({{"modules_to_save", {"lm_head"}}}), HasSubstr("modules_to_save"));
  EXPECT_THAT(refusal({{"peft_type", "IA3"}}), HasSubstr("LORA"));
  EXPECT_THAT(refusal({{"r", 0}}), HasSubstr("from 1"));
  Json rslora = ToJson(config_);
  rslora.update({{"r", 4}, {"use_rslora", true}, {"target_modules", "all-linear"}});
  EXPECT_EQ(ParseLoraConfig(rslora, "c")->scale(), 4);
}

}  // namespace
}  // namespace hone::llm
