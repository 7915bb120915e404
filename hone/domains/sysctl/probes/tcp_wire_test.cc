// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/probes/tcp_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::sysctl {
namespace {

TEST(TcpWireTest, AHelloReadsBackEqual) {
  for (const TcpHello& hello : {TcpHello{TcpMode::kBulk, 0, 0}, TcpHello{TcpMode::kConnect, 0, 0},
                                TcpHello{TcpMode::kRequest, 128, kMaxMessageBytes}}) {
    EXPECT_EQ(DecodeHello(EncodeHello(hello)), hello);
  }
}

TEST(TcpWireTest, WhatIsNotAHelloIsNotRead) {
  auto bytes = EncodeHello({TcpMode::kRequest, 1, 1});
  EXPECT_FALSE(DecodeHello(std::span(bytes).first(kHelloBytes - 1)));
  bytes[3] = 'x';
  EXPECT_FALSE(DecodeHello(bytes));
  EXPECT_FALSE(DecodeHello(std::span("GET / HTTP/1.1\r\n", 16)));
  EXPECT_FALSE(DecodeHello(EncodeHello({TcpMode::kRequest, 0, 1})));
  EXPECT_FALSE(DecodeHello(EncodeHello({TcpMode::kRequest, kMaxMessageBytes + 1, 1})));
}

TEST(TcpWireTest, CountsReadBackEqual) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{255}, ~std::uint64_t{0}}) {
    EXPECT_EQ(DecodeCount(EncodeCount(count)), count);
  }
}

TEST(TcpWireTest, APlaceIsANumericAddress) {
  EXPECT_EQ(ParsePlace("127.0.0.1", 80)->text, "127.0.0.1 port 80");
  EXPECT_TRUE(ParsePlace("::1", 80));
  const auto named = ParsePlace("localhost", 80);
  ASSERT_FALSE(named);
  EXPECT_THAT(named.error().message, testing::HasSubstr("localhost"));
}

}  // namespace
}  // namespace hone::sysctl
