// SPDX-License-Identifier: Apache-2.0
#include "hone/app/stored/kernel_of_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/kernel_lab_for_test.h"

namespace hone::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KernelOfRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {"make", "flex", "bison", "bc", "perl"}) {
      if (!FindProgram(tool, SearchPath())) GTEST_SKIP() << "needs " << tool;
    }
    ASSERT_TRUE(MakeFolder(tree_.path() / "init"));
    Write("Kconfig", kernels::kFakeTree);
    Write("Makefile", "VERSION = 6\nPATCHLEVEL = 1\n");
    Write("init/main.c", "");
  }

  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(tree_.path() / name, text));
  }

  // A finished campaign that found a gain.
  tune::CampaignHistory Found() const {
    tune::CampaignHistory history;
    tune::StoredCampaign& campaign = history.campaign;
    campaign.id = "kconfig-3";
    campaign.start.spec.domain = "kconfig";
    campaign.start.spec.options = {{"tree", tree_.path().string()},
                                   {"options", "FAST,DEEP,boot:quiet=auto|off"}};
    campaign.start.spec.rule.objectives = {{"index", Direction::kHigherIsBetter, 1}};
    campaign.start.baseline.assignment = {
        {"FAST", false}, {"DEEP", false}, {"boot:quiet", std::string("auto")}};
    campaign.state = tune::CampaignState::kDone;
    tune::Verdict verdict;
    verdict.kind = tune::Verdict::Kind::kGain;
    tune::Proof proof;
    proof.candidate.assignment = {
        {"FAST", true}, {"DEEP", true}, {"boot:quiet", std::string("off")}};
    proof.reward = {0.1, {0.09, 0.11}, 0.00001, 24};
    verdict.proof = proof;
    verdict.effects = {{"FAST", "n", "y", {0.1, {0.09, 0.11}, 0.001, 12}}};
    campaign.verdict = verdict;
    return history;
  }

  TempDir tree_ = TempDir::Make("hone-kernel-of-run-test").value();
};

TEST_F(KernelOfRunTest, TheFragmentHasTheChangesTheirConsequencesAndWhatTheyAreWorth) {
  const auto text = KernelOfRun(Found(), "fragment", std::nullopt);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("# Gain: "));
  EXPECT_THAT(*text, HasSubstr("# FAST=true: +10.5 % index"));
  EXPECT_THAT(*text, HasSubstr("# On the kernel's command line: quiet=off"));
  EXPECT_THAT(*text, HasSubstr("\nCONFIG_FAST=y\n"));
  EXPECT_THAT(*text, HasSubstr("\nCONFIG_BELOW=y\n"));
  EXPECT_THAT(*text, Not(HasSubstr("HZ_250")));
}

TEST_F(KernelOfRunTest, TheWholeConfigurationHasTheRestToo) {
  const auto text = KernelOfRun(Found(), "config", std::nullopt);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("CONFIG_HZ_250=y"));
  EXPECT_THAT(*text, HasSubstr("# CONFIG_PANICS is not set"));
}

TEST_F(KernelOfRunTest, ADefconfigHasOnlyWhatIsNotTheDefault) {
  const auto text = KernelOfRun(Found(), "defconfig", std::nullopt);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("\nCONFIG_FAST=y\n"));
  EXPECT_THAT(*text, Not(HasSubstr("CONFIG_PANICS")));
  EXPECT_THAT(*text, Not(HasSubstr("HZ_250")));
}

TEST_F(KernelOfRunTest, ATreeThatIsGoneIsSaid) {
  tune::CampaignHistory history = Found();
  history.campaign.start.spec.options["tree"] = "/nowhere";
  EXPECT_THAT(KernelOfRun(history, "fragment", std::nullopt).error().message,
              HasSubstr("/nowhere"));
}

TEST_F(KernelOfRunTest, WithoutAGainThereIsNothing) {
  tune::CampaignHistory history = Found();
  history.campaign.verdict->kind = tune::Verdict::Kind::kNoGain;
  EXPECT_EQ(KernelOfRun(history, "fragment", std::nullopt).error().code, Errc::kNotFound);
  history = Found();
  history.campaign.start.spec.domain = "toy";
  EXPECT_EQ(KernelOfRun(history, "fragment", std::nullopt).error().code, Errc::kInvalidArgument);
}

}  // namespace
}  // namespace hone::app
