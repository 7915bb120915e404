// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "hone/base/process/subprocess.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

class LlmServeTest : public HoneTest {
 protected:
  // A script of tests/e2e/openai with the official client from npm.
  void RunClient(const std::string& script, const std::string& engine) const {
    const std::string clients = HONE_OPENAI_CLIENTS;
    Command install;
    install.arguments = {HONE_NPM_PACKAGES, HONE_OPENAI_SOURCES, clients, "openai"};
    install.limit = std::chrono::minutes(5);
    const auto installed = RunProcess(install);
    ASSERT_TRUE(installed) << installed.error().message;
    if (installed->status == 77) GTEST_SKIP() << installed->output;
    ASSERT_EQ(installed->status, 0) << installed->output << installed->errors;
    Command run;
    run.arguments = {"env",
                     std::string("HONE=") + HONE_BINARY,
                     "FOLDER=" + Folder().string(),
                     "HONE_LLM_PROGRAM=" + engine,
                     "node",
                     clients + "/" + script};
    run.limit = std::chrono::minutes(4);
    const auto ran = RunProcess(run);
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_EQ(ran->end, ProcessResult::End::kExited);
    EXPECT_EQ(ran->status, 0) << ran->output << ran->errors;
    EXPECT_EQ(ran->stragglers, 0) << "a server or an engine outlived its client";
  }
};

TEST_F(LlmServeTest, TheOfficialClientSeesToolCallsAndEnginesThatEndBadly) {
  RunClient("scripted.mjs", "/nonexistent");
}

#ifdef HONE_LLM_ENGINE
TEST_F(LlmServeTest, TheOfficialClientUsesEveryEndpointOfTheRealEngine) {
  RunClient("real.mjs", HONE_LLM_ENGINE);
}
#endif

TEST_F(LlmServeTest, AModelThatIsThereIsNotMadeAnew) {
  const std::string corpus = std::string(HONE_OPENAI_SOURCES) + "/package.json";
  const std::string model = (Folder() / "m").string();
  const auto made = Run({"llm", "make", model, "--corpus", corpus, "--hidden", "16"});
  ASSERT_EQ(made.status, 0) << made.errors;
  const auto again = Run({"llm", "make", model, "--corpus", corpus});
  EXPECT_EQ(again.status, 2) << "a model is never overwritten";
}

}  // namespace
}  // namespace hone
