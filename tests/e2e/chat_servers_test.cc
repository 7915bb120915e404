// SPDX-License-Identifier: Apache-2.0
// Our client against servers of chat completions that others wrote (tests/e2e/chat).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/agent/chat/chat_settings.h"
#include "hone/base/clock.h"
#include "hone/base/file.h"
#include "hone/testing/wait_until.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using agent::ChatAnswer;
using agent::ChatRequest;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRightKey = "sk-the-right-key";

class ChatServersTest : public HoneTest {
 protected:
  ~ChatServersTest() override {
    stop_.request_stop();
    if (running_.valid()) running_.wait();
  }

  // Starts a server of tests/e2e/chat; a reason to skip where it cannot be there.
  std::string Serve(const std::string& server) {
    Command ask;
    ask.arguments = {
        "node", "-e",
        "const [a, b] = process.versions.node.split('.'); process.exit(a > 20 || (a == "
        "20 && b >= 15) ? 0 : 1)"};
    const auto version = RunProcess(ask);
    if (!version || version->status != 0) return "these servers need Node.js 20.15";
    Command install;
    install.arguments = {HONE_NPM_PACKAGES, HONE_CHAT_SOURCES, HONE_CHAT_SERVERS,
                         "@copilotkit/aimock"};
    install.limit = std::chrono::minutes(5);
    const auto installed = RunProcess(install);
    if (!installed || installed->status != 0) {
      EXPECT_TRUE(installed && installed->status == 77) << (installed ? installed->errors : "");
      return installed ? installed->output : installed.error().message;
    }
    const auto place = Folder() / "url";
    Command run;
    run.arguments = {"node", HONE_CHAT_SERVERS "/serve.mjs", server, place.string()};
    run.limit = std::chrono::minutes(5);
    run.stop = stop_.get_token();
    running_ = std::async(std::launch::async, [run] { return RunProcess(run); });
    WaitUntil(
        [&] {
          const auto url = ReadFile(place);
          if (url) url_ = *url;
          return !url_.empty();
        },
        server + " listens");
    return "";
  }

  agent::ChatSettings Settings(const std::string& model = "some") const {
    agent::ChatSettings settings;
    settings.urls = {url_};
    settings.model = model;
    settings.key_file = key_file_;
    settings.max_retries = 1;
    return settings;
  }

  Result<ChatAnswer> Ask(const ChatRequest& request, const agent::ChatSettings& settings,
                         const agent::ChatListener& listener = nullptr) {
    const auto model = agent::OpenChatModel(settings, SystemClock());
    if (!model) return model.error();
    return (*model)->Ask(request, listener);
  }
  Result<ChatAnswer> Ask(const std::string& text, const agent::ChatListener& listener = nullptr) {
    return Ask(ChatRequest{.messages = {{.text = text}}}, Settings(), listener);
  }

  void GiveKey(const std::string& key) {
    key_file_ = Folder() / "key";
    ASSERT_TRUE(WriteFileAtomically(key_file_, key));
    std::filesystem::permissions(key_file_, std::filesystem::perms::owner_read);
  }

  std::map<std::string, std::string> Doctor(const std::string& model) const {
    std::vector<std::string> words = {"doctor", "--llm", url_, "--llm-model", model};
    if (!key_file_.empty()) {
      words.emplace_back("--llm-key-file");
      words.push_back(key_file_.string());
    }
    std::map<std::string, std::string> states;
    const Json told = RunJson(words);
    for (const Json& check : told.value("checks", Json::array())) {
      if (check.value("area", "") == "llm") states[check["name"]] = check["state"];
    }
    return states;
  }

  std::string url_;
  std::filesystem::path key_file_;
  std::stop_source stop_;
  std::future<Result<ProcessResult>> running_;
};

TEST_F(ChatServersTest, AimockAnswersInPiecesWithUsageToolsAndJson) {
  if (const std::string why = Serve("aimock"); !why.empty()) GTEST_SKIP() << why;
  GiveKey(kRightKey);
  std::string heard;
  int pieces = 0;
  const auto counted = Ask("Count from one to seven.", [&](std::string_view piece) {
    heard += piece;
    ++pieces;
  });
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_EQ(counted->message.text, "one two three four five six seven");
  EXPECT_EQ(heard, counted->message.text);
  EXPECT_GT(pieces, 1);
  EXPECT_EQ(counted->usage.prompt_tokens, 40);
  EXPECT_EQ(counted->usage.answer_tokens, 12);
  const auto thought = Ask("Think.");
  ASSERT_TRUE(thought) << thought.error().message;
  EXPECT_EQ(thought->message.reasoning, "six times seven");
  EXPECT_EQ(thought->message.text, "42");
  const auto letters = Ask("Umlauts, please.");
  ASSERT_TRUE(letters) << letters.error().message;
  EXPECT_THAT(letters->message.text, HasSubstr("Ä — 🎉"));
  const auto states = Doctor("some");
  EXPECT_EQ(states.size(), 7U);
  for (const auto& [name, state] : states) EXPECT_EQ(state, "ok") << name;
}

TEST_F(ChatServersTest, AimocksRefusalsAreToldAndTriedAgainWhereThatHelps) {
  if (const std::string why = Serve("aimock"); !why.empty()) GTEST_SKIP() << why;
  GiveKey("sk-another-key");
  const auto strange = Ask("Count from one to seven.");
  ASSERT_FALSE(strange);
  EXPECT_THAT(strange.error().message, HasSubstr("refuses the key"));
  EXPECT_THAT(strange.error().message, Not(HasSubstr("sk-another-key")));
  GiveKey(kRightKey);
  const auto busy = Ask("Be busy.");
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, Errc::kUnavailable);
  EXPECT_THAT(busy.error().message, HasSubstr("slow down"));
  const auto failed = Ask("Fail.");
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("out of order (status 500)"));
  const auto refused = Ask("Refuse.");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kInvalidArgument);
  const auto broken = Ask("Break off.");
  ASSERT_FALSE(broken) << broken->message.text;
  EXPECT_EQ(broken.error().code, Errc::kUnavailable);
}

TEST_F(ChatServersTest, MockOpenAiApiThinksMarksDownAndCallsItsOwnTools) {
  if (const std::string why = Serve("mock-openai-api"); !why.empty()) GTEST_SKIP() << why;
  const ChatRequest hello{.messages = {{.text = "Hello."}}};
  const auto which = Ask(hello, Settings(""));
  ASSERT_FALSE(which);
  EXPECT_THAT(which.error().message, HasSubstr("it has several models: mock-gpt-thinking"));
  const auto thought = Ask(hello, Settings("mock-gpt-thinking"));
  ASSERT_TRUE(thought) << thought.error().message;
  EXPECT_FALSE(thought->message.text.empty());
  EXPECT_FALSE(thought->message.reasoning.empty());
  const auto marked = Ask(hello, Settings("mock-gpt-markdown"));
  ASSERT_TRUE(marked) << marked.error().message;
  EXPECT_THAT(marked->message.text, HasSubstr("#"));
  const auto called = Ask(hello, Settings("gpt-4-mock"));
  ASSERT_TRUE(called) << called.error().message;
  EXPECT_EQ(Doctor("mock-gpt-markdown")["endpoint"], "ok");
  const auto unknown = Ask(hello, Settings("no-such-model"));
  EXPECT_FALSE(unknown);
}

}  // namespace
}  // namespace hone
