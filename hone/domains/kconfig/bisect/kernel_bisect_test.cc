// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/bisect/kernel_bisect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/build/kbuild.h"
#include "hone/domains/kconfig/build/kbuild_tree_for_test.h"
#include "hone/domains/kconfig/kernel_lab_for_test.h"

namespace hone::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class KernelBisectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(MakeFolder(folder_.path() / "tree"));
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / "tree/Kconfig", kFakeTree));
    auto lab = MakeFakeLab(folder_.path() / "tree", folder_.path() / "cache");
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
  }

  Result<BisectAnswer> Bisect(const BisectRequest& request) {
    BisectListener listener;
    listener.on_start = [&](std::size_t changes, std::size_t) { announced_ = changes; };
    listener.on_step = [&](const BisectStep& step) { steps_.push_back(step); };
    return BisectKernels(lab_, request, listener);
  }

  TempDir folder_ = TempDir::Make("hone-bisect-test").value();
  KernelLab lab_;
  std::size_t announced_ = 0;
  std::vector<BisectStep> steps_;
};

constexpr char kManyThings[] = "FAST=y,SECCOMP=y,DEEP=y,SPEED=9,HZ_1000=y";

TEST_F(KernelBisectTest, TheOptionThatBreaksTheBuildIsFound) {
  const auto answer = Bisect({"tiny", std::string("tiny,BROKEN=y,") + kManyThings});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->options, ElementsAre(ElementsAre("BROKEN: n -> y")));
  EXPECT_THAT(answer->fault, StartsWith("does not build: kernel/broken.c:1: error"));
  EXPECT_EQ(answer->changes, announced_);
  EXPECT_THAT(answer->consequences, IsEmpty());
  EXPECT_TRUE(answer->is_minimal);
}

TEST_F(KernelBisectTest, TheOptionThatKeepsItFromBootingIsFound) {
  const auto answer = Bisect({"tiny", std::string("tiny,PANICS=y,") + kManyThings});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->options, ElementsAre(ElementsAre("PANICS: n -> y")));
  EXPECT_THAT(answer->evidence.at(0).text, HasSubstr("not syncing"));
}

TEST_F(KernelBisectTest, WhatCannotRunTheWorkloadsIsBadToo) {
  const auto answer = Bisect({"tiny", std::string("tiny,DEAF=y,") + kManyThings});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->options, ElementsAre(ElementsAre("DEAF: n -> y")));
}

TEST_F(KernelBisectTest, TwoThatBreakOnlyTogetherAreBothFound) {
  const auto answer = Bisect({"tiny", std::string("tiny,LEFT=y,RIGHT=y,") + kManyThings});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->options,
              ElementsAre(ElementsAre("RIGHT: n -> y"), ElementsAre("LEFT: n -> y")));
}

TEST_F(KernelBisectTest, NothingIsBuiltTwice) {
  const BisectRequest request{"tiny", std::string("tiny,PANICS=y,") + kManyThings};
  ASSERT_TRUE(Bisect(request));
  const auto& builder = dynamic_cast<FakeKernelBuilder&>(*lab_.builder);
  const int built = builder.built();
  EXPECT_EQ(static_cast<std::size_t>(built), steps_.size());  // The two ends are told, too.
  ASSERT_TRUE(Bisect(request));
  EXPECT_EQ(builder.built(), built);
}

TEST_F(KernelBisectTest, WhatIsBrokenInAnotherWayIsSkippedAndSaid) {
  // The bad one does not build; on the way some that panic are met.
  const auto answer = Bisect({"tiny", "tiny,PANICS=y,BROKEN=y"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->options.size(), std::size_t{1});
  EXPECT_THAT(answer->skipped, ElementsAre(HasSubstr("PANICS: n -> y: does not boot")));
}

TEST_F(KernelBisectTest, AnOptionThatIsSlowerIsFoundByTheMetric) {
  BisectRequest request{std::string("tiny,FAST=y"), "tiny,SECCOMP=y,DEEP=y,HZ_1000=y"};
  request.metric = "index";
  request.worse_than = 0.05;
  const auto answer = Bisect(request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->options, ElementsAre(ElementsAre("FAST: y -> n")));
  EXPECT_EQ(answer->fault, "boots, index -10.00 %");
  request.metric = "fork";
  EXPECT_EQ(Bisect(request)->options, answer->options);
  request.worse_than = 0.2;
  EXPECT_THAT(Bisect(request).error().message, HasSubstr("boots, fork +11.11 %"));
  request.metric = "sleep";
  EXPECT_THAT(Bisect(request).error().message, HasSubstr("there are index"));
}

TEST_F(KernelBisectTest, AGoodOneThatIsBadAndABadOneThatIsGoodAreRefused) {
  EXPECT_THAT(Bisect({"tiny,BROKEN=y", "tiny,PANICS=y"}).error().message,
              StartsWith("tiny,BROKEN=y is not good: it does not build"));
  EXPECT_THAT(Bisect({"tiny", "tiny,FAST=y"}).error().message,
              HasSubstr("not bad in the way that is looked for: it boots"));
  EXPECT_THAT(Bisect({"tiny", "tiny"}).error().message, HasSubstr("do not differ"));
}

TEST_F(KernelBisectTest, ItEndsWhenItIsAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  BisectRequest request{"tiny", "tiny,PANICS=y"};
  request.stop = stop.get_token();
  EXPECT_FALSE(Bisect(request));
}

// Built by make, from a tree in kbuild's shape.
TEST_F(KernelBisectTest, ATreeThatIsReallyBuiltIsBisected) {
  if (const std::string missing = MissingBuildTool(); !missing.empty()) {
    GTEST_SKIP() << "needs " << missing;
  }
  const auto tree = folder_.path() / "kbuild";
  ASSERT_TRUE(WriteKbuildTree(tree));
  const auto source = FindKernelSource(tree, "");
  ASSERT_TRUE(source) << source.error().message;
  lab_.source = *source;
  lab_.builder = std::make_unique<Kbuild>(*source, folder_.path() / "cache");
  const auto broken = Bisect({"tiny", "tiny,BROKEN=y,FAST=y,MAIN=y,WIDE=y"});
  ASSERT_TRUE(broken) << broken.error().message;
  EXPECT_THAT(broken->options, ElementsAre(ElementsAre("BROKEN: n -> y")));
  EXPECT_THAT(broken->fault, HasSubstr("error: #error \"it is broken\""));
  const auto panics = Bisect({"tiny", "tiny,PANICS=y,FAST=y,MAIN=y,WIDE=y"});
  ASSERT_TRUE(panics) << panics.error().message;
  EXPECT_THAT(panics->options, ElementsAre(ElementsAre("PANICS: n -> y")));
}

}  // namespace
}  // namespace hone::kernels
