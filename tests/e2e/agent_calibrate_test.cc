// SPDX-License-Identifier: Apache-2.0
// `hone agent calibrate` as a person runs it: the real program, a stored campaign, an endpoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/base/http/scripted_server_for_test.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using agent::ChatRequest;
using agent::GoodEndpoint;
using testing::AnyOf;
using testing::HasSubstr;

class AgentCalibrateTest : public HoneTest {
 protected:
  // Who says something else of each change, so that there is something to correlate.
  static Result<agent::ChatAnswer> Judge(const ChatRequest& request) {
    const auto number = std::hash<std::string>()(request.messages.back().text) % 100;
    return agent::TextAnswer("{\"expected\": 0." + std::to_string(number) + "}");
  }

  // Holds every question after the first five, as long as it is told to.
  HttpScript HoldingEndpoint() {
    return [this](const ScriptedRequest& request, ScriptedReply& reply) {
      if (request.target == "/v1/chat/completions" && ++asked_ > 5 && holds_) return reply.Hold();
      GoodEndpoint(Judge)(request, reply);
    };
  }

  void TuneToy() const {
    const ProcessResult tuned = Run({"tune", "toy", "--engine", "random", "--trials", "40", "-o",
                                     "gain=0.3", "--no-ablation", "--quiet"});
    ASSERT_THAT(tuned.status, AnyOf(0, 1)) << tuned.output << tuned.errors;
  }

  static std::vector<std::string> Words(const std::string& url) {
    return {"agent", "calibrate", "last", "--goal", "throughput", "--llm", url};
  }

  std::atomic<int> asked_ = 0;
  std::atomic<bool> holds_ = true;
};

TEST_F(AgentCalibrateTest, AKilledCalibrationGoesOnFromItsLogAndPaysForNothingTwice) {
  TuneToy();
  const ScriptedServer server(HoldingEndpoint());
  Live live = Start(Words(server.url()), [&] { return asked_ > 5; });
  ::kill(live.pid, SIGKILL);
  static_cast<void>(live.result.get());
  holds_ = false;
  asked_ = 0;
  const Json resumed = RunJson(Words(server.url()));
  ASSERT_TRUE(resumed.is_object());
  const auto opinions = static_cast<int>(resumed["opinions"].size());
  EXPECT_GE(opinions, 20) << Dump(resumed);
  EXPECT_EQ(asked_, opinions - 5);
  const Json again = RunJson(Words(server.url()));
  EXPECT_EQ(again, resumed);
  EXPECT_EQ(asked_, opinions - 5);
  std::vector<std::string> anew = Words(server.url());
  anew.push_back("--again");
  asked_ = 0;
  EXPECT_EQ(RunJson(anew)["opinions"], resumed["opinions"]);
  EXPECT_EQ(asked_, opinions);
}

TEST_F(AgentCalibrateTest, ALogWithAllOpinionsNeedsNoModel) {
  TuneToy();
  const std::string log = (Folder() / "opinions.jsonl").string();
  std::vector<std::string> words = {"agent",      "calibrate", "last", "--goal",
                                    "throughput", "--log",     log};
  EXPECT_THAT(Run(words).errors, HasSubstr("--llm: no language model is named"));
  Json first;
  {
    const ScriptedServer server(GoodEndpoint(Judge));
    std::vector<std::string> with = words;
    with.insert(with.end(), {"--llm", server.url()});
    first = RunJson(with);
  }
  ASSERT_TRUE(first.is_object());
  EXPECT_EQ(RunJson(words), first);
  words.push_back("--again");
  EXPECT_THAT(Run(words).errors, HasSubstr("--llm: no language model is named"));
}

TEST_F(AgentCalibrateTest, AnInterruptIsToldAndIsNoFailure) {
  TuneToy();
  const ScriptedServer server(HoldingEndpoint());
  Live live = Start(Words(server.url()), [&] { return asked_ > 5; });
  ::kill(live.pid, SIGINT);
  const ProcessResult result = live.result.get();
  EXPECT_EQ(result.status, 4) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("the same command goes on"));
}

}  // namespace
}  // namespace hone
