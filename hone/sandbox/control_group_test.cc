// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/control_group.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/sandbox/protections.h"
#include "hone/sandbox/sandbox_start.h"
#include "hone/sandbox/warden_clone.h"
#include "hone/sandbox/warden_image.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using std::filesystem::path;

// A tree of plain folders and files that looks like the kernel's.
class ControlGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDir::Make();
    ASSERT_TRUE(folder.has_value());
    folder_.emplace(*std::move(folder));
  }

  path root() const { return folder_->path(); }

  void Put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << text;
  }

  std::string Get(const path& file) const { return ReadFile(root() / file).value_or("missing"); }

  std::string Two() const {
    return fmt::format("30 20 0:26 / {} rw shared:9 - cgroup2 cgroup2 rw\n", root().native());
  }

 private:
  std::optional<TempDir> folder_;
};

TEST_F(ControlGroupTest, OfVersionOneAreFoundBeneathOurOwn) {
  std::filesystem::create_directories(root() / "memory/a/b");
  std::filesystem::create_directories(root() / "cpu");
  const std::string mounts = fmt::format(
      "20 1 0:20 / / rw - ext4 /dev/vda rw\n"
      "31 20 0:27 / {0}/memory rw,relatime shared:3 - cgroup cgroup rw,memory\n"
      "32 20 0:28 / {0}/cpu rw shared:4 - cgroup cgroup rw,cpu,cpuacct\n",
      root().native());
  const GroupPlaces found = FindGroupPlaces(mounts, "4:memory:/a/b\n1:cpu,cpuacct:/gone\n0::/\n");
  EXPECT_EQ(found.places.at("memory").folder, root() / "memory/a/b");
  EXPECT_EQ(found.places.at("memory").version, 1);
  EXPECT_EQ(found.places.at("cpu").folder, root() / "cpu");
  EXPECT_EQ(found.missing.at("pids"), "no mounted control groups can limit it");
}

TEST_F(ControlGroupTest, OfVersionTwoAreFoundWhereControllersAreHandedOn) {
  Put("cgroup.controllers", "cpu memory pids\n");
  Put("cgroup.subtree_control", "cpu memory pids\n");
  Put("service/cgroup.controllers", "memory pids\n");
  const GroupPlaces found = FindGroupPlaces(Two(), "0::/service\n");
  for (const char* controller : {"memory", "pids", "cpu"}) {
    EXPECT_EQ(found.places.at(controller).folder.lexically_relative(root()), ".") << controller;
    EXPECT_EQ(found.places.at(controller).version, 2);
  }
}

TEST_F(ControlGroupTest, OfVersionTwoWithoutControllersAreMissing) {
  Put("cgroup.controllers", "hugetlb\n");
  Put("cgroup.subtree_control", "hugetlb\n");
  const GroupPlaces found = FindGroupPlaces(Two(), "0::/\n");
  EXPECT_TRUE(found.places.empty());
  EXPECT_EQ(found.missing.size(), 3u);
}

TEST_F(ControlGroupTest, NoneAtAllIsSaid) {
  const GroupPlaces found = FindGroupPlaces("", "");
  EXPECT_EQ(found.missing.at("memory"), "no control groups are mounted");
}

TEST_F(ControlGroupTest, LimitsOfVersionTwoAreWritten) {
  const std::map<std::string, GroupPlaces::Place> homes{
      {"memory", {root(), 2}}, {"pids", {root(), 2}}, {"cpu", {root(), 2}}};
  // In a real tree the kernel makes the files; here a group without them is refused.
  EXPECT_FALSE(MakeControlGroupIn(homes, "7", {1 << 20, 5, 0.5}).has_value());
  EXPECT_FALSE(std::filesystem::exists(root() / "7")) << "a refused group is removed";
}

TEST_F(ControlGroupTest, ARealOneKeepsItsLimitsAndGoes) {
  const GroupPlaces& ours = OurGroupPlaces();
  if (ours.places.empty()) GTEST_SKIP() << "needs a control group that we may write to";
  auto group = MakeControlGroup({64 << 20, 7, 0.25});
  ASSERT_TRUE(group.has_value()) << group.error().message;
  const auto text = [&](const char* controller, const char* first, const char* second) {
    const auto& place = ours.places.at(controller);
    std::string found;
    for (const auto& entry : std::filesystem::directory_iterator(place.folder)) {
      if (!entry.is_directory()) continue;
      found += ReadFile(entry.path() / (place.version == 1 ? first : second)).value_or("missing");
    }
    return found;
  };
  if (ours.places.contains("memory")) {
    EXPECT_EQ(text("memory", "memory.limit_in_bytes", "memory.max"), "67108864\n");
  }
  if (ours.places.contains("pids")) {
    EXPECT_EQ(text("pids", "pids.max", "pids.max"), "7\n");
  }
  if (ours.places.contains("cpu")) {
    EXPECT_THAT(text("cpu", "cpu.cfs_quota_us", "cpu.max"), testing::StartsWith("25000"));
  }
  EXPECT_EQ((*group)->Read().tasks, 0);
  group->reset();
  for (const auto& [controller, place] : ours.places) {
    for (const auto& entry : std::filesystem::directory_iterator(place.folder)) {
      EXPECT_FALSE(entry.is_directory()) << entry.path();
    }
  }
}

TEST_F(ControlGroupTest, AThreadThatHasLeftIsNotCountedWhileItEnds) {
  const auto group = MakeControlGroup({64 << 20, 2, 0});
  ASSERT_TRUE(group.has_value()) << group.error().message;
  std::thread([&] {
    ASSERT_TRUE((*group)->EnterThread().has_value());
    (*group)->LeaveThread();
    EXPECT_EQ((*group)->Read().tasks, 0);
  }).join();
}

// The kernel counts both for whom it kills when the machine, or a group above, has no memory left.
TEST_F(ControlGroupTest, KillsForTheOwnLimitAreToldFromThoseForTheMachines) {
  const auto group = MakeControlGroupIn({{"none", {root(), 2}}}, "7", {});
  ASSERT_TRUE(group.has_value()) << group.error().message;
  Put("7/memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\noom_group_kill 0\n");
  EXPECT_EQ((*group)->Read().memory_kills, 1);
  EXPECT_EQ((*group)->Read().memory_hits, 0);
  Put("7/memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\noom_group_kill 0\n");
  EXPECT_EQ((*group)->Read().memory_hits, 2);
}

// This machine's tree of version 2 may have no controllers, but being born in it can be tried.
TEST_F(ControlGroupTest, AWardenIsBornInAGroupOfVersionTwo) {
  path tree;
  for (const char* place : {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"}) {
    if (tree.empty() && std::filesystem::exists(path(place) / "cgroup.procs")) tree = place;
  }
  const path home = tree / fmt::format("hone-test-{}", ::getpid());
  if (tree.empty() || ::mkdir(home.c_str(), 0755) != 0) {
    GTEST_SKIP() << "needs control groups of version 2 that we may write to";
  }
  {
    auto group = MakeControlGroupIn({{"none", {home, 2}}}, "born", {});
    ASSERT_TRUE(group.has_value()) << group.error().message;
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    Descriptor ours(ends[0]);
    Descriptor theirs(ends[1]);
    WardenCloneOptions options{
        NeededNamespaces(), WardenFile().value(), {0, 1, 2, theirs.get()}, (*group)->clone_into()};
    int pidfd = -1;
    const pid_t warden = CloneWarden(options, pidfd);
    ASSERT_GT(warden, 0) << errno;
    const Descriptor closed(pidfd);
    EXPECT_THAT(ReadFile(fmt::format("/proc/{}/cgroup", warden)).value_or(""),
                testing::HasSubstr(home.filename().native() + "/born\n"));
    theirs.Close();
    ours.Close();
    ::waitpid(warden, nullptr, __WALL);
  }
  EXPECT_EQ(::rmdir(home.c_str()), 0);
}

TEST(ProtectionsTest, NamesAreOneToOne) {
  std::set<std::string_view> names;
  for (const Protection protection : AllProtections()) {
    names.insert(NameOf(protection));
    EXPECT_EQ(ProtectionFromName(NameOf(protection)).value(), protection);
  }
  EXPECT_EQ(names.size(), AllProtections().size());
  EXPECT_EQ(ProtectionFromName("magic").error().code, Errc::kInvalidArgument);
}

TEST(ProtectionsTest, WhatIsMissingIsSaidWithItsReason) {
  Protections protections;
  protections.missing[Protection::kLandlock] = "old kernel";
  EXPECT_TRUE(protections.Demand({Protection::kSeccomp}).has_value());
  const auto lacking = protections.Demand({Protection::kSeccomp, Protection::kLandlock});
  EXPECT_EQ(lacking.error().code, Errc::kUnsupported);
  EXPECT_EQ(lacking.error().message, "this machine lacks: landlock (old kernel)");
  EXPECT_EQ(protections.Names().size(), AllProtections().size() - 1);
}

// Makes groups from before the first is made until after the places of this process are given up.
struct LastingMaker {
  LastingMaker() = default;
  LastingMaker(const LastingMaker&) = delete;
  LastingMaker& operator=(const LastingMaker&) = delete;
  ~LastingMaker() {
    const int before = tries;
    WaitUntil([&] { return tries > before + 2; }, "it has tried again");
  }

  std::atomic<int> tries = 0;
  std::jthread thread{[this](const std::stop_token& stop) {
    for (; !stop.stop_requested(); ++tries) {
      const auto group = MakeControlGroup({});
      if (!group) std::this_thread::yield();
    }
  }};
};

TEST(ControlGroupDeathTest, AThreadThatOutlivesTheStaticsMayStillMakeGroups) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static const LastingMaker maker;
        for (int i = 0; i < 20; ++i) (void)MakeControlGroup({});
        std::exit(0);  // NOLINT(concurrency-mt-unsafe): the other thread is the question.
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hone
