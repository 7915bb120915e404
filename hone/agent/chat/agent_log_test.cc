// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/agent_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

class AgentLogTest : public testing::Test {
 protected:
  std::filesystem::path Path() const { return folder_.path() / "walk.jsonl"; }

  TempDir folder_ = *TempDir::Make("agent_log_test");
};

TEST_F(AgentLogTest, WhatWasAppendedIsReadAgainInOrder) {
  {
    auto log = AgentLog::Open(Path());
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_TRUE(log->Append("walk", {{"goal", "speed"}}));
    ASSERT_TRUE(log->Append("failure", {{"what", "no answer"}}));
    ASSERT_TRUE(log->Append("exchange", {{"question", 1}}));
  }
  auto log = AgentLog::Open(Path());
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ((**log->Next("walk"))["goal"], "speed");
  EXPECT_EQ((**log->Next("exchange"))["question"], 1);
  EXPECT_TRUE(log->is_at_end());
  EXPECT_FALSE(*log->Next("exchange"));
}

TEST_F(AgentLogTest, ALineThatAKillCutOffIsDropped) {
  ASSERT_TRUE(WriteFileAtomically(Path(), "{\"kind\":\"walk\"}\n{\"kind\":\"exch"));
  {
    auto log = AgentLog::Open(Path());
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_TRUE(*log->Next("walk"));
    EXPECT_TRUE(log->is_at_end());
    ASSERT_TRUE(log->Append("exchange", Json::object()));
  }
  EXPECT_EQ(*ReadFile(Path()), "{\"kind\":\"walk\"}\n{\"kind\":\"exchange\"}\n");
}

TEST_F(AgentLogTest, AnotherKindThanExpectedNamesTheLine) {
  ASSERT_TRUE(WriteFileAtomically(Path(), "{\"kind\":\"walk\"}\n"));
  auto log = AgentLog::Read(Path());
  ASSERT_TRUE(log);
  const auto next = log->Next("exchange");
  ASSERT_FALSE(next);
  EXPECT_THAT(next.error().message, HasSubstr("walk.jsonl:1"));
}

TEST_F(AgentLogTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(Path().c_str(), 0600), 0);
  EXPECT_THAT(AgentLog::Read(Path()).error().message,
              HasSubstr("walk.jsonl: not a regular file but a pipe"));
  EXPECT_THAT(AgentLog::Open(Path()).error().message,
              HasSubstr("walk.jsonl: not a regular file but a pipe"));
}

TEST_F(AgentLogTest, WhatIsNoLogIsAnError) {
  ASSERT_TRUE(WriteFileAtomically(Path(), "not json\n"));
  EXPECT_FALSE(AgentLog::Read(Path()));
  ASSERT_TRUE(WriteFileAtomically(Path(), "[1]\n"));
  EXPECT_THAT(AgentLog::Open(Path()).error().message, HasSubstr("expected an object"));
  EXPECT_FALSE(AgentLog::Read(folder_.path() / "none"));
}

TEST_F(AgentLogTest, OneProcessWritesIt) {
  const auto first = AgentLog::Open(Path());
  ASSERT_TRUE(first);
  EXPECT_EQ(AgentLog::Open(Path()).error().code, Errc::kStale);
}

TEST_F(AgentLogTest, ALogThatIsOnlyReadStaysAsItIs) {
  ASSERT_TRUE(WriteFileAtomically(Path(), "{\"kind\":\"walk\"}\n"));
  auto log = AgentLog::Read(Path());
  EXPECT_FALSE(log->Append("exchange", Json::object()));
  EXPECT_EQ(*ReadFile(Path()), "{\"kind\":\"walk\"}\n");
}

}  // namespace
}  // namespace hone::agent
