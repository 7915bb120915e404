// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/scripted_model_for_test.h"

// The exam that every chat model passes. Its test includes this header and says
//   INSTANTIATE_TEST_SUITE_P(Scripted, ChatModelContract, testing::Values(ChatModelExam{…}));
// Include it in one source of a test program only.
namespace hone::agent {

// The requests of the exam; a model that must know them beforehand (a recorded one) gets them here.
inline std::vector<ChatRequest> ExamRequests() {
  std::vector<ChatRequest> requests;
  const auto ask = [&](std::string text) {
    ChatRequest request{.messages = {{.role = ChatRole::kSystem, .text = "Be brief."},
                                     {.role = ChatRole::kUser, .text = std::move(text)}}};
    request.tools = {{.name = "look",
                      .description = "Looks.",
                      .parameters = {{"type", "object"}, {"properties", Json::object()}}}};
    requests.push_back(std::move(request));
  };
  ask("talk");
  ask("call");
  ask("refuse");
  ask("think");
  for (int k = 0; k < 16; ++k) ask("number " + std::to_string(k));
  return requests;
}

// What a model in the exam answers.
inline Result<ChatAnswer> ExamScript(const ChatRequest& request) {
  const std::string& text = request.messages.back().text;
  if (text == "refuse") return Error{Errc::kInvalidArgument, "this is refused"};
  ChatAnswer answer = TextAnswer("I heard \"" + text + "\" … ünïcödé \n\t{}");
  answer.usage = {.prompt_tokens = 7, .answer_tokens = 5};
  if (text == "think") {
    answer.message.reasoning = "hmm, hmm";
    answer.usage.reasoning_tokens = 3;
  }
  if (text == "call") {
    answer.message.text.clear();
    answer.message.calls = {{.id = "c1", .name = "look", .arguments = R"({"at":"x \" y"})"},
                            {.id = "c2", .name = "look", .arguments = "{}"}};
    answer.end = ChatEnd::kToolCalls;
  }
  return answer;
}

struct ChatModelExam {
  std::string name;                                  // Letters and digits.
  std::function<std::unique_ptr<ChatModel>()> make;  // A model that answers as ExamScript does.
};

class ChatModelContract : public testing::TestWithParam<ChatModelExam> {
 protected:
  std::unique_ptr<ChatModel> model_ = GetParam().make();
  std::vector<ChatRequest> requests_ = ExamRequests();
};

TEST_P(ChatModelContract, AnswersWithTextUsageAndItsName) {
  const auto answer = model_->Ask(requests_[0]);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->message, ExamScript(requests_[0])->message);
  EXPECT_EQ(answer->usage, ExamScript(requests_[0])->usage);
  EXPECT_EQ(answer->end, ChatEnd::kStop);
  EXPECT_EQ(answer->model, "scripted");
  EXPECT_NE(model_->name(), "");
}

TEST_P(ChatModelContract, TheListenerHearsTheTextInOrderFromTheAskingThread) {
  std::string heard;
  bool is_same_thread = true;
  const auto me = std::this_thread::get_id();
  const auto answer = model_->Ask(requests_[0], [&](std::string_view piece) {
    if (piece.empty()) heard.clear();
    heard += piece;
    is_same_thread = is_same_thread && std::this_thread::get_id() == me;
  });
  ASSERT_TRUE(answer);
  EXPECT_EQ(heard, answer->message.text);
  EXPECT_TRUE(is_same_thread);
}

TEST_P(ChatModelContract, CallsOfToolsAreWhole) {
  const auto answer = model_->Ask(requests_[1]);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->message.calls, ExamScript(requests_[1])->message.calls);
  EXPECT_EQ(answer->end, ChatEnd::kToolCalls);
}

TEST_P(ChatModelContract, WhatItThoughtIsApartFromWhatItSays) {
  const auto answer = model_->Ask(requests_[3]);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->message.reasoning, "hmm, hmm");
  EXPECT_EQ(answer->usage.reasoning_tokens, 3);
}

TEST_P(ChatModelContract, ARefusalIsAnErrorAndTheModelGoesOn) {
  const auto refused = model_->Ask(requests_[2]);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("this is refused"));
  EXPECT_TRUE(model_->Ask(requests_[0]));
}

TEST_P(ChatModelContract, ManyMayAskAtOnceAndEachGetsItsOwnAnswer) {
  std::vector<std::string> texts(requests_.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 4; k < requests_.size(); ++k) {
      threads.emplace_back([&, k] {
        const auto answer = model_->Ask(requests_[k]);
        texts[k] = answer ? answer->message.text : answer.error().message;
      });
    }
  }
  for (std::size_t k = 4; k < requests_.size(); ++k) {
    EXPECT_EQ(texts[k], ExamScript(requests_[k])->message.text);
  }
}

inline std::string NameOfChatExam(const testing::TestParamInfo<ChatModelExam>& info) {
  return info.param.name;
}

}  // namespace hone::agent
