// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "hone/base/temp_dir.h"
#include "hone/core/rng.h"
#include "hone/llm/engine/tiny_model_for_test.h"
#include "hone/llm/files/new_model.h"

namespace hone::llm {
namespace {

using Family = ModelConfig::Family;
using testing::ElementsAreArray;
using testing::SizeIs;

struct Answer {
  std::vector<TokenId> ids;
  std::vector<float> logs;
  std::vector<float> sampled_logs;
  std::optional<FinishReason> finish;
};
using Answers = std::map<std::pair<RequestId, int>, Answer>;

void Gather(std::vector<GenerationEvent> events, Answers& answers) {
  for (const GenerationEvent& event : events) {
    Answer& answer = answers[{event.request, event.sample}];
    for (const SampledToken& token : event.tokens) {
      answer.ids.push_back(token.id);
      answer.logs.push_back(token.log_probability);
      answer.sampled_logs.push_back(token.sampled_probability);
    }
    if (event.finish) answer.finish = event.finish;
  }
}

std::vector<TokenId> SomeIds(std::uint64_t seed, std::size_t count) {
  Rng random(seed);
  std::vector<TokenId> ids;
  while (ids.size() < count) ids.push_back(static_cast<TokenId>(3 + random.Below(197)));
  return ids;
}

GenerationRequest Wanted(std::vector<TokenId> prompt, std::int64_t tokens, std::uint64_t seed) {
  GenerationRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = tokens;
  request.seed = seed;
  return request;
}

// A model of each family with a decoder.
class EngineTest : public testing::TestWithParam<Family> {
 protected:
  void SetUp() override {
    auto folder = TempDir::Make("llm");
    ASSERT_TRUE(folder) << folder.error().message;
    folder_ = std::make_unique<TempDir>(std::move(*folder));
    const auto written = WriteNewModel(folder_->path(), TinyModel(GetParam()), {7, 0.3, true});
    ASSERT_TRUE(written) << written.error().message;
    auto model = LanguageModel::Open(folder_->path(), {});
    ASSERT_TRUE(model) << model.error().message;
    model_ = std::make_unique<LanguageModel>(std::move(*model));
  }

  std::unique_ptr<Decoder> MakeRows(std::int64_t rows, std::int64_t steps = 1,
                                    std::int64_t length = 256) {
    DecoderSettings settings;
    settings.rows = rows;
    settings.max_length = length;
    settings.steps_per_read = steps;
    auto decoder = MakeDecoder(*model_, settings);
    EXPECT_TRUE(decoder) << decoder.error().message;
    return std::move(*decoder);
  }

  // Each request alone in an engine of its own.
  Answers OneByOne(const std::vector<GenerationRequest>& requests) {
    Answers answers;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto decoder = MakeRows(1);
      Engine engine(*decoder);
      engine.Submit(i, requests[i]);
      while (!engine.is_idle()) Gather(engine.Step(), answers);
    }
    return answers;
  }

  std::unique_ptr<TempDir> folder_;
  std::unique_ptr<LanguageModel> model_;
};

std::vector<float> LogSoftmax(std::span<const float> logits) {
  const float best = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - best));
  std::vector<float> logs;
  for (const float logit : logits) logs.push_back(static_cast<float>(logit - best - std::log(sum)));
  return logs;
}

TEST_P(EngineTest, PromptAndStepsGiveWhatOnePassGives) {
  const auto decoder = MakeRows(2, 3);
  Engine engine(*decoder);
  engine.Submit(1, Wanted(SomeIds(1, 37), 60, 5));
  Answers answers;
  while (!engine.is_idle()) Gather(engine.Step(), answers);
  const Answer& answer = answers.at({1, 0});
  ASSERT_THAT(answer.ids, SizeIs(60));
  std::vector<TokenId> all = SomeIds(1, 37);
  all.insert(all.end(), answer.ids.begin(), answer.ids.end());
  const auto logits = model_->Logits(all);
  for (std::size_t i = 0; i < answer.ids.size(); ++i) {
    const auto logs = LogSoftmax(std::span(logits).subspan((36 + i) * 200, 200));
    EXPECT_NEAR(answer.logs[i], logs[static_cast<std::size_t>(answer.ids[i])], 2e-4) << i;
    EXPECT_NEAR(answer.sampled_logs[i], answer.logs[i], 1e-4) << "at temperature 1";
  }
}

TEST_P(EngineTest, TokensDoNotDependOnWhoSharesTheBatch) {
  std::vector<GenerationRequest> requests;
  for (std::uint64_t i = 0; i < 9; ++i) {
    requests.push_back(Wanted(SomeIds(i, 1 + 7 * i), 20 + static_cast<std::int64_t>(3 * i), i));
  }
  requests[3].sampling.temperature = 0;
  requests[4].sampling.top_k = 5;
  requests[5].sampling = {.temperature = 0.8, .top_p = 0.7, .repetition_penalty = 1.3};
  const Answers alone = OneByOne(requests);
  const auto decoder = MakeRows(4, 2);
  Engine engine(*decoder);
  Answers together;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    engine.Submit(i, requests[i]);
    Gather(engine.Step(), together);  // The next one joins what is under way.
  }
  while (!engine.is_idle()) Gather(engine.Step(), together);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::pair<RequestId, int> key{i, 0};
    EXPECT_THAT(together.at(key).ids, ElementsAreArray(alone.at(key).ids)) << i;
    EXPECT_EQ(together.at(key).finish, FinishReason::kLength);
  }
}

TEST_P(EngineTest, GroupsShareTheirPromptAndEqualSingles) {
  GenerationRequest group = Wanted(SomeIds(4, 50), 30, 11);
  group.samples = 6;
  const auto decoder = MakeRows(4);
  Engine engine(*decoder);
  engine.Submit(0, group);
  Answers together;
  while (!engine.is_idle()) Gather(engine.Step(), together);
  EXPECT_LE(engine.stats().computed_tokens, 2 * 50U)
      << "the last two may come after the first four";
  const auto narrow = MakeRows(1);
  Engine single(*narrow);
  single.Submit(0, group);
  Answers alone;
  while (!single.is_idle()) Gather(single.Step(), alone);
  for (int i = 0; i < 6; ++i) {
    EXPECT_THAT(together.at({0, i}).ids, ElementsAreArray(alone.at({0, i}).ids)) << i;
  }
  EXPECT_NE(together.at({0, 0}).ids, together.at({0, 1}).ids) << "each draws for itself";
}

TEST_P(EngineTest, MovedRowsGoOn) {
  const auto decoder = MakeRows(8);
  Engine engine(*decoder);
  for (std::uint64_t i = 0; i < 7; ++i) engine.Submit(i, Wanted(SomeIds(i, 9), 2, i));
  const GenerationRequest last = Wanted(SomeIds(7, 9), 40, 7);
  engine.Submit(7, last);
  Answers answers;
  while (!engine.is_idle()) Gather(engine.Step(), answers);
  EXPECT_THAT(answers.at({7, 0}).ids, ElementsAreArray(OneByOne({last}).at({0, 0}).ids));
}

TEST_P(EngineTest, StopsAtAStopIdAndKeepsIt) {
  const GenerationRequest free = Wanted(SomeIds(2, 5), 40, 3);
  const auto whole = OneByOne({free}).at({0, 0}).ids;
  GenerationRequest stopped = free;
  for (TokenId id = 300; id < 320; ++id)
    stopped.stop_ids.push_back(id);  // More than a device keeps.
  stopped.stop_ids.push_back(whole[10]);
  const auto first = std::find(whole.begin(), whole.end(), whole[10]);
  const Answer answer = OneByOne({stopped}).at({0, 0});
  EXPECT_THAT(answer.ids, ElementsAreArray(whole.begin(), first + 1));
  EXPECT_EQ(answer.finish, FinishReason::kStop);
}

TEST_P(EngineTest, EndsWhereTheContextEnds) {
  const auto decoder = MakeRows(1, 4, 32);
  Engine engine(*decoder);
  engine.Submit(1, Wanted(SomeIds(1, 30), 100, 1));
  Answers answers;
  while (!engine.is_idle()) Gather(engine.Step(), answers);
  EXPECT_THAT(answers.at({1, 0}).ids, SizeIs(3));
  EXPECT_EQ(answers.at({1, 0}).finish, FinishReason::kLength);
}

TEST_P(EngineTest, CancelledRequestsLeaveAtOnce) {
  const auto decoder = MakeRows(1);
  Engine engine(*decoder);
  engine.Submit(1, Wanted(SomeIds(1, 5), 200, 1));
  engine.Submit(2, Wanted(SomeIds(2, 5), 3, 1));
  Answers answers;
  Gather(engine.Step(), answers);
  engine.Cancel(1);
  while (!engine.is_idle()) Gather(engine.Step(), answers);
  EXPECT_EQ(answers.at({1, 0}).finish, FinishReason::kCancelled);
  EXPECT_THAT(answers.at({1, 0}).ids, SizeIs(1));
  EXPECT_THAT(answers.at({2, 0}).ids, SizeIs(3));
}

TEST_P(EngineTest, SavedModelsHaveTheSameLogits) {
  const auto folder = TempDir::Make("llm");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(model_->Save(folder->path()));
  const auto again = LanguageModel::Open(folder->path(), {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->Logits(SomeIds(1, 12)), model_->Logits(SomeIds(1, 12)));
}

TEST_P(EngineTest, HalfPrecisionIsNear) {
  const auto half = LanguageModel::Open(folder_->path(), {false, DataType::kBF16});
  ASSERT_TRUE(half) << half.error().message;
  const auto ids = SomeIds(3, 20);
  const auto exact = model_->Logits(ids);
  const auto rounded = half->Logits(ids);
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error += std::abs(exact[i] - rounded[i]);
    size += std::abs(exact[i]);
  }
  EXPECT_LT(error, 0.05 * size);
  EXPECT_GT(error, 0) << "it was computed in another type";
}

INSTANTIATE_TEST_SUITE_P(Families, EngineTest,
                         testing::Values(Family::kQwen2, Family::kQwen3, Family::kLlama));

class SamplingTest : public EngineTest {};

TEST_P(SamplingTest, FollowsTheDistribution) {
  const auto prompt = SomeIds(9, 6);
  const auto logits = model_->Logits(prompt);
  const auto logs = LogSoftmax(std::span(logits).subspan(5 * 200, 200));
  GenerationRequest request = Wanted(prompt, 1, 1);
  request.samples = 4000;
  const auto decoder = MakeRows(250);
  Engine engine(*decoder);
  engine.Submit(0, request);
  std::vector<double> counts(200);
  Answers answers;
  while (!engine.is_idle()) Gather(engine.Step(), answers);
  for (const auto& [key, answer] : answers) ++counts[static_cast<std::size_t>(answer.ids[0])];
  double statistic = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = 4000 * std::exp(static_cast<double>(logs[i]));
    statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  EXPECT_LT(statistic, 199 + 5 * std::sqrt(2 * 199.0)) << "chi-squared with 199 degrees of freedom";
}

TEST_P(SamplingTest, FiltersLeaveOutTheRestAndRenormalise) {
  const auto prompt = SomeIds(9, 6);
  const auto logits = model_->Logits(prompt);
  auto logs = LogSoftmax(std::span(logits).subspan(5 * 200, 200));
  std::vector<int> order(200);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return logs[static_cast<std::size_t>(a)] > logs[static_cast<std::size_t>(b)];
  });
  GenerationRequest request = Wanted(prompt, 1, 1);
  request.samples = 300;
  request.sampling.top_k = 3;
  const auto decoder = MakeRows(100);
  Engine engine(*decoder);
  engine.Submit(0, request);
  Answers answers;
  while (!engine.is_idle()) Gather(engine.Step(), answers);
  double kept = 0;
  for (int i = 0; i < 3; ++i)
    kept += std::exp(
        static_cast<double>(logs[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]));
  for (const auto& [key, answer] : answers) {
    EXPECT_THAT(std::vector<int>(order.begin(), order.begin() + 3),
                testing::Contains(answer.ids[0]));
    EXPECT_NEAR(answer.sampled_logs[0], answer.logs[0] - std::log(kept), 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(OneFamily, SamplingTest, testing::Values(Family::kQwen2));

TEST(EngineCheckTest, RefusesWhatCannotRun) {
  GenerationRequest good = Wanted({1, 2}, 5, 1);
  EXPECT_TRUE(Engine::Check(good, 10, 8));
  const auto refuses = [&](auto change, const std::string& word) {
    GenerationRequest bad = good;
    change(bad);
    const auto checked = Engine::Check(bad, 10, 8);
    ASSERT_FALSE(checked) << word;
    EXPECT_THAT(checked.error().message, testing::HasSubstr(word));
  };
  refuses([](auto& r) { r.prompt.clear(); }, "prompt");
  refuses([](auto& r) { r.prompt = {1, 10}; }, "10 is no id");
  refuses([](auto& r) { r.prompt.assign(8, 1); }, "8 tokens");
  refuses([](auto& r) { r.samples = 0; }, "samples");
  refuses([](auto& r) { r.max_tokens = 0; }, "max_tokens");
  refuses([](auto& r) { r.sampling.temperature = std::nan(""); }, "temperature");
  refuses([](auto& r) { r.sampling.top_p = 1.5; }, "top_p");
  refuses([](auto& r) { r.top_log_probabilities = 21; }, "top_logprobs");
}

}  // namespace
}  // namespace hone::llm
