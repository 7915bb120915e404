// SPDX-License-Identifier: Apache-2.0
#include "hone/server/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::server {
namespace {

using testing::HasSubstr;

HttpResponse Get(const Route& route, HttpRequest request) {
  std::optional<HttpResponse> response;
  Start(route.handler(request), [&](std::optional<HttpResponse> made, const std::exception_ptr&) {
    response = std::move(made);
  });
  return std::move(*response);
}

TEST(PageTest, ReadsWhatThePackerWrote) {
  const auto page = ReadPage(
      "hone-page 1\n"
      "index.html text/html;charset=utf-8 3 5 e1\n"
      "assets/a.js text/javascript 2 4 e2\n"
      "\n"
      "gzphelloGZplai");
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_NE(page->Find("assets/a.js"), nullptr);
  EXPECT_EQ(page->Find("assets/a.js")->gzip, "GZ");
  EXPECT_EQ(page->Find("assets/a.js")->plain, "plai");
  EXPECT_EQ(page->Find("index.html")->plain, "hello");
  EXPECT_EQ(page->Find("index.htm"), nullptr);
}

TEST(PageTest, APackThatIsCutOffIsRefused) {
  EXPECT_FALSE(ReadPage("hone-page 1\nindex.html text/html 30 50 e1\n\nabc"));
  EXPECT_FALSE(ReadPage("hone-page 1\nindex.html text/html\n\n"));
  EXPECT_FALSE(ReadPage("something else"));
}

TEST(PageTest, WithoutAPageItSaysWhy) {
  const auto page = ReadPage("hone-page 1\nmissing npm was missing at build time\n");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->missing, "npm was missing at build time");
  EXPECT_TRUE(page->files.empty());
}

TEST(PageTest, TheIndexHasAStrictPolicyAndIsNotSentTwice) {
  const auto routes = PageRoutes("");
  HttpRequest request;
  request.method = "GET";
  const HttpResponse first = Get(routes[0], request);
  const std::string_view policy = [&] {
    for (const auto& [name, value] : first.headers) {
      if (name == "content-security-policy") return std::string_view(value);
    }
    return std::string_view();
  }();
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  if (!PageOfThisBuild().missing.empty()) {
    EXPECT_THAT(first.body, HasSubstr(PageOfThisBuild().missing));
    GTEST_SKIP() << "this build has no page: " << PageOfThisBuild().missing;
  }
  EXPECT_EQ(first.status, 200);
  request.headers = {{"accept-encoding", "br, gzip"}};
  const HttpResponse small = Get(routes[0], request);
  EXPECT_LT(small.body.size(), first.body.size());
  request.headers = {{"if-none-match", "\"" + PageOfThisBuild().Find("index.html")->etag + "\""}};
  const HttpResponse again = Get(routes[0], request);
  EXPECT_EQ(again.status, 304);
  EXPECT_TRUE(again.body.empty());
}

TEST(PageTest, BrowsersAreSentToThePageAndProgramsAreNot) {
  const Handler handler = PageOr(
      [](const HttpRequest&) -> Async<HttpResponse> {
        co_return JsonResponse(200, {{"a", 1}});
      },
      "/ui/");
  Route route;
  route.handler = handler;
  HttpRequest request;
  EXPECT_EQ(Get(route, request).status, 200);
  request.headers = {{"accept", "text/html,application/xhtml+xml"}};
  EXPECT_EQ(Get(route, request).status, 307);
}

}  // namespace
}  // namespace hone::server
