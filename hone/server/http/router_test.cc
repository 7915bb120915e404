// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::server {
namespace {

using testing::ElementsAre;

TEST(RouterTest, TellsWrongPathsFromWrongMethods) {
  Route get;
  get.method = "GET";
  get.path = "/v1/tasks/{id}";
  const Router router({get});
  HttpRequest request;
  request.method = "HEAD";
  request.target = "/v1/tasks/a%20b?x=1";
  EXPECT_EQ(router.Find(request).route, &router.routes()[0]);
  EXPECT_THAT(request.parts, ElementsAre("a b"));
  EXPECT_EQ(request.Query("x"), "1");
  request.method = "PUT";
  EXPECT_EQ(router.Find(request).refusal->status, 405);
  request.target = "/v1/task/a";
  EXPECT_EQ(router.Find(request).refusal->status, 404);
  request.target = "/v1/tasks/%zz";
  EXPECT_EQ(router.Find(request).refusal->status, 400);
}

}  // namespace
}  // namespace hone::server
