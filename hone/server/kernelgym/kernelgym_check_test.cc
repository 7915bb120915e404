// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/kernelgym_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::server {
namespace {

using testing::HasSubstr;

KernelGymRequest Sound() {
  KernelGymRequest request;
  request.task_id = "t";
  request.kernel_code = "class ModelNew: pass";
  request.reference_code = "class Model: pass";
  return request;
}

TEST(KernelGymCheckTest, ASoundRequestIsValid) {
  const Json json = KernelGymValidation(Sound());
  EXPECT_EQ(json["valid"], true);
  EXPECT_EQ(json["errors"], Json::array());
  EXPECT_EQ(json["request_info"]["backend"], "triton");
  EXPECT_EQ(json["resources"], Json::object());
  EXPECT_EQ(WhyNotJudged(Sound()), "");
}

TEST(KernelGymCheckTest, TheClassThatIsMissingIsNamed) {
  KernelGymRequest request = Sound();
  request.kernel_code = "class Other: pass";
  const Json json = KernelGymValidation(request);
  EXPECT_EQ(json["valid"], false);
  EXPECT_EQ(json["reference"]["valid"], true);
  EXPECT_EQ(json["kernel"]["valid"], false);
  EXPECT_EQ(json["kernel"]["entry_point"], "ModelNew");
  EXPECT_THAT(WhyNotJudged(request), HasSubstr("no class ModelNew"));
  request.backend = "cpp";  // It has functions.
  request.reference_code = "void kernel() {}";
  EXPECT_EQ(WhyNotJudged(request), "");
}

TEST(KernelGymCheckTest, AProblemByNameNeedsNoReference) {
  KernelGymRequest request = Sound();
  request.reference_code.reset();
  request.problem = "saxpy";
  EXPECT_EQ(WhyNotJudged(request), "");
}

TEST(KernelGymCheckTest, TheReferenceCacheNeedsAUuid) {
  KernelGymRequest request = Sound();
  request.use_reference_cache = true;
  EXPECT_THAT(WhyNotJudged(request), HasSubstr("uuid"));
  request.uuid = "u";
  EXPECT_EQ(WhyNotJudged(request), "");
}

TEST(KernelGymCheckTest, GpusAreCountedFromOne) {
  KernelGymRequest request = Sound();
  for (const Json& few : {Json(0), Json(-1), Json("none"), Json(0.5), Json(false)}) {
    request.resources = {{"gpus", few}};
    EXPECT_THAT(WhyNotJudged(request), HasSubstr("resources.gpus")) << few;
  }
  for (const Json& fine : {Json(1), Json("2"), Json(nullptr), Json(1.5)}) {
    request.resources = {{"gpus", fine}};
    EXPECT_EQ(WhyNotJudged(request), "") << fine;
  }
  request.workflow = "kernel_simple";  // It looks at none of this.
  request.entry_point = "ModelNew";
  request.resources = {{"gpus", 0}};
  EXPECT_EQ(WhyNotJudged(request), "");
}

TEST(KernelGymCheckTest, AllErrorsAreTold) {
  KernelGymRequest request = Sound();
  request.kernel_code = request.reference_code.emplace("class Other: pass");
  request.resources = {{"gpus", 0}};
  EXPECT_EQ(KernelGymValidation(request)["errors"].size(), 3);
}

}  // namespace
}  // namespace hone::server
