// SPDX-License-Identifier: Apache-2.0
#include "hone/app/stored/settings_of_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/knowledge/settings_file.h"

namespace hone::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Int = std::int64_t;
using sysctl::Setting;

const std::string kHugePages = "/sys/kernel/mm/transparent_hugepage/enabled";
const std::string kZswap = "/sys/module/zswap/parameters/enabled";

// A finished campaign that found a gain.
tune::CampaignHistory Found() {
  tune::CampaignHistory history;
  tune::StoredCampaign& campaign = history.campaign;
  campaign.id = "sysctl-3";
  campaign.start.version = "0.2.0";
  campaign.start.machine = {{"cpu", "Imaginary 9000"}, {"kernel", "6.1.0"}, {"memory", "24 GiB"}};
  campaign.start.spec.domain = "sysctl";
  campaign.start.spec.options = {{"workload", R"({"name":"memory"})"}};
  campaign.start.spec.rule.objectives = {{"ops", Direction::kHigherIsBetter, 1}};
  campaign.start.space = *Space::Make(
      {{kHugePages, Category{{"always", "madvise"}}, std::string("madvise"), "", "", {}, {}},
       {"vm.swappiness", IntegerRange{0, 200}, Int{60}, "", "", {}, {}},
       {"vm.dirty_bytes", IntegerRange{8192, 1 << 30}, Int{0}, "bytes", "", {{Int{0}, "off"}}, {}},
       {kZswap, Boolean{}, false, "", "", {}, {}}});
  campaign.state = tune::CampaignState::kDone;
  tune::Verdict verdict;
  verdict.kind = tune::Verdict::Kind::kGain;
  tune::Proof proof;
  proof.candidate.assignment = {{kHugePages, std::string("always")},
                                {"vm.swappiness", Int{60}},
                                {"vm.dirty_bytes", Int{67108864}},
                                {kZswap, true}};
  proof.reward = {0.3365, {0.3001, 0.3661}, 0.00001, 24};
  verdict.proof = proof;
  verdict.effects = {{kHugePages, "madvise", "always", {0.3, {0.25, 0.35}, 0.001, 12}}};
  campaign.verdict = verdict;
  return history;
}

TEST(SettingsOfRunTest, TheWinnersChangesWithTheirEffects) {
  const auto settings = SettingsOfRun(Found(), std::nullopt);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->run, "sysctl-3");
  EXPECT_EQ(settings->workload, "memory");
  EXPECT_EQ(settings->kernel, "6.1.0");
  EXPECT_EQ(settings->machine, "cpu Imaginary 9000, memory 24 GiB");
  EXPECT_THAT(settings->verdict, HasSubstr("Gain: +40.0 %"));
  ASSERT_THAT(settings->settings, SizeIs(3));
  EXPECT_EQ(settings->settings[0].path, kHugePages);
  EXPECT_EQ(settings->settings[0].before, "madvise");
  EXPECT_EQ(settings->settings[0].effect,
            "+35.0 % ops [+28.4 %, +41.9 %] at 95 % confidence, p = 0.0010");
  EXPECT_EQ(settings->settings[1].undo,
            "vm.dirty_ratio was in force: write that one to switch this off.");
  EXPECT_EQ(settings->settings[2].after, "Y");
}

TEST(SettingsOfRunTest, WhatIsExportedReadsBack) {
  const auto settings = SettingsOfRun(Found(), std::nullopt);
  ASSERT_TRUE(settings);
  for (const auto form : {sysctl::SettingsForm::kTmpfiles, sysctl::SettingsForm::kJson,
                          sysctl::SettingsForm::kScript}) {
    const auto read = sysctl::ReadSettingsFile(ExportSettings(*settings, form), "f");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_THAT(*read,
                ElementsAre(Setting{kHugePages, "always"},
                            Setting{"/proc/sys/vm/dirty_bytes", "67108864"}, Setting{kZswap, "Y"}));
  }
}

TEST(SettingsOfRunTest, NoLimitReadsAsTheKernelWritesIt) {
  const std::string high = "/sys/fs/cgroup/system.slice/nginx.service/memory.high";
  tune::CampaignHistory history = Found();
  history.campaign.start.space = *Space::Make(
      {{high, IntegerRange{1 << 20, 1 << 30}, "max", "bytes", "", {{"max", "no limit"}}, {}}});
  history.campaign.verdict->proof->candidate.assignment = {{high, Int{268435456}}};
  const auto settings = SettingsOfRun(history, std::nullopt);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->settings[0].before, "max");
  EXPECT_EQ(settings->settings[0].after, "268435456");
}

std::string Fault(const tune::CampaignHistory& history, std::optional<std::size_t> pick = {}) {
  const auto settings = SettingsOfRun(history, pick);
  EXPECT_FALSE(settings);
  return settings ? "" : settings.error().message;
}

TEST(SettingsOfRunTest, WithoutAGainThereIsNothingToInstall) {
  tune::CampaignHistory history = Found();
  tune::Verdict verdict;
  verdict.reason = "nothing was better than the noise";
  history.campaign.verdict = verdict;
  EXPECT_EQ(Fault(history),
            "sysctl-3: there is nothing to install. No gain: nothing was better than the noise");
  EXPECT_EQ(SettingsOfRun(history, {}).error().code, Errc::kNotFound);
}

TEST(SettingsOfRunTest, ARehearsalIsNothingToInstall) {
  tune::CampaignHistory history = Found();
  history.campaign.start.spec.options["rehearsal"] = "yes";
  EXPECT_EQ(Fault(history),
            "sysctl-3: there is nothing to install. It was a rehearsal, whose "
            "numbers are made up.");
}

TEST(SettingsOfRunTest, OtherDomainsAndUnfinishedCampaignsAreRefused) {
  tune::CampaignHistory history = Found();
  history.campaign.verdict.reset();
  EXPECT_EQ(Fault(history), "sysctl-3: it is not finished; hone resume sysctl-3 goes on with it");
  history.campaign.start.spec.domain = "toy";
  EXPECT_EQ(
      Fault(history),
      "sysctl-3: it is about toy, not about kernel parameters; it is exported as json or csv");
}

TEST(SettingsOfRunTest, APointOfATradeOffIsPicked) {
  tune::CampaignHistory history = Found();
  tune::Verdict verdict = *history.campaign.verdict;
  verdict.kind = tune::Verdict::Kind::kFront;
  verdict.front = {*verdict.proof, *verdict.proof};
  verdict.front[1].candidate.assignment["vm.swappiness"] = Int{10};
  verdict.front[1].objectives = {{"ops", {0.0953, {0.05, 0.14}, 0.01, 12}}};
  verdict.proof.reset();
  history.campaign.verdict = verdict;
  EXPECT_EQ(Fault(history),
            "sysctl-3: it ended in a trade-off of 2 points; choose one:\n"
            "  --pick 1: \n"
            "  --pick 2: +10.0 % ops [+5.1 %, +15.0 %]");
  EXPECT_THAT(Fault(history, 3), HasSubstr("choose one"));
  const auto settings = SettingsOfRun(history, 2);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_THAT(settings->settings, SizeIs(4));
  EXPECT_EQ(settings->verdict, "+10.0 % ops [+5.1 %, +15.0 %]");
}

TEST(SettingsOfRunTest, ASuspicionStandsInWhatIsExported) {
  tune::CampaignHistory history = Found();
  tune::Verdict& verdict = *history.campaign.verdict;
  verdict.kind = tune::Verdict::Kind::kSuspicious;
  verdict.suspicions = {"the benchmark opened vm.swappiness (in 24 of 24 runs)"};
  const auto settings = SettingsOfRun(history, std::nullopt);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_THAT(settings->verdict, testing::StartsWith("Suspicious: +40.0 %"));
  EXPECT_THAT(settings->verdict, HasSubstr("but the benchmark opened vm.swappiness"));
  verdict.front = {*verdict.proof};
  const auto point = SettingsOfRun(history, 1);
  ASSERT_TRUE(point) << point.error().message;
  EXPECT_THAT(point->verdict, HasSubstr("but the benchmark opened vm.swappiness"));
}

}  // namespace
}  // namespace hone::app
