// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/json_rpc.h"

#include <gtest/gtest.h>

namespace hone::agent {
namespace {

TEST(JsonRpcTest, AnswersAreOneLineWhateverTheyHold) {
  const std::string text = RpcResultText("a\nb", {{"text", "line\nline"}});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(ParseJson(text, "t").value()["id"], "a\nb");
}

TEST(JsonRpcTest, AFaultWithoutAnIdLeavesItOut) {
  EXPECT_EQ(RpcFaultText(nullptr, {-32700, "no", nullptr, 400}),
            R"({"error":{"code":-32700,"message":"no"},"jsonrpc":"2.0"})");
  EXPECT_EQ(RpcFaultText(3, {-32600, "no", {{"a", 1}}, 400}),
            R"({"error":{"code":-32600,"data":{"a":1},"message":"no"},"id":3,"jsonrpc":"2.0"})");
}

TEST(JsonRpcTest, AnIdThatMayNotBeEchoedIsNone) {
  EXPECT_EQ(RpcIdOf({{"id", 4}}), 4);
  EXPECT_TRUE(RpcIdOf({{"id", {1}}}).is_null());
  EXPECT_TRUE(RpcIdOf({{"id", std::string(2000, 'x')}}).is_null());
  EXPECT_TRUE(RpcIdOf(3).is_null());
}

}  // namespace
}  // namespace hone::agent
