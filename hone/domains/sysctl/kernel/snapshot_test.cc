// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "hone/domains/sysctl/kernel/fake_kernel.h"
#include "hone/testing/host_parameters_lock.h"

namespace hone::sysctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SnapshotTest, HoldsWhatIsWritableAndReadable) {
  FakeKernel kernel;
  kernel.Add("/proc/sys/vm/a", "1");
  kernel.Add("/proc/sys/vm/read_only", "1");
  kernel.MakeReadOnly("/proc/sys/vm/read_only");
  kernel.Add("/proc/sys/vm/action", "");
  kernel.MakeWriteOnly("/proc/sys/vm/action");
  kernel.Add("/sys/block/a/queue/x", "2");
  kernel.Add("/sys/block/b/queue/x", "2");
  const Snapshot snapshot = Snapshot::Take(kernel, {"/sys/block/a/queue"});
  EXPECT_THAT(snapshot.texts(), ElementsAre(testing::Pair("/proc/sys/vm/a", "1"),
                                            testing::Pair("/sys/block/a/queue/x", "2")));
}

TEST(SnapshotTest, BesideAParameterIsItsFolderAndOfSysfsWhatIsBelow) {
  FakeKernel kernel;
  for (const char* const path :
       {"/proc/sys/kernel/a", "/proc/sys/kernel/b", "/proc/sys/kernel/yama/c", "/proc/sys/vm/d",
        "/sys/block/a/queue/e", "/sys/block/a/queue/iosched/f", "/sys/block/b/queue/g"}) {
    kernel.Add(path, "1");
  }
  const Snapshot snapshot =
      Snapshot::TakeBeside(kernel, {"/proc/sys/kernel/a", "/sys/block/a/queue/e"});
  std::vector<std::string> paths;
  for (const auto& [path, text] : snapshot.texts()) paths.push_back(path);
  EXPECT_THAT(paths, ElementsAre("/proc/sys/kernel/a", "/proc/sys/kernel/b", "/sys/block/a/queue/e",
                                 "/sys/block/a/queue/iosched/f"));
}

TEST(SnapshotTest, TellsWhatMovedWhatWentAndWhatCame) {
  const Snapshot before({{"/proc/sys/a", "1"}, {"/proc/sys/b", "1"}, {"/proc/sys/c", "1"}});
  const Snapshot after({{"/proc/sys/b", "2"}, {"/proc/sys/c", "1"}, {"/proc/sys/d", "4"}});
  EXPECT_THAT(ChangesBetween(before, after),
              ElementsAre(Change{"/proc/sys/a", "1", ""}, Change{"/proc/sys/b", "1", "2"},
                          Change{"/proc/sys/d", "", "4"}));
}

TEST(SnapshotTest, WhatMovesByItselfIsNoChange) {
  const Snapshot before({{"/proc/sys/kernel/ns_last_pid", "1"}, {"/proc/sys/x", "1"}});
  const Snapshot after({{"/proc/sys/kernel/ns_last_pid", "2"}, {"/proc/sys/x", "2"}});
  EXPECT_THAT(ChangesBetween(before, after), ElementsAre(Change{"/proc/sys/x", "1", "2"}));
  EXPECT_THAT(ChangesBetween(before, after, {"/proc/sys/x"}), IsEmpty());
}

TEST(SnapshotTest, AnInterfaceThatComesOrGoesIsNoChangeButOneThatChangesIs) {
  const Snapshot before({{"/proc/sys/net/ipv4/conf/eth0/mtu", "1"},
                         {"/proc/sys/net/ipv4/conf/veth0/forwarding", "1"}});
  const Snapshot after({{"/proc/sys/net/ipv4/conf/eth0/mtu", "2"},
                        {"/proc/sys/net/ipv6/neigh/veth1/retrans_time", "1"}});
  EXPECT_THAT(ChangesBetween(before, after),
              ElementsAre(Change{"/proc/sys/net/ipv4/conf/eth0/mtu", "1", "2"}));
}

TEST(SnapshotTest, FoldersAroundAreThoseOfSysfsOnce) {
  EXPECT_THAT(FoldersAround({"/proc/sys/vm/a", "/sys/block/a/queue/x", "/sys/block/a/queue/y"}),
              ElementsAre("/sys/block/a/queue"));
}

TEST(SnapshotTest, TwoOfThisMachineAreEqualAndQuick) {
  const HostParametersLock lock;
  const auto files = MakeHostFiles();
  const auto start = std::chrono::steady_clock::now();
  const Snapshot first = Snapshot::Take(*files, {"/sys/kernel/mm/transparent_hugepage"});
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const Snapshot second = Snapshot::Take(*files, {"/sys/kernel/mm/transparent_hugepage"});
  EXPECT_THAT(ChangesBetween(first, second), IsEmpty());
  RecordProperty("parameters", static_cast<int>(first.texts().size()));
  RecordProperty("milliseconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 5000);
}

}  // namespace
}  // namespace hone::sysctl
