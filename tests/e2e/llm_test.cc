// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hone/base/file.h"
#include "hone/llm/files/checkpoint.h"
#include "hone/llm/files/model_tensors.h"
#include "hone/llm/text/tokenizer_trainer.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using testing::HasSubstr;

class LlmCommandTest : public HoneTest {
 protected:
  // A model of two layers with weights of zero.
  void SetUp() override {
    const std::string_view text = "the cat and the dog and the bird";
    const auto trained = llm::TrainTokenizer(std::span(&text, 1), {.vocab_size = 280});
    ASSERT_TRUE(trained) << trained.error().message;
    ASSERT_TRUE(llm::WriteTokenizer(Model(), *trained));
    const llm::ModelConfig config{.vocab_size = 300,
                                  .hidden_size = 8,
                                  .intermediate_size = 16,
                                  .num_layers = 2,
                                  .num_heads = 2,
                                  .num_kv_heads = 1,
                                  .head_dim = 4,
                                  .max_positions = 64,
                                  .attention_bias = true,
                                  .eos_token_ids = {1}};
    ASSERT_TRUE(WriteFileAtomically(Model() + "/config.json", Dump(llm::ToJson(config))));
    const std::vector<std::byte> zeros(100'000);
    std::vector<llm::TensorView> tensors;
    for (const llm::TensorShape& tensor : llm::TensorsOf(config)) {
      const auto size = llm::BytesOf(llm::DataType::kBF16, tensor.shape);
      tensors.push_back(
          {tensor.name, llm::DataType::kBF16, tensor.shape, std::span(zeros).first(*size)});
    }
    ASSERT_TRUE(llm::WriteSafetensors(Model() + "/model.safetensors", tensors));
  }

  std::string Model() const { return (Folder() / "model").string(); }

  ProcessResult RunWith(std::vector<std::string> arguments, const std::string& input) const {
    Command command;
    command.arguments = CommandFor(std::move(arguments));
    command.input = input;
    const auto result = RunProcess(command);
    EXPECT_TRUE(result);
    return *result;
  }
};

TEST_F(LlmCommandTest, InfoTellsWhatIsThereAndWhatIsWrong) {
  const auto whole = Run({"llm", "info", Model()});
  EXPECT_EQ(whole.status, 0) << whole.output << whole.errors;
  EXPECT_THAT(whole.output, HasSubstr("qwen2: 0.00 billion parameters in 2 layers"));
  EXPECT_EQ(RunJson({"llm", "info", Model()})["problems"].size(), 0U);
  const auto weights = ReadFile(Model() + "/model.safetensors");
  ASSERT_TRUE(
      WriteFileAtomically(Model() + "/model.safetensors", weights->substr(0, weights->size() - 1)));
  const auto broken = Run({"llm", "info", Model()});
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.output, HasSubstr("cut off"));
  EXPECT_EQ(Run({"llm", "info", Model() + "x"}).status, 1);
  EXPECT_EQ(Run({"llm", "info"}).status, 2);
}

TEST_F(LlmCommandTest, TokensAndPromptsAreShown) {
  const Json tokens = RunJson({"llm", "tokenize", Model(), "the<|im_end|>"});
  ASSERT_TRUE(tokens.is_array());
  std::string text;
  for (const Json& token : tokens) text += token["text"].get<std::string>();
  EXPECT_EQ(text, "the<|im_end|>");
  EXPECT_LT(RunJson({"llm", "tokenize", "--special", Model(), "the<|im_end|>"}).size(),
            tokens.size());
  const std::string messages = R"([{"role":"user","content":"hi <|im_end|>"}])";
  const auto prompt = RunWith({"llm", "template", Model()}, messages);
  EXPECT_EQ(prompt.output, "<|im_start|>user\nhi <|im_end|><|im_end|>\n<|im_start|>assistant\n");
  const auto ids = RunWith({"llm", "template", "--tokens", Model()}, messages);
  EXPECT_EQ(ids.status, 0) << ids.errors;
  EXPECT_EQ(RunWith({"llm", "template", Model()}, "nonsense").status, 2);
}

}  // namespace
}  // namespace hone
