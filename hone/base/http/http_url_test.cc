// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/http_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HttpUrlTest, PartsAreFound) {
  const auto url = ParseHttpUrl("http://hone:secret@localhost:10907/api/");
  ASSERT_TRUE(url);
  EXPECT_FALSE(url->is_tls);
  EXPECT_EQ(url->host, "localhost");
  EXPECT_EQ(url->port, 10907);
  EXPECT_EQ(url->path, "/api");
  EXPECT_EQ(url->user, "hone");
  EXPECT_EQ(url->password, "secret");
  EXPECT_EQ(ToText(*url), "http://localhost:10907/api");
  EXPECT_EQ(ParseHttpUrl("https://example.org")->port, 443);
  EXPECT_TRUE(ParseHttpUrl("https://example.org")->is_tls);
}

TEST(HttpUrlTest, AnAddressOfIpv6StandsInBrackets) {
  const auto url = ParseHttpUrl("http://hone:secret@[::1]:10907");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 10907);
  EXPECT_EQ(AuthorityOf(url->host, url->port), "[::1]:10907");
  EXPECT_EQ(ParseHttpUrl("http://[::1]")->port, 80);
  EXPECT_EQ(AuthorityOf("127.0.0.1", 80), "127.0.0.1:80");
}

TEST(HttpUrlTest, WhatIsNoUrlIsRefusedAndPasswordsAreNotRepeated) {
  for (const char* text :
       {"", "localhost:80", "ftp://host", "http://", "http://:80", "http://host:", "http://host:x",
        "http://host:0", "http://host:70000", "http://::1:10907", "http://[::1:10907",
        "http://[::1]x", "http://ho st", "http://host/a b", "http://host/\r\nX: y", "http://a@b"}) {
    EXPECT_FALSE(ParseHttpUrl(text)) << text;
  }
  const auto refused = ParseHttpUrl("http://hone:geheim@host:x");
  EXPECT_THAT(refused.error().message, Not(HasSubstr("geheim")));
}

TEST(HttpUrlTest, ThisMachineIsKnown) {
  for (const char* host : {"localhost", "127.0.0.1", "127.9.9.9", "::1"}) {
    EXPECT_TRUE(IsLoopback(host)) << host;
  }
  for (const char* host : {"128.0.0.1", "localhost.example.org", "::2", "127.0.0.1.example.org"}) {
    EXPECT_FALSE(IsLoopback(host)) << host;
  }
}

}  // namespace
}  // namespace hone
