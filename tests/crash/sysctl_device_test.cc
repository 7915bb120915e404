// SPDX-License-Identifier: Apache-2.0
// Queues of a real disk and of a real network device, both of the test's own (sysctl_devices.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "hone/domains/sysctl/apply/transaction.h"
#include "tests/crash/sysctl_host.h"
#include "tests/crash/sysctl_parameters.h"

namespace hone::sysctl {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SysctlDeviceTest : public HostTest {
 protected:
  static std::string OfDisk(const std::string& name) {
    return "/sys/block/" + std::string(std::getenv(kTestDisk)) + "/queue/" + name;
  }
  static std::string OfLink(const std::string& name) {
    return "/sys/class/net/" + std::string(std::getenv(kTestLink)) + "/" + name;
  }

  void SetUp() override {
    HostTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!files_->IsWritable(OfDisk("scheduler"))) GTEST_SKIP() << "no loop device here";
    for (const HarmlessParameter& parameter : HarmlessParameters(*files_)) {
      paths_.push_back(parameter.path);
    }
  }

  std::unique_ptr<ParameterTransaction> Take() {
    auto transaction = ParameterTransaction::Take(*files_, TransactionOnHost(*files_, Folder()));
    EXPECT_TRUE(transaction) << transaction.error().message;
    return transaction ? std::move(*transaction) : nullptr;
  }

  std::string Text(const std::string& path) { return files_->Read(path).value_or("(none)"); }

  std::vector<std::string> paths_;
};

TEST_F(SysctlDeviceTest, TheDevicesHaveTheQueuesThatAreTested) {
  for (const char* const name :
       {"scheduler", "nr_requests", "read_ahead_kb", "rq_affinity", "nomerges"}) {
    EXPECT_THAT(paths_, Contains(OfDisk(name)));
  }
  EXPECT_THAT(paths_, Contains(OfLink("queues/rx-0/rps_cpus")));
  EXPECT_THAT(paths_, Contains(OfLink("tx_queue_len")));
}

TEST_F(SysctlDeviceTest, EveryTextIsInForceAndAfterwardsTheOriginal) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction);
  for (const HarmlessParameter& parameter : HarmlessParameters(*files_)) {
    for (const std::string& text : parameter.texts) {
      const auto report = transaction->Apply({{parameter.path, text}});
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_EQ(Text(parameter.path), text == "1001" ? "1000" : text) << parameter.path;
    }
  }
  const auto report = transaction->Restore();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->failed, IsEmpty());
  ExpectAsAtStart("after success");
}

TEST_F(SysctlDeviceTest, WhatASchedulerMovesIsAsAskedAndGoesBackWithIt) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction);
  const std::string requests = OfDisk("nr_requests");
  const std::string original = Text(requests);
  ASSERT_TRUE(transaction->Apply({{requests, "32"}, {OfDisk("scheduler"), "mq-deadline"}}));
  EXPECT_EQ(Text(requests), "32");
  ASSERT_TRUE(transaction->Apply({}));
  EXPECT_EQ(Text(requests), original);
  ExpectAsAtStart("after the baseline");
}

TEST_F(SysctlDeviceTest, ARefusedValueLeavesTheDevicesAsTheyWere) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction);
  const auto report = transaction->Apply({{OfDisk("read_ahead_kb"), "256"},
                                          {OfLink("queues/rx-0/rps_cpus"), "1"},
                                          {OfDisk("scheduler"), "no-such-scheduler"}});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("scheduler = \"no-such-scheduler\""));
  ExpectAsAtStart("after a failure");
}

TEST_F(SysctlDeviceTest, TheGuardianPutsTheDevicesBackAfterSigkill) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Killable holder(Holder("hold", Folder(), seed));
    AwaitLine(holder, "trial");
    ASSERT_THAT(ChangesNow(), Not(IsEmpty()));
    holder.Kill();
    ASSERT_TRUE(Await([this] { return !HasJournal(); })) << "the guardian did nothing";
    ExpectAsAtStart("after the guardian");
  }
}

// ethtool(8) of the distribution, asked about what Hone set.
class SysctlEthtoolTest : public SysctlDeviceTest {
 protected:
  static std::string Said(const std::string& arguments) {
    FILE* const pipe = ::popen(("ethtool " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return "";
    std::string text;
    std::array<char, 4096> part{};
    for (std::size_t size = 0; (size = ::fread(part.data(), 1, part.size(), pipe)) > 0;) {
      text.append(part.data(), size);
    }
    ::pclose(pipe);
    return text;
  }

  static std::string Link() { return std::getenv(kTestLink); }

  void SetUp() override {
    SysctlDeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!Said("--version").starts_with("ethtool")) GTEST_SKIP() << "needs ethtool";
  }

  // By the name that ethtool gives it.
  void ExpectFeature(const std::string& name, const std::string& text) {
    EXPECT_THAT(Said("-k " + Link()), HasSubstr("\t" + name + ": " + text));
  }
};

TEST_F(SysctlEthtoolTest, TheDistributionsToolSeesEveryFeatureAsWeDo) {
  const auto paths = files_->Match("/ethtool/" + Link() + "/features/*");
  ASSERT_TRUE(paths);
  int compared = 0;
  const std::string shown = Said("-k " + Link());
  const std::map<std::string, std::string> old_names{
      {"rx-gro", "generic-receive-offload"},
      {"tx-generic-segmentation", "generic-segmentation-offload"}};
  for (const std::string& path : *paths) {
    const std::string name = path.substr(path.rfind('/') + 1);
    const auto old = old_names.find(name);
    const std::string label = "\n" + (old == old_names.end() ? "\t" + name : old->second) + ": ";
    if (shown.find(label) == std::string::npos) continue;  // It has another name there.
    ++compared;
    EXPECT_THAT(shown, HasSubstr(label + Text(path)));
  }
  EXPECT_GT(compared, 8);
}

TEST_F(SysctlEthtoolTest, WhatWeSetTheToolSeesAndWhatTheToolSetsWeSee) {
  const auto transaction = Take();
  ASSERT_TRUE(transaction);
  const std::string folder = "/ethtool/" + Link();
  ASSERT_TRUE(transaction->Apply(
      {{folder + "/features/tx-tcp-segmentation", "off"}, {folder + "/channels/rx", "2"}}));
  ExpectFeature("tx-tcp-segmentation", "off");
  EXPECT_THAT(Said("-l " + Link()), testing::ContainsRegex("Current hardware settings:\nRX:\t+2"));
  ASSERT_TRUE(transaction->Apply({}));
  ExpectFeature("tx-tcp-segmentation", "on");
  EXPECT_EQ(Said("-K " + Link() + " gro on"), "");
  EXPECT_EQ(Text(folder + "/features/rx-gro"), "on");
  EXPECT_EQ(Said("-K " + Link() + " gro off"), "");
  EXPECT_EQ(Text(folder + "/features/rx-gro"), "off");
}

}  // namespace
}  // namespace hone::sysctl
