// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/http_reply_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;

constexpr std::string_view kChunked =
    "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nX-One: a\r\n"
    "Transfer-Encoding: chunked\r\n\r\n5;ext=1\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: t\r\n\r\n";

TEST(HttpReplyParserTest, AReplyIsTheSameInPiecesOfEverySize) {
  for (std::size_t size = 1; size <= kChunked.size(); ++size) {
    HttpReplyParser parser({});
    bool is_whole = false;
    for (std::size_t at = 0; at < kChunked.size(); at += size) {
      const auto fed = parser.Feed(kChunked.substr(at, size));
      ASSERT_TRUE(fed) << fed.error().message;
      is_whole = *fed;
    }
    EXPECT_TRUE(is_whole) << size;
    const HttpReply reply = parser.Take();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "hello, world");
    EXPECT_EQ(reply.Header("x-ONE"), "a");
    EXPECT_EQ(reply.Header("none"), "");
  }
}

TEST(HttpReplyParserTest, WithoutALengthTheBodyEndsWithTheConnection) {
  HttpReplyParser parser({});
  EXPECT_FALSE(*parser.Feed("HTTP/1.1 200 OK\r\n\r\nall of it"));
  EXPECT_TRUE(parser.End());
  EXPECT_EQ(parser.Take().body, "all of it");
}

TEST(HttpReplyParserTest, AnEndInTheMiddleIsSaid) {
  for (const char* text :
       {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
    HttpReplyParser parser({});
    ASSERT_TRUE(parser.Feed(text)) << text;
    EXPECT_FALSE(parser.End()) << text;
  }
}

TEST(HttpReplyParserTest, LimitsHold) {
  const HttpReplyLimits limits{.head_bytes = 1000, .body_bytes = 1000};
  HttpReplyParser head(limits);
  EXPECT_FALSE(head.Feed("HTTP/1.1 200 OK\r\nX: " + std::string(2000, 'x')));
  HttpReplyParser length(limits);
  EXPECT_EQ(length.Feed("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n").error().code,
            Errc::kUnsupported);
  HttpReplyParser open(limits);
  ASSERT_TRUE(open.Feed("HTTP/1.1 200 OK\r\n\r\n"));
  EXPECT_EQ(open.Feed(std::string(1001, 'x')).error().code, Errc::kUnsupported);
  HttpReplyParser chunk(limits);
  ASSERT_TRUE(chunk.Feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_FALSE(chunk.Feed("5;" + std::string(5000, 'x')));
  HttpReplyParser hints(limits);
  std::string many;
  for (int k = 0; k < 100; ++k) many += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_FALSE(hints.Feed(many));
}

TEST(HttpReplyParserTest, WhatIsNotHttpIsRefused) {
  for (const char* text :
       {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    HttpReplyParser parser({});
    EXPECT_FALSE(parser.Feed(text)) << text;
  }
}

TEST(HttpReplyParserTest, AListenerMayHaveEnoughOrFail) {
  const std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc";
  HttpReplyParser enough({},
                         [](const HttpReply&, std::string_view) -> Result<bool> { return false; });
  EXPECT_TRUE(*enough.Feed(text));
  HttpReplyParser failed({}, [](const HttpReply& head, std::string_view) -> Result<bool> {
    return Error{Errc::kCorrupt, std::to_string(head.status)};
  });
  EXPECT_EQ(failed.Feed(text).error().message, "200");
}

}  // namespace
}  // namespace hone
