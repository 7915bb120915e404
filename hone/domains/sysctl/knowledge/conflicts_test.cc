// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/conflicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::sysctl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kSwappinessFile = "/proc/sys/vm/swappiness";
const std::string kHugePagesFile = "/sys/kernel/mm/transparent_hugepage/enabled";

// A root folder with files in it.
class ConflictsTest : public ::testing::Test {
 protected:
  void Put(const std::string& path, const std::string& text) {
    const auto file = root_->path() / path;
    ASSERT_TRUE(MakeFolder(file.parent_path()));
    ASSERT_TRUE(WriteFileDurably(file, text));
  }

  std::vector<Conflict> Find(const std::vector<std::string>& paths) {
    return FindConflicts(paths, root_->path());
  }

  Result<TempDir> root_ = TempDir::Make("conflicts");
};

TEST_F(ConflictsTest, NobodyElseSetsIt) {
  EXPECT_THAT(Find({kSwappinessFile}), IsEmpty());
  Put("etc/sysctl.d/10-a.conf", "# vm.swappiness = 1\nvm.overcommit_memory = 1\n");
  EXPECT_THAT(Find({kSwappinessFile}), IsEmpty());
}

TEST_F(ConflictsTest, SysctlFilesNameTheirLine) {
  Put("etc/sysctl.d/10-a.conf", "# first\n-vm.swappiness = 10\n");
  EXPECT_THAT(Find({kSwappinessFile, kHugePagesFile}),
              ElementsAre(Conflict{kSwappinessFile, "/etc/sysctl.d/10-a.conf:2", "10",
                                   "It is set again at every start, and by sysctl --system."}));
}

TEST_F(ConflictsTest, OfSeveralFilesTheOneThatCountsIsNamed) {
  Put("usr/lib/sysctl.d/10-a.conf", "vm.swappiness = 1\n");
  Put("etc/sysctl.d/20-b.conf", "vm/swappiness = 2\n");
  Put("run/sysctl.d/15-c.conf", "vm.swappiness = 3\n");
  ASSERT_THAT(Find({kSwappinessFile}), SizeIs(1));
  EXPECT_EQ(Find({kSwappinessFile})[0].value, "2");
  Put("etc/sysctl.conf", "vm.swappiness = 4\n");
  EXPECT_EQ(Find({kSwappinessFile})[0].source, "/etc/sysctl.conf:1");
}

TEST_F(ConflictsTest, AFileInEtcHidesItsNamesake) {
  Put("usr/lib/sysctl.d/10-a.conf", "vm.swappiness = 1\n");
  Put("etc/sysctl.d/10-a.conf", "\n");
  EXPECT_THAT(Find({kSwappinessFile}), IsEmpty());
}

TEST_F(ConflictsTest, PatternsCount) {
  Put("etc/sysctl.d/a.conf", "net.ipv4.conf.*.rp_filter = 2\n");
  EXPECT_THAT(Find({"/proc/sys/net/ipv4/conf/eth0/rp_filter"}), SizeIs(1));
}

TEST_F(ConflictsTest, TmpfilesThatWriteCount) {
  Put("etc/tmpfiles.d/thp.conf", "d /run/x 0755\nw " + kHugePagesFile + " - - - - never\n");
  EXPECT_THAT(
      Find({kHugePagesFile}),
      ElementsAre(Conflict{kHugePagesFile, "/etc/tmpfiles.d/thp.conf:2", "never",
                           "It is set again at every start, and by systemd-tmpfiles --create."}));
}

TEST_F(ConflictsTest, TheActiveProfileOfTunedCountsWithWhatItIncludes) {
  Put("etc/tuned/active_profile", "mine\n");
  Put("etc/tuned/mine/tuned.conf", "[main]\ninclude=throughput\n[sysctl]\nvm.swappiness=5\n");
  Put("usr/lib/tuned/throughput/tuned.conf",
      "[main]\nsummary=x\n[sysctl]\nvm.swappiness=10\n[vm]\ntransparent_hugepages=never\n"
      "[disk]\nreadahead=>4096\n");
  EXPECT_THAT(Find({kSwappinessFile, kHugePagesFile}),
              ElementsAre(Conflict{kSwappinessFile, "/etc/tuned/mine/tuned.conf:4", "5",
                                   "tuned sets it when it is started."},
                          Conflict{kHugePagesFile, "/usr/lib/tuned/throughput/tuned.conf:6",
                                   "never", "tuned sets it when it is started."}));
  EXPECT_THAT(Find({"/sys/block/vda/queue/read_ahead_kb"}), SizeIs(1));
}

TEST_F(ConflictsTest, ProfilesThatIncludeEachOtherEnd) {
  Put("etc/tuned/active_profile", "a");
  Put("etc/tuned/a/tuned.conf", "[main]\ninclude=b\n");
  Put("etc/tuned/b/tuned.conf", "[main]\ninclude=a\n[sysctl]\nvm.swappiness=1\n");
  EXPECT_THAT(Find({kSwappinessFile}), SizeIs(1));
}

TEST_F(ConflictsTest, DaemonsThatRunAreNamed) {
  Put("etc/tuned/active_profile", "mine\n");
  Put("etc/tuned/mine/tuned.conf", "[sysctl]\nvm.swappiness=5\n");
  Put("proc/12/comm", "tuned\n");
  Put("proc/13/comm", "bpftune\n");
  Put("proc/self/comm", "nobody\n");
  EXPECT_THAT(Find({kSwappinessFile}),
              ElementsAre(Conflict{kSwappinessFile, "/etc/tuned/mine/tuned.conf:2", "5",
                                   "tuned runs and sets it whenever it applies its profile, also "
                                   "during a campaign; stop it first: systemctl stop tuned."}));
  EXPECT_THAT(Find({"/proc/sys/net/ipv4/tcp_rmem"}),
              ElementsAre(Conflict{"/proc/sys/net", "bpftune", "",
                                   "bpftune runs and changes network parameters by itself, also "
                                   "during a campaign; stop it first: systemctl stop bpftune."}));
  Put("proc/14/comm", "irqbalance\n");
  EXPECT_THAT(Find({"/proc/irq/24/smp_affinity"}),
              ElementsAre(Conflict{"/proc/irq", "irqbalance", "",
                                   "irqbalance runs and moves interrupts between CPUs by itself, "
                                   "also during a campaign; stop it first: systemctl stop "
                                   "irqbalance."}));
}

}  // namespace
}  // namespace hone::sysctl
