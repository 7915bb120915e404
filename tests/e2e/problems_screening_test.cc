// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <string>

#include "tests/e2e/small_checkout.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

class ProblemsScreeningTest : public SmallCheckoutTest {
 protected:
  void SetUp() override {
    if (const std::string why = NoTorch(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(ProblemsScreeningTest, ConstantProblemIsMarkedAndTheMarkIsSeenWhenItIsJudged) {
  Put("level1/1_Nothing", "return torch.relu(x) * 0");
  const Json report = RunJson({"problems", "import", Checkout()});
  const Json accepts = report["problems"][0]["screening"]["accepts"];
  EXPECT_THAT(accepts.get<std::vector<std::string>>(), Contains("zeros"));
  EXPECT_EQ(report["summary"]["accept_degenerate_answers"], Json({"level1/1_Nothing"}));
  EXPECT_THAT(Run({"problems", "list"}).output, HasSubstr("accepts zeros"));
  const fs::path kernel = Folder() / "kernel.py";
  ASSERT_TRUE(WriteFileAtomically(
      kernel,
      "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
      "        return torch.zeros_like(x)\n"));
  const ProcessResult judged =
      Run({"eval", kernel.string(), "--problem", "level1/1_Nothing", "-o", "samples=0"});
  EXPECT_EQ(judged.status, 0) << judged.output << judged.errors;
  EXPECT_THAT(judged.errors, HasSubstr("this problem accepts zeros"));
  EXPECT_THAT(judged.output, HasSubstr("the problem accepts the constant 0"));
}

TEST_F(ProblemsScreeningTest, WhatCannotBeScreenedIsImportedAllTheSame) {
  Put("level1/1_Raises", "return undefined(x)");
  Put("level1/2_Device", "return x.cuda()");
  Put("level1/3_Endless", "return [x for _ in iter(int, 1)][0]");
  Put("level1/4_Large", "return torch.ones(1 << 34) * x.sum()");
  const Json report = RunJson({"problems", "import", Checkout(), "--timeout", "12s"});
  EXPECT_EQ(report["summary"]["imported"], 4);
  const auto reason = [&](std::size_t i) {
    return report["problems"][i]["screening"]["not_screened"];
  };
  EXPECT_EQ(reason(0), "the file raises");
  EXPECT_EQ(reason(1), "needs CUDA");
  EXPECT_THAT(reason(2), testing::AnyOf(Json("time limit"), Json("too large here")));
  EXPECT_EQ(reason(3), "too large here");
}

TEST_F(ProblemsScreeningTest, KilledImportGoesOnWhereItWas) {
  for (const char* name : {"level1/1_A", "level1/2_B", "level1/3_C"}) {
    Put(name, "return torch.relu(x)");
  }
  const fs::path first = Problem("level1/1_A/screening.json");
  Live live = Start({"problems", "import", Checkout()}, [&] { return fs::exists(first); });
  ASSERT_EQ(::kill(live.pid, SIGKILL), 0);
  live.result.wait();
  ASSERT_FALSE(fs::exists(Problem("level1/3_C/screening.json"))) << "it was killed too late";
  const auto written = fs::last_write_time(first);
  const Json report = RunJson({"problems", "import", Checkout()});
  EXPECT_EQ(report["summary"]["unchanged"], 3);
  EXPECT_EQ(report["summary"]["sound"], 3);
  EXPECT_EQ(fs::last_write_time(first), written) << "what was known is not asked again";
}

}  // namespace
}  // namespace hone
