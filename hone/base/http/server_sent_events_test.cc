// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/server_sent_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> EventsIn(std::string_view text, std::size_t size) {
  std::vector<std::string> events;
  ServerSentEvents stream(
      [&](const ServerSentEvent& event) -> Result<bool> {
        events.push_back(event.name + "|" + event.data);
        return true;
      },
      1000);
  for (std::size_t at = 0; at < text.size(); at += size) {
    EXPECT_TRUE(stream.Feed(text.substr(at, size)));
  }
  EXPECT_TRUE(stream.End());
  return events;
}

TEST(ServerSentEventsTest, EventsAreTheSameInPiecesOfEverySize) {
  constexpr std::string_view kText =
      "\xEF\xBB\xBF: keep-alive\n\ndata: one\r\n\r\ndata:two\rdata:  three\r\revent: x\nid: 7\n"
      "retry: 5\nunknown\ndata\n\nevent: nothing\n\ndata: last";
  for (std::size_t size = 1; size <= kText.size(); ++size) {
    EXPECT_THAT(EventsIn(kText, size), ElementsAre("|one", "|two\n three", "x|", "|last")) << size;
  }
}

TEST(ServerSentEventsTest, AnEventWithoutAnEndIsEnded) {
  const auto take = [](const ServerSentEvent&) -> Result<bool> { return true; };
  ServerSentEvents line(take, 1000);
  EXPECT_FALSE(line.Feed("data: " + std::string(2000, 'x')));
  ServerSentEvents lines(take, 1000);
  Result<bool> fed = true;
  for (int k = 0; k < 1000 && fed; ++k) fed = lines.Feed("data: xxx\n");
  ASSERT_FALSE(fed);
  EXPECT_THAT(fed.error().message, HasSubstr("more than 1000 bytes"));
}

TEST(ServerSentEventsTest, ThatNoMoreIsWantedIsPassedOn) {
  int count = 0;
  ServerSentEvents stream(
      [&](const ServerSentEvent&) -> Result<bool> {
        ++count;
        return false;
      },
      1000);
  EXPECT_FALSE(*stream.Feed("data: 1\n\ndata: 2\n\n"));
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace hone
