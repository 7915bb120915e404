// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/http_proxies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;
using Variables = std::map<std::string, std::string>;

Result<HttpProxies> ProxiesOf(const Variables& variables) {
  return HttpProxies::FromEnvironment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

int PortOfProxy(const HttpProxies& proxies, const char* url) {
  const HttpUrl parsed = *ParseHttpUrl(url);
  const HttpUrl* const proxy = proxies.For(parsed);
  return proxy == nullptr ? 0 : proxy->port;
}

TEST(HttpProxiesTest, EachSchemeHasItsOwnAndSmallLettersGoFirst) {
  const auto proxies = ProxiesOf({{"HTTP_PROXY", "http://proxy:1"},
                                  {"https_proxy", "proxy:2"},
                                  {"HTTPS_PROXY", "http://proxy:3"}});
  ASSERT_TRUE(proxies);
  EXPECT_EQ(PortOfProxy(*proxies, "http://example.org"), 1);
  EXPECT_EQ(PortOfProxy(*proxies, "https://example.org"), 2);
  EXPECT_EQ(PortOfProxy(*ProxiesOf({}), "https://example.org"), 0);
}

TEST(HttpProxiesTest, ThisMachineAndWhatIsExemptAreReachedDirectly) {
  const auto proxies = ProxiesOf({{"https_proxy", "http://proxy:2"},
                                  {"no_proxy", "Example.org, .inner:8443 ,10.0.0.7,[fd::1]"}});
  ASSERT_TRUE(proxies);
  for (const char* url : {"https://localhost", "https://127.0.0.1", "https://[::1]",
                          "https://example.org", "https://a.b.EXAMPLE.org", "https://inner:8443",
                          "https://x.inner:8443", "https://10.0.0.7", "https://[fd::1]"}) {
    EXPECT_EQ(PortOfProxy(*proxies, url), 0) << url;
  }
  for (const char* url : {"https://notexample.org", "https://example.org.evil", "https://inner",
                          "https://10.0.0.70", "https://x10.0.0.7"}) {
    EXPECT_EQ(PortOfProxy(*proxies, url), 2) << url;
  }
  EXPECT_EQ(PortOfProxy(*ProxiesOf({{"https_proxy", "http://p:2"}, {"no_proxy", "*"}}),
                        "https://example.org"),
            0);
}

TEST(HttpProxiesTest, ABadOneIsNamedButNotRepeated) {
  const auto bad = ProxiesOf({{"HTTPS_PROXY", "http://me:geheim@proxy:x"}});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("HTTPS_PROXY"));
  EXPECT_THAT(bad.error().message, Not(HasSubstr("geheim")));
  EXPECT_EQ(ProxiesOf({{"HTTPS_PROXY", "https://proxy:1"}}).error().code, Errc::kUnsupported);
}

}  // namespace
}  // namespace hone
