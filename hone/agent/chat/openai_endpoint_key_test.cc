// SPDX-License-Identifier: Apache-2.0
// A key is planted, a server repeats it everywhere it can, and all that comes out is searched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "hone/agent/chat/recorded_model.h"
#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/base/file.h"
#include "hone/base/log.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kPlanted = "sk-planted-0123456789abcdef";

class PlantedKeyTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto file = folder_->path() / "key";
    std::ofstream(file) << kPlanted << "\n";
    ::chmod(file.c_str(), 0600);
    settings_.key_file = file;
    settings_.model = "m";
    settings_.max_retries = 0;
    SetLogLevel(LogLevel::kDebug);
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
  }

  void TearDown() override {
    const std::string logged =
        testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout();
    EXPECT_THAT(logged, Not(HasSubstr(kPlanted)));
    SetLogLevel(LogLevel::kNote);
    for (const auto& entry : std::filesystem::directory_iterator(folder_->path())) {
      if (entry.path().filename() == "key") continue;
      EXPECT_THAT(ReadFile(entry.path()).value(), Not(HasSubstr(kPlanted))) << entry.path();
    }
  }

  // Everything that a caller can see of one exchange.
  std::string AllOf(const HttpScript& script) {
    const ScriptedServer server(script);
    settings_.urls = {server.url()};
    std::string all;
    const std::string campaign = "toy-" + std::to_string(++campaigns_);  // Each asks anew.
    auto model = OpenCampaignModel(settings_, SystemClock(), folder_->path() / "hone.db", campaign);
    if (!model) return "not opened: " + model.error().message;
    ChatRequest request{.messages = {{.text = "tell me"}}};
    const auto answer = (*model)->Ask(request, [&](std::string_view piece) { all += piece; });
    const auto requests = server.requests();
    if (requests.empty()) return "nothing was asked";
    EXPECT_EQ(requests.front().Header("authorization"), std::string("Bearer ") + kPlanted);
    return all + Dump(ToJson(answer)) + (*model)->name();
  }

  Result<TempDir> folder_ = TempDir::Make("planted");
  ChatSettings settings_;
  int campaigns_ = 0;
};

TEST_F(PlantedKeyTest, AnAnswerThatRepeatsTheKeyDoesNot) {
  ChatAnswer answer = TextAnswer(std::string("your key is ") + kPlanted + ".");
  answer.message.reasoning = std::string("hmm ") + kPlanted;
  answer.message.calls = {{kPlanted, kPlanted, std::string("{\"k\":\"") + kPlanted + "\"}"}};
  const std::string all = AllOf([&](const ScriptedRequest&, ScriptedReply& reply) {
    StreamAnswer(reply, answer);  // In pieces of three bytes.
  });
  EXPECT_THAT(all, Not(HasSubstr(kPlanted)));
  EXPECT_THAT(all, HasSubstr("your key is [key]."));
}

TEST_F(PlantedKeyTest, AnErrorThatRepeatsTheKeyDoesNot) {
  for (const int status : {307, 400, 401, 404, 429, 500}) {
    const std::string all = AllOf([&](const ScriptedRequest&, ScriptedReply& reply) {
      RefuseAsked(reply, status, std::string("Incorrect API key provided: ") + kPlanted,
                  std::string("Location: http://x/?k=") + kPlanted + "\r\n");
    });
    EXPECT_THAT(all, Not(HasSubstr("nothing was asked"))) << status;
    EXPECT_THAT(all, Not(HasSubstr(kPlanted))) << status;
  }
}

TEST_F(PlantedKeyTest, BrokenRepliesThatRepeatTheKeyDoNot) {
  for (const std::string& text :
       {std::string("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ") + kPlanted +
            "\n\n",
        std::string("HTTP/1.1 200 OK\r\nContent-Type: ") + kPlanted + "\r\n\r\n" + kPlanted,
        std::string("HTTP/1.1 200 OK\r\n") + kPlanted + "\r\n\r\n",
        std::string(kPlanted) + "\r\n\r\n",
        std::string("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                    "data: {\"error\":\"") +
            kPlanted + "\"}\n\n"}) {
    const std::string all =
        AllOf([&](const ScriptedRequest&, ScriptedReply& reply) { reply.Send(text); });
    EXPECT_THAT(all, Not(HasSubstr("nothing was asked"))) << text;
    EXPECT_THAT(all, Not(HasSubstr(kPlanted))) << text;
  }
}

// Where a text is cut, a part of the key would be found by nobody.
class CutKeyTest : public PlantedKeyTest {
 protected:
  void ExpectNoPart(const HttpScript& script, const std::string& what) {
    const std::string all = AllOf(script);
    EXPECT_THAT(all, Not(HasSubstr("nothing was asked"))) << what;
    EXPECT_THAT(all, Not(HasSubstr(std::string(kPlanted).substr(0, 8)))) << what;
  }
  static std::string Padded(std::size_t bytes) { return std::string(bytes, 'x') + kPlanted; }
};

TEST_F(CutKeyTest, AnErrorThatIsCutInTheMiddleOfTheKeyHasNoPartOfIt) {
  for (const int status : {307, 400, 401, 500}) {
    ExpectNoPart(
        [&](const ScriptedRequest&, ScriptedReply& reply) {
          RefuseAsked(reply, status, Padded(290), "Location: http://x/" + Padded(182) + "\r\n");
        },
        std::to_string(status));
    ExpectNoPart([&](const ScriptedRequest&,
                     ScriptedReply& reply) { reply.SendWhole(status, "text/plain", Padded(290)); },
                 std::to_string(status) + " as text");
  }
}

TEST_F(CutKeyTest, NamesThatAreCutInTheMiddleOfTheKeyHaveNoPartOfIt) {
  ChatAnswer answer = TextAnswer("hello");
  answer.model = Padded(248);
  answer.message.calls = {{Padded(248), Padded(248), "{}"}};
  ExpectNoPart(
      [&](const ScriptedRequest&, ScriptedReply& reply) { StreamAnswer(reply, answer, 1000); },
      "an answer");
  settings_.model = "";
  const Json models = {{"data", {{{"id", Padded(248)}}, {{"id", "other"}}}}};
  ExpectNoPart(
      [&](const ScriptedRequest&, ScriptedReply& reply) {
        reply.SendWhole(200, "application/json", Dump(models));
      },
      "models");
}

TEST_F(CutKeyTest, BrokenRepliesThatAreCutInTheMiddleOfTheKeyHaveNoPartOfIt) {
  const std::string name = "\"" + Padded(30) + "\":1";
  for (const std::string& text :
       {"HTTP/1.1 200 OK\r\nContent-Type: " + Padded(50) + "\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"error\":\"" +
            Padded(290) + "\"}\n\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{" + name + "," + name + "}"}) {
    ExpectNoPart([&](const ScriptedRequest&, ScriptedReply& reply) { reply.Send(text); }, text);
  }
}

}  // namespace
}  // namespace hone::agent
