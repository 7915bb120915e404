// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/site_check.h"

#include <gtest/gtest.h>

namespace hone::server {
namespace {

TEST(SiteCheckTest, OnlyKnownNamesAndAddressesMayBeTheHost) {
  const SiteCheck sites({"judge.example"});
  for (const char* host :
       {"localhost:10907", "127.0.0.1:10907", "[::1]:10907", "10.1.2.3", "Judge.Example:80", ""}) {
    EXPECT_FALSE(sites.Refusal(host, "")) << host;
  }
  for (const char* host :
       {"evil.example:10907", "127.0.0.1.evil.example", "localhost.evil.example"}) {
    EXPECT_TRUE(sites.Refusal(host, "")) << host;
  }
}

TEST(SiteCheckTest, OnlyOwnPagesMayAsk) {
  const SiteCheck sites({});
  EXPECT_FALSE(sites.Refusal("localhost:10907", "http://localhost:10907"));
  EXPECT_TRUE(sites.Refusal("localhost:10907", "http://evil.example"));
  EXPECT_TRUE(sites.Refusal("localhost:10907", "http://localhost:8000"));
  EXPECT_TRUE(sites.Refusal("localhost:10907", "null"));
}

}  // namespace
}  // namespace hone::server
