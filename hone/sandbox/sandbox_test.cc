// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

namespace hone {
namespace {

using End = SandboxResult::End;
using testing::HasSubstr;

SandboxCommand Shell(std::string script) {
  SandboxCommand command;
  command.arguments = {"sh", "-c", std::move(script)};
  command.views = StandardViews();
  return command;
}

SandboxResult ResultOf(const SandboxCommand& command) {
  auto result = RunInSandbox(command);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result ? *std::move(result) : SandboxResult{};
}

TEST(SandboxTest, StatusAndStreamsAreKeptApart) {
  const SandboxResult result = ResultOf(Shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.status, 7);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
}

}  // namespace
}  // namespace hone
