// SPDX-License-Identifier: Apache-2.0
// `hone agent kconfig` as a person runs it: the real program, an endpoint over HTTP, a small tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/agent/walk/walked_tree_for_test.h"
#include "hone/base/file.h"
#include "hone/base/http/scripted_server_for_test.h"
#include "hone/domains/kconfig/build/kbuild_tree_for_test.h"
#include "hone/domains/kconfig/build/kernel_source.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using agent::ChatRequest;
using agent::GoodEndpoint;
using agent::WishfulModel;
using testing::HasSubstr;

class AgentWalkTest : public HoneTest {
 protected:
  AgentWalkTest() {
    EXPECT_TRUE(MakeFolder(Tree()));
    EXPECT_TRUE(WriteFileAtomically(Tree() / "Kconfig", agent::kWalkedTree));
  }
  std::filesystem::path Tree() const { return Folder() / "tree"; }
  std::string Path(const char* name) const { return (Folder() / name).string(); }

  std::vector<std::string> Words(std::vector<std::string> more) const {
    std::vector<std::string> words = {
        "agent",     "kconfig", Tree().string(),    "--goal", "speed",           "--dialect",
        "linux-6.1", "--log",   Path("walk.jsonl"), "-o",     Path("new.config")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  WishfulModel wishes_{{{"CARD", "m"}, {"SERVER", "y"}, {"SHIFT", "99"}, {"MODULES", "y"}}};
};

TEST_F(AgentWalkTest, AGoalBecomesAConfigurationAndIsReplayedWithoutTheEndpoint) {
  std::string config;
  {
    const ScriptedServer server(GoodEndpoint(wishes_));
    const ProcessResult result = Run(Words({"--llm", server.url()}));
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("CARD=m"));
    EXPECT_THAT(result.output, HasSubstr("SHIFT=99: SHIFT cannot be 99"));
    config = *ReadFile(Path("new.config"));
    EXPECT_THAT(config, HasSubstr("CONFIG_CARD=m"));
    EXPECT_THAT(config, HasSubstr("CONFIG_SERVER=y"));
    EXPECT_THAT(config, HasSubstr("CONFIG_SHIFT=17"));
  }
  const Json replayed = RunJson(Words({"--from", Path("walk.jsonl")}));
  ASSERT_TRUE(replayed.is_object());
  EXPECT_EQ(replayed["end"], "done");
  EXPECT_EQ(replayed["refused"][0]["option"], "SHIFT");
  EXPECT_EQ(*ReadFile(Path("new.config")), config);
}

TEST_F(AgentWalkTest, AKilledWalkGoesOnFromItsLog) {
  std::atomic<int> asked = 0;
  std::atomic<bool> holds = true;
  const ScriptedServer server([&](const ScriptedRequest& request, ScriptedReply& reply) {
    if (request.body.find("Kind of question") != std::string::npos && ++asked > 3 && holds) {
      return reply.Hold();
    }
    GoodEndpoint(wishes_)(request, reply);
  });
  Live live = Start(Words({"--llm", server.url()}), [&] { return asked > 3; });
  ::kill(live.pid, SIGKILL);
  static_cast<void>(live.result.get());
  holds = false;
  asked = 0;
  const ProcessResult resumed = Run(Words({"--llm", server.url()}));
  EXPECT_EQ(resumed.status, 0) << resumed.errors;
  EXPECT_THAT(resumed.errors, HasSubstr("goes on where it ended"));
  EXPECT_THAT(*ReadFile(Path("new.config")), HasSubstr("CONFIG_CARD=m"));
  const int rest = asked;
  const ProcessResult again = Run(Words({"--llm", server.url(), "--again"}));
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(asked - rest, rest + 3);
}

TEST_F(AgentWalkTest, AResultThatDoesNotBuildIsToldAfterWhatWasHonoured) {
  const std::filesystem::path kernel = Folder() / "kernel";
  ASSERT_TRUE(kernels::WriteKbuildTree(kernel));
  const auto source = kernels::FindKernelSource(kernel, "");
  ASSERT_TRUE(source) << source.error().message;
  const ScriptedServer server(GoodEndpoint(WishfulModel({{"BROKEN", "y"}, {"SPEED", "9"}})));
  const std::vector<std::string> words = {"agent",     "kconfig", kernel.string(),    "--goal",
                                          "speed",     "--llm",   server.url(),       "--dialect",
                                          "linux-6.1", "-o",      Path("new.config"), "--measure"};
  ::setenv("HONE_CACHE", (Folder() / "cache").c_str(), 1);
  const ProcessResult told = Run(words);
  const Json json = RunJson(words);
  ::unsetenv("HONE_CACHE");
  EXPECT_EQ(told.status, 1) << told.output << told.errors;
  const auto honoured = told.output.find("BROKEN=y");
  const auto fault = told.output.find("B does not build: ");
  EXPECT_LT(honoured, fault) << told.output;
  EXPECT_NE(fault, std::string::npos) << told.output;
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["honoured"].size(), 2U) << Dump(json);
  EXPECT_EQ(json["measured"]["answer"], "failed");
  EXPECT_EQ(json["measured"]["fault"]["of"], "B");
}

TEST_F(AgentWalkTest, WhatIsMissingIsSaid) {
  EXPECT_THAT(Run({"agent", "kconfig", Tree().string()}).errors, HasSubstr("--goal"));
  EXPECT_THAT(Run({"agent", "kconfig", Tree().string(), "--goal", "x"}).errors,
              HasSubstr("--llm URL"));
  EXPECT_THAT(Run({"agent", "kconfg"}).errors, HasSubstr("kconfig"));
}

}  // namespace
}  // namespace hone
