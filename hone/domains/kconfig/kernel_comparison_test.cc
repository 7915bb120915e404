// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/kernel_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/kernel_lab_for_test.h"

namespace hone::kernels {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A guest that asks for a stop while it runs.
class StoppingGuest final : public Guest {
 public:
  StoppingGuest(std::unique_ptr<Guest> guest, std::stop_source& stop)
      : guest_(std::move(guest)), stop_(stop) {}

  Result<GuestReport> Boot(const GuestOrder& order) override {
    if (order.seed == 3) stop_.request_stop();
    return guest_->Boot(order);
  }

 private:
  std::unique_ptr<Guest> guest_;
  std::stop_source& stop_;
};

class KernelComparisonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(MakeFolder(folder_.path() / "tree"));
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / "tree/Kconfig", kFakeTree));
    auto lab = MakeFakeLab(folder_.path() / "tree", folder_.path() / "cache");
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
  }

  KernelComparison Compare(const std::string& a, const std::string& b, std::stop_token stop = {}) {
    const auto compared = CompareKernels(lab_, {.a = a, .b = b, .stop = std::move(stop)});
    EXPECT_TRUE(compared) << compared.error().message;
    return compared ? *compared : KernelComparison{};
  }

  TempDir folder_ = TempDir::Make("hone-comparison-test").value();
  KernelLab lab_;
};

TEST_F(KernelComparisonTest, TheAnswerFollowsFromTheIndex) {
  const KernelComparison better = Compare("tiny", "tiny,FAST=y");
  EXPECT_EQ(better.Answer(), ComparisonAnswer::kBetter);
  EXPECT_THAT(better.log_ratios.at("index"), SizeIs(12));
  EXPECT_THAT(better.missing, IsEmpty());
  EXPECT_EQ(Compare("tiny,FAST=y", "tiny").Answer(), ComparisonAnswer::kWorse);
  EXPECT_EQ(Compare("tiny", "tiny").Answer(), ComparisonAnswer::kEqual);
}

TEST_F(KernelComparisonTest, AKernelThatDoesNotBuildOrBootIsAnAnswerAndNoError) {
  const KernelComparison broken = Compare("tiny", "tiny,BROKEN=y");
  ASSERT_TRUE(broken.fault);
  EXPECT_FALSE(broken.fault->is_of_a);
  EXPECT_THAT(broken.fault->what, StartsWith("does not build: kernel/broken.c:1: error"));
  EXPECT_EQ(broken.Answer(), ComparisonAnswer::kFailed);
  const KernelComparison panics = Compare("tiny", "tiny,PANICS=y");
  ASSERT_TRUE(panics.fault);
  EXPECT_THAT(panics.fault->what, StartsWith("does not boot: "));
  const KernelComparison deaf = Compare("tiny", "tiny,DEAF=y");
  ASSERT_TRUE(deaf.fault);
  EXPECT_THAT(deaf.fault->what, StartsWith("does not run what is measured: "));
  EXPECT_EQ(Compare("tiny,PANICS=y", "tiny").Answer(), ComparisonAnswer::kDoesNotRun);
}

TEST_F(KernelComparisonTest, OneThatIsStoppedHasThePairsSoFarAndBlamesNobody) {
  std::stop_source stop;
  lab_.guest = std::make_unique<StoppingGuest>(std::move(lab_.guest), stop);
  const KernelComparison stopped = Compare("tiny", "tiny,FAST=y", stop.get_token());
  EXPECT_TRUE(stopped.is_cut_short);
  EXPECT_FALSE(stopped.fault);
  EXPECT_THAT(stopped.log_ratios.at("index"), SizeIs(2));
  EXPECT_EQ(stopped.Answer(), ComparisonAnswer::kNotEnough);
}

TEST_F(KernelComparisonTest, AMetricThatOnlyOneHasGivesNoVerdict) {
  KernelComparison comparison = Compare("tiny", "tiny,FAST=y");
  comparison.missing.insert("index");
  EXPECT_EQ(comparison.Answer(), ComparisonAnswer::kNotEnough);
}

}  // namespace
}  // namespace hone::kernels
