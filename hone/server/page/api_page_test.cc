// SPDX-License-Identifier: Apache-2.0
#include "hone/server/page/api_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "hone/server/page/openapi.h"

namespace hone::server {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<Route> TwoRoutes() {
  Route get;
  get.method = "GET";
  get.path = "/v1/tasks/{id}/wait";
  get.summary = "Waits <for> it.";
  get.response_schema = "TaskView";
  get.queries = {{"timeout_s", "number", false, "How long."}};
  Route post;
  post.method = "POST";
  post.path = "/worker/evict_from_lb";
  post.request_schema = "EvaluationRequest";
  return {get, post};
}

TEST(ApiPageTest, ShowsEveryRouteWithItsParametersAndSchemas) {
  const std::string page = ApiPage(OpenApiDocument(TwoRoutes(), "9"));
  EXPECT_THAT(page, HasSubstr("<b>get</b> /v1/tasks/{id}/wait"));
  EXPECT_THAT(page, HasSubstr("timeout_s"));
  EXPECT_THAT(page, HasSubstr("href=\"#schema-TaskView\""));
  EXPECT_THAT(page, HasSubstr("id=\"schema-TaskView\""));
  EXPECT_THAT(page, HasSubstr("Body: <a href=\"#schema-EvaluationRequest\">"));
}

TEST(ApiPageTest, TextsAreEscapedAndNothingIsFetched) {
  const std::string page = ApiPage(OpenApiDocument(TwoRoutes(), "9"));
  EXPECT_THAT(page, HasSubstr("Waits &lt;for&gt; it."));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST(OpenApiTest, EveryOperationHasANameOfItsOwn) {
  const Json document = OpenApiDocument(TwoRoutes(), "9");
  EXPECT_EQ(document["paths"]["/v1/tasks/{id}/wait"]["get"]["operationId"], "get_v1_tasks_id_wait");
  EXPECT_EQ(document["paths"]["/worker/evict_from_lb"]["post"]["operationId"],
            "post_worker_evict_from_lb");
}

}  // namespace
}  // namespace hone::server
