// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/serve/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "hone/llm/serve/engine_process.h"

namespace hone::llm {
namespace {

using testing::HasSubstr;

TEST(EngineMessagesTest, RequestsComeAsTheyWere) {
  SubmitMessage sent;
  sent.id = 7;
  sent.request.prompt = {1, 2, 151'935};
  sent.request.samples = 3;
  sent.request.max_tokens = 99;
  sent.request.seed = std::numeric_limits<std::uint64_t>::max();
  sent.request.stop_ids = {5};
  sent.request.top_log_probabilities = 4;
  sent.request.sampling = {0.7, 20, 0.8, 0.01, 1.1, 0.5, -0.5};
  const auto got = ReadToEngine(ToJson(ToEngine(sent)));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(ToJson(*got), ToJson(ToEngine(sent)));
  EXPECT_EQ(std::get<SubmitMessage>(*got).request.seed, sent.request.seed);
}

TEST(EngineMessagesTest, EventsComeAsTheyWere) {
  GenerationEvent event;
  event.request = 3;
  event.sample = 1;
  event.tokens = {{11, -0.5F, -0.25F, {{11, -0.5F}, {12, -1.5F}}}, {13, -2, -3, {}}};
  event.finish = FinishReason::kLength;
  const auto got = ReadFromEngine(ToJson(FromEngine(event)));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(ToJson(*got), ToJson(FromEngine(event)));
  EXPECT_EQ(std::get<GenerationEvent>(*got).tokens[0].top[1].first, 12);
}

TEST(EngineMessagesTest, MinusInfinityIsAVeryLowNumber) {
  GenerationEvent event;
  event.tokens = {{1, -std::numeric_limits<float>::infinity(), 0, {}}};
  const auto got = ReadFromEngine(ToJson(FromEngine(event)));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_LT(std::get<GenerationEvent>(*got).tokens[0].log_probability, -1e30F);
}

TEST(EngineMessagesTest, WhatIsNoMessageIsAnError) {
  for (
      const char* text :
      {R"(1)", R"({})", R"({"is":"x"})", R"({"is":"tokens","id":-1})",
       R"({"is":"tokens","id":1,"sample":0,"ids":[1],"logprobs":[],"sampled_logprobs":[]})",
       R"({"is":"tokens","id":1,"sample":0,"ids":[-4],"logprobs":[0],"sampled_logprobs":[0]})",
       R"({"is":"tokens","id":1,"sample":0,"ids":[],"logprobs":[],"sampled_logprobs":[],"finish":1})",
       R"({"is":"ready"})"}) {
    const auto json = ParseJson(text, "test");
    ASSERT_TRUE(json);
    const auto got = ReadFromEngine(*json);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().code, Errc::kCorrupt) << text;
    EXPECT_FALSE(ReadToEngine(*json)) << text;
  }
}

TEST(EngineProcessTest, OneThatEndsAtOnceIsAnError) {
  const auto started = EngineProcess::Start({"/bin/true", {}});
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("ended with status 0 before the model was ready"));
}

TEST(EngineProcessTest, OneThatHangsWhileItLoadsIsEnded) {
  const auto started = EngineProcess::Start({"/bin/sleep", {"60"}, std::chrono::milliseconds{20}});
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("had not loaded the model after 20ms"));
}

TEST(EngineProcessTest, OneThatIsNotThereIsAnError) {
  const auto started = EngineProcess::Start({"/nonexistent/hone-llm", {}});
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("/nonexistent/hone-llm"));
}

TEST(EngineProcessTest, OneThatSpeaksNonsenseIsAnError) {
  const auto started = EngineProcess::Start({"/bin/sh", {"-c", "printf '\\002\\0\\0\\0{}' >&3"}});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::kCorrupt);
}

}  // namespace
}  // namespace hone::llm
