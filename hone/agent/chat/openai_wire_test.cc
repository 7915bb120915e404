// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/openai_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<ChatAnswer> AnswerOf(const std::vector<std::string>& chunks, bool is_marked = true,
                            AnswerLimits limits = {.text_bytes = 1000, .body_bytes = 10'000}) {
  AnswerBuilder builder(limits);
  for (const std::string& chunk : chunks) {
    const auto taken = builder.Take(ParseJson(chunk, "chunk").value());
    if (!taken) return taken.error();
  }
  return builder.Finish(is_marked);
}

TEST(OpenAiWireTest, ARequestHasAllThatWasAsked) {
  ChatRequest request;
  request.messages = {{.role = ChatRole::kSystem, .text = "s"},
                      {.role = ChatRole::kUser, .text = "u"},
                      {.role = ChatRole::kAssistant, .text = "", .calls = {{"1", "f", "{}"}}},
                      {.role = ChatRole::kTool, .text = "t", .answered_call = "1"}};
  request.messages[2].reasoning = "is not sent back";
  request.tools = {{"f", "does", Json::object()}};
  request.answer_schema = Json::object({{"type", "object"}});
  request.temperature = 0.5;
  request.seed = 7;
  request.stop = {"END"};
  request.max_tokens = 99;
  EXPECT_EQ(RequestJson(request, "m", {}), ParseJson(R"({
    "model": "m", "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 99,
    "messages": [
      {"role": "system", "content": "s"}, {"role": "user", "content": "u"},
      {"role": "assistant", "content": null, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
      {"role": "tool", "content": "t", "tool_call_id": "1"}],
    "tools": [{"type": "function", "function": {"name": "f", "description": "does", "parameters": {}}}],
    "response_format": {"type": "json_schema", "json_schema":
      {"name": "answer", "strict": true, "schema": {"type": "object"}}},
    "temperature": 0.5, "seed": 7, "stop": ["END"]})",
                                                     "expected")
                                               .value());
  const Json other =
      RequestJson(request, "m", {.says_completion_tokens = true, .asks_for_usage = false});
  EXPECT_EQ(other.at("max_completion_tokens"), 99);
  EXPECT_FALSE(other.contains("max_tokens"));
  EXPECT_FALSE(other.contains("stream_options"));
}

TEST(OpenAiWireTest, APromptHasFewerTokensThanTheBoundOnIt) {
  ChatRequest request{.messages = {{.text = std::string(5000, 'x')}}};
  EXPECT_GT(MaxPromptTokens(request), 5000);
  EXPECT_LT(MaxPromptTokens(request), 6000);
}

TEST(OpenAiWireTest, WhatIsMissingOrNullIsTolerated) {
  const auto answer =
      AnswerOf({R"({"choices":null})", R"({"choices":[],"usage":null})",
                R"({"choices":[{"index":0,"delta":null,"finish_reason":null}]})",
                R"({"choices":[{"delta":{"role":"assistant","content":null}}]})",
                R"({"choices":[{"delta":{"content":"a","tool_calls":null}}]})",
                R"({"choices":[{"index":1,"delta":{"content":"other"}}]})",
                R"({"choices":[{"delta":{"content":[{"type":"text","text":"b"}]}}]})"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->message.text, "ab");
  EXPECT_EQ(answer->end, ChatEnd::kStop);
  EXPECT_EQ(answer->usage.answer_tokens, 1);
}

TEST(OpenAiWireTest, CallsComeInPiecesWholeOrWithAnObject) {
  const auto answer = AnswerOf(
      {R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}},{"index":1,"function":{"name":"g","arguments":{"y":2}}}]}}]})",
       R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"});
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->message.calls.size(), 2U);
  EXPECT_EQ(answer->message.calls[0], (ToolCall{"a", "f", R"({"x":1})"}));
  EXPECT_EQ(answer->message.calls[1], (ToolCall{"call-1", "g", R"({"y":2})"}));
  EXPECT_EQ(answer->end, ChatEnd::kToolCalls);  // Although it said "stop".
}

TEST(OpenAiWireTest, ThinkingHasTwoNamesAndCountsInTheUsage) {
  for (const char* name : {"reasoning_content", "reasoning"}) {
    const auto answer = AnswerOf(
        {std::string(R"({"choices":[{"message":{"content":"4",")") + name +
         R"(":"2+2"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":9,)" +
         R"("total_tokens":19,"completion_tokens_details":{"reasoning_tokens":8}}})"});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->message.reasoning, "2+2");
    EXPECT_EQ(answer->usage, (ChatUsage{10, 9, 8}));
  }
  // A server that has it in the total alone.
  const auto apart = AnswerOf(
      {R"({"choices":[{"message":{"content":"4"}}],"usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":50,"completion_tokens_details":{"reasoning_tokens":39}}})"});
  EXPECT_EQ(apart->usage, (ChatUsage{10, 40, 39}));
}

TEST(OpenAiWireTest, NumbersThatCannotBeAreNotBelieved) {
  AnswerBuilder builder({.text_bytes = 100, .body_bytes = 100});
  for (const char* usage :
       {R"({"usage":{"prompt_tokens":-5,"completion_tokens":3}})",
        R"({"usage":{"prompt_tokens":"many","completion_tokens":3}})", R"({"usage":[1]})"}) {
    ASSERT_TRUE(builder.Take(ParseJson(usage, "usage").value()));
    EXPECT_FALSE(builder.has_usage());
  }
  const auto huge = AnswerOf(
      {R"({"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1e300,"completion_tokens":18446744073709551615}})"});
  ASSERT_TRUE(huge);
  EXPECT_EQ(huge->usage.prompt_tokens, 1'000'000'000'000);
}

TEST(OpenAiWireTest, WhatIsOfTheWrongKindIsAnError) {
  for (const char* chunk : {"[]", R"("text")", R"({"choices":[{"delta":{"content":5}}]})",
                            R"({"choices":[{"delta":{"tool_calls":"f"}}]})",
                            R"({"error":{"message":"overloaded"}})", R"({"error":"overloaded"})"}) {
    EXPECT_FALSE(AnswerOf({chunk})) << chunk;
  }
  EXPECT_THAT(AnswerOf({}).error().message, HasSubstr("no choices"));
  const std::string some = R"({"choices":[{"delta":{"content":"half of"}}]})";
  EXPECT_THAT(AnswerOf({some}, false).error().message, HasSubstr("in the middle"));
  const std::string end = R"({"choices":[{"delta":{},"finish_reason":"length"}]})";
  EXPECT_EQ(AnswerOf({some, end}, false)->end, ChatEnd::kLength);
}

TEST(OpenAiWireTest, LimitsHold) {
  const std::string piece =
      R"({"choices":[{"delta":{"content":")" + std::string(600, 'x') + R"("}}]})";
  EXPECT_EQ(AnswerOf({piece, piece}).error().code, Errc::kUnsupported);
  EXPECT_EQ(
      AnswerOf({R"({"choices":[{"delta":{"tool_calls":[{"index":4000000000}]}}]})"}).error().code,
      Errc::kUnsupported);
  EXPECT_LT(LimitsOf({.messages = {}, .max_tokens = 1'000'000'000}).text_bytes, 1U << 30);
}

TEST(OpenAiWireTest, ErrorsOfServersBecomeOneHarmlessLine) {
  EXPECT_EQ(ErrorText(R"({"error":{"message":"no\nsuch \u001b[31mmodel","code":1}})"),
            "no such  [31mmodel");
  EXPECT_EQ(ErrorText(R"({"error":"plain"})"), "plain");
  EXPECT_EQ(ErrorText(R"({"detail":"Not Found"})"), "Not Found");
  EXPECT_EQ(ErrorText(R"({"object":"error","message":"vllm"})"), "vllm");
  EXPECT_EQ(ErrorText("<html>\r\nBad gateway"), "<html>  Bad gateway");
  EXPECT_EQ(ErrorText(""), "it gives no reason");
  EXPECT_LT(ErrorText(std::string(100'000, 'x')).size(), 400U);
  EXPECT_THAT(ErrorText("\xff\xfe"), Not(HasSubstr("\xff")));
}

}  // namespace
}  // namespace hone::agent
