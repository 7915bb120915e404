// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/sentence_chat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/chat/scripted_model_for_test.h"
#include "hone/app/plan/tune_target.h"

namespace hone::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

agent::ScriptedModel Saying(const std::string& text) {
  return agent::ScriptedModel([text](const agent::ChatRequest&) -> Result<agent::ChatAnswer> {
    return agent::TextAnswer(text);
  });
}

TEST(SentenceChatTest, TheModelChoosesAPresetAnAimAndParameters) {
  agent::ScriptedModel model = Saying(
      R"({"preset": "redis", "aim": "tail latency", "add": ["vm.swappiness", "kernel.panic"],
          "reading": "short waits of a cache"})");
  const auto choice = ChooseByChat("my cache stutters", model);
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_EQ(choice->preset, "redis");
  EXPECT_THAT(choice->aims, ElementsAre("latency"));
  EXPECT_TRUE(choice->is_about_tail);
  EXPECT_THAT(choice->because.at(0), HasSubstr("short waits of a cache"));
  EXPECT_THAT(choice->ignored, ElementsAre("kernel.panic"));
  EXPECT_THAT(model.requests().at(0).messages.at(1).text, HasSubstr("my cache stutters"));
}

TEST(SentenceChatTest, WhatCannotBeTunedWhereThePresetRunsIsIgnoredAndTheRestIsPlanned) {
  const Builtins builtins = MakeBuiltins();
  agent::ScriptedModel model = Saying(
      R"({"preset": "tcp", "aim": "", "add": ["vm.swappiness", "net.ipv4.tcp_wmem",
          "net.ipv4.tcp_window_scaling"], "reading": "bulk data"})");
  const auto choice = ChooseByChat("faster downloads", model);
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_THAT(choice->ignored, ElementsAre("vm.swappiness"));
  EXPECT_THAT(choice->added, ElementsAre("net.ipv4.tcp_window_scaling"));
  const auto target = ReadTarget("faster downloads", builtins, &model);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_THAT(target->choice, HasSubstr("not followed: vm.swappiness"));
  for (const auto& parameter : target->workload->parameters) {
    EXPECT_TRUE(parameter.name.starts_with("net.")) << parameter.name;
  }
}

TEST(SentenceChatTest, WhatIsNoAnswerIsAnErrorAndTheRulesRead) {
  const Builtins builtins = MakeBuiltins();
  for (const char* text : {"", "nginx, I think", R"({"preset": "; reboot", "aim": "", "add": [],
       "reading": ""})",
                           R"({"preset": "memory"})"}) {
    agent::ScriptedModel model = Saying(text);
    EXPECT_FALSE(ChooseByChat("more memory", model)) << text;
    const auto target = ReadTarget("optimise for memory-intensive workloads", builtins, &model);
    ASSERT_TRUE(target) << target.error().message;
    EXPECT_EQ(target->workload->name, "memory");
    EXPECT_THAT(target->choice, HasSubstr("was no help"));
  }
}

TEST(SentenceChatTest, WhatWasUnderstoodIsShown) {
  const Builtins builtins = MakeBuiltins();
  agent::ScriptedModel model = Saying(
      "```json\n{\"preset\": \"nginx\", \"aim\": \"\", \"add\": [], \"reading\": \"a web "
      "shop\"}\n```");
  const auto target = ReadTarget("my shop is slow on Fridays", builtins, &model);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_THAT(target->choice, HasSubstr("a web shop"));
  EXPECT_THAT(target->choice, HasSubstr("the preset nginx"));
}

}  // namespace
}  // namespace hone::app
