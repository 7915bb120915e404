// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "hone/base/process/subprocess.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

std::string Request(int id, const std::string& method, Json params = Json::object()) {
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
  params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
  return Dump({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}) + "\n";
}

class McpTest : public HoneTest {
 protected:
  ProcessResult Say(const std::string& input, std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), "mcp");
    Command command;
    command.arguments = CommandFor(std::move(flags));
    command.input = input;
    command.max_output = 64 << 20;
    auto result = RunProcess(command);
    if (result) return std::move(*result);
    ADD_FAILURE() << result.error().message;
    return {};
  }

  // Every line of standard output is a message.
  std::map<int, Json> AnswersIn(const ProcessResult& result) const {
    std::map<int, Json> answers;
    std::string_view rest = result.output;
    while (!rest.empty()) {
      const auto end = rest.find('\n');
      const auto json = ParseJson(rest.substr(0, end), "line");
      if (!json) {
        ADD_FAILURE() << json.error().message;
        return answers;
      }
      EXPECT_EQ((*json)["jsonrpc"], "2.0");
      if (json->contains("id")) answers[(*json)["id"].get<int>()] = *json;
      rest.remove_prefix(end + 1);
    }
    return answers;
  }

  // A script of tests/e2e/mcp with a client from npm.
  void RunClient(const std::string& script, const std::string& transport) const {
    const std::string clients = HONE_MCP_CLIENTS;
    Command install;
    install.arguments = {HONE_NPM_PACKAGES, HONE_MCP_SOURCES, clients, "@modelcontextprotocol/sdk"};
    install.limit = std::chrono::minutes(5);
    const auto installed = RunProcess(install);
    ASSERT_TRUE(installed) << installed.error().message;
    if (installed->status == 77) GTEST_SKIP() << installed->output;
    ASSERT_EQ(installed->status, 0) << installed->output << installed->errors;
    Command run;
    run.arguments = {"env",
                     std::string("HONE=") + HONE_BINARY,
                     "FOLDER=" + Folder().string(),
                     "node",
                     clients + "/" + script,
                     transport};
    run.limit = std::chrono::minutes(4);
    const auto ran = RunProcess(run);
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_EQ(ran->end, ProcessResult::End::kExited);
    EXPECT_EQ(ran->status, 0) << ran->output << ran->errors;
    EXPECT_EQ(ran->stragglers, 0) << "a server outlived its client";
  }

  // The 2.x client asks for it.
  static bool HasNode20() {
    Command ask;
    ask.arguments = {"node", "-e", "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)"};
    const auto answer = RunProcess(ask);
    return answer && answer->status == 0;
  }
};

TEST_F(McpTest, AnOldClientUsesEveryToolOverStandardInput) { RunClient("legacy.mjs", "stdio"); }

TEST_F(McpTest, AnOldClientUsesEveryToolOverHttp) { RunClient("legacy.mjs", "http"); }

TEST_F(McpTest, AModernClientUsesEveryToolOverStandardInput) {
  if (!HasNode20()) GTEST_SKIP() << "the MCP client 2.x needs Node.js 20";
  RunClient("modern.mjs", "stdio");
}

TEST_F(McpTest, AModernClientUsesEveryToolOverHttp) {
  if (!HasNode20()) GTEST_SKIP() << "the MCP client 2.x needs Node.js 20";
  RunClient("modern.mjs", "http");
}

TEST_F(McpTest, OnlyMessagesAreOnStandardOutputAndTheEndOfInputIsTheEnd) {
  const auto result =
      Say(Request(1, "server/discover") + "garbage\n" + Request(2, "tools/list") +
          Request(3, "tools/call", {{"name", "get_problem"}, {"arguments", {{"name", "saxpy"}}}}));
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.stragglers, 0);
  const auto answers = AnswersIn(result);
  EXPECT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers.at(3)["result"]["structuredContent"]["name"], "saxpy");
}

TEST_F(McpTest, AHostilePeerDoesNoHarm) {
  std::string input = std::string(6 << 20, 'x') + "\n" + std::string(200'000, '[') + "\n";
  for (int k = 0; k < 2000; ++k)
    input += Request(k % 50, "tools/call", {{"name", "list_problems"}});
  input += std::string("\0\x1b\xff\n", 4) + Request(9999, "tools/list");
  const auto result = Say(input);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_TRUE(AnswersIn(result).contains(9999));
}

TEST_F(McpTest, WorkThatRunsWhenTheInputEndsIsGivenUp) {
  const auto result =
      Say(Request(1, "tools/call",
                  {{"name", "start_campaign"},
                   {"arguments", {{"target", "toy"}, {"trials", 100'000}, {"wait_s", 0}}}}));
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.stragglers, 0);
  const std::string state = AnswersIn(result).at(1)["result"]["structuredContent"]["state"];
  EXPECT_TRUE(state == "waiting" || state == "running") << state;
}

TEST_F(McpTest, ToolsCanBeLeftOut) {
  const Json list = RunJson({"mcp", "--list", "--tools", "judge_kernel,get_problem"});
  EXPECT_EQ(list["tools"].size(), 2U);
  EXPECT_EQ(Run({"mcp", "--list", "--tools", "judge"}).status, 2);
  EXPECT_EQ(Run({"mcp", "--http=0.0.0.0:0", "--no-token"}).status, 2);
  EXPECT_EQ(Run({"mcp", "--http=127.0.0.1:0", "--no-token", "--allow-host"}).status, 2);
  EXPECT_EQ(Run({"mcp", "--http=nonsense/x"}).status, 2);
}

}  // namespace
}  // namespace hone
