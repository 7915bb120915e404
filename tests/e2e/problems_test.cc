// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/e2e/small_checkout.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class ProblemsTest : public SmallCheckoutTest {};

TEST_F(ProblemsTest, CheckoutIsImportedAndListedAndNothingOfItRuns) {
  Put("level1/1_Relu", "return torch.relu(x)");
  Put("level2/10_Scale", "return 2 * x");
  Put("level4/1_weights", "return x");
  const ProcessResult first = Run({"problems", "import", Checkout(), "--no-screen"});
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_THAT(first.output, HasSubstr("imported                     2\n"));
  EXPECT_THAT(first.output, HasSubstr("level 4: its 1 problems need the weights of models"));
  const Json again = RunJson({"problems", "import", Checkout(), "--no-screen"});
  EXPECT_EQ(again["summary"]["unchanged"], 2);
  EXPECT_EQ(again["summary"]["imported"], 0);
  const ProcessResult listed = Run({"problems", "list"});
  EXPECT_THAT(listed.output, HasSubstr("saxpy"));
  EXPECT_THAT(listed.output, HasSubstr("Relu (KernelBench, level 1)"));
  EXPECT_FALSE(fs::exists(Problem("level4"))) << "its models would be downloaded";
}

TEST_F(ProblemsTest, HostileFilesFailAloneAndAreNamed) {
  Put("level1/1_Relu", "return torch.relu(x)");
  PutText("level1/2_Large", std::string(1 << 20, '#'));
  fs::create_symlink("/etc/passwd", Folder() / "checkout/KernelBench/level1/3_Link.py");
  const ProcessResult result = Run({"problems", "import", Checkout(), "--no-screen"});
  EXPECT_EQ(result.status, 1) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("2_Large.py: larger than the 262144 bytes allowed"));
  EXPECT_THAT(result.output, HasSubstr("3_Link.py: not a regular file; links are not followed"));
  EXPECT_TRUE(fs::exists(Problem("level1/1_Relu/problem.json")));
  EXPECT_FALSE(fs::exists(Problem("level1/3_Link")));
}

TEST_F(ProblemsTest, WhatCannotBeImportedIsSaidWithWhatToDo) {
  const ProcessResult none = Run({"problems", "import", Folder().string()});
  EXPECT_NE(none.status, 0);
  EXPECT_THAT(none.errors, HasSubstr("not a checkout of KernelBench"));
  Put("level1/1_Relu", "return torch.relu(x)");
  EXPECT_THAT(Run({"problems", "import", Checkout(), "--level", "4"}).errors,
              HasSubstr("need the weights of models"));
  EXPECT_THAT(Run({"problems", "import", Checkout(), "--only", "Softmax"}).errors,
              HasSubstr("none of its 1 problems"));
  EXPECT_THAT(Run({"problems", "imprt"}).errors, HasSubstr("import"));
}

TEST_F(ProblemsTest, ImportedProblemIsScreenedAndJudgedByItsName) {
  if (const std::string why = NoTorch(); !why.empty()) GTEST_SKIP() << why;
  Put("level1/1_Relu", "return torch.relu(x)");
  const ProcessResult imported = Run({"problems", "import", Checkout()});
  EXPECT_EQ(imported.status, 0) << imported.errors;
  EXPECT_THAT(imported.errors, HasSubstr("[1/1] level1/1_Relu: sound"));
  const fs::path kernel = Folder() / "kernel.py";
  ASSERT_TRUE(WriteFileAtomically(
      kernel,
      "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
      "        return x.clamp(min=0)\n"));
  const ProcessResult judged =
      Run({"eval", kernel.string(), "--problem", "level1/1_Relu", "-o", "samples=0"});
  EXPECT_EQ(judged.status, 0) << judged.output << judged.errors;
  EXPECT_THAT(judged.errors, Not(HasSubstr("proves little")));
}

}  // namespace
}  // namespace hone
