// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/http_client.h"

#include <gtest/gtest.h>

namespace hone::server {
namespace {

TEST(HttpUrlTest, PartsAreFound) {
  const auto url = ParseHttpUrl("http://hone:secret@localhost:10907/api/");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "localhost");
  EXPECT_EQ(url->port, "10907");
  EXPECT_EQ(url->path, "/api");
  EXPECT_EQ(url->password, "secret");
}

TEST(HttpUrlTest, AnAddressOfIpv6StandsInBrackets) {
  const auto url = ParseHttpUrl("http://hone:secret@[::1]:10907");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, "10907");
  EXPECT_EQ(AuthorityOf(url->host, url->port), "[::1]:10907");
  EXPECT_EQ(ParseHttpUrl("http://[::1]")->port, "80");
  EXPECT_EQ(AuthorityOf("127.0.0.1", "80"), "127.0.0.1:80");
  EXPECT_FALSE(ParseHttpUrl("http://::1:10907"));
  EXPECT_FALSE(ParseHttpUrl("http://[::1:10907"));
}

}  // namespace
}  // namespace hone::server
