// SPDX-License-Identifier: Apache-2.0
// Before any test: network and mount namespaces of this process' own, with a pair of virtual
// network devices, a disk that is a file, and a control group of version 2 with nothing in it.
// Holders and guardians are born into them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/loop.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/network/namespace_holder_link_layer.h"
#include "hone/testing/host_parameters_lock.h"
#include "tests/crash/sysctl_parameters.h"

namespace hone::sysctl {
namespace {

constexpr off_t kDiskBytes = 16 << 20;
constexpr char kSubtree[] = "/sys/fs/cgroup/cgroup.subtree_control";

class TestDevices final : public testing::Environment {
 public:
  void SetUp() override {
    if (!WhyHostIsOutOfReach().empty()) return;  // Every test says so itself.
    lock_.emplace("/tmp/hone-test-devices.lock");
    MakeLink();
    MakeDisk();
    MakeGroup();
  }

  void TearDown() override {
    if (disk_.is_open()) ::ioctl(disk_.get(), LOOP_CLR_FD, 0);
    if (!group_.empty()) ::rmdir(group_.c_str());
    for (const std::string& controller : enabled_) Put(kSubtree, "-" + controller);
    lock_.reset();
  }

 private:
  // sysfs shows the network devices of the namespace in which it was mounted.
  void MakeLink() {
    ASSERT_EQ(::unshare(CLONE_NEWNS | CLONE_NEWNET), 0);
    ASSERT_EQ(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    peer_ = Descriptor(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
    ASSERT_EQ(MakeVeth(peer_.get()), 0);
    ASSERT_EQ(TakeUp(kVethName, "10.9.8.7"), 0);
    ASSERT_EQ(TakeUpLoopback(), 0);
    ASSERT_EQ(::mount("sysfs", "/sys", "sysfs", 0, nullptr), 0);
    ::setenv(kTestLink, kVethName, 1);
  }

  void MakeDisk() {
    const Descriptor control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    if (!control.is_open()) {
      std::cout << "no /dev/loop-control: without a disk of its own\n";
      ::setenv(kTestDisk, "none", 1);
      return;
    }
    ASSERT_TRUE(folder_) << folder_.error().message;
    const std::string file = folder_->path() / "disk";
    const Descriptor backing(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::ftruncate(backing.get(), kDiskBytes), 0);
    // Somebody else may take the free one first.
    for (int i = 0; i < 10; ++i) {
      const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
      ASSERT_GE(number, 0);
      const std::string name = "loop" + std::to_string(number);
      disk_ = Descriptor(::open(("/dev/" + name).c_str(), O_RDWR | O_CLOEXEC));
      if (disk_.is_open() && ::ioctl(disk_.get(), LOOP_SET_FD, backing.get()) == 0) {
        ::setenv(kTestDisk, name.c_str(), 1);
        return;
      }
      disk_ = Descriptor();
    }
    FAIL() << "no loop device could be had";
  }

  // Only the controllers that version 1 leaves to version 2 can be had. Mounting it again shows the
  // same groups.
  void MakeGroup() {
    ::setenv(kTestGroup, "/sys/fs/cgroup/none", 1);
    if (::mount("none", "/sys/fs/cgroup", "cgroup2", 0, nullptr) != 0) {
      std::cout << "no cgroup2: without a control group of its own\n";
      return;
    }
    const std::string before = " " + ReadFile(kSubtree).value_or("") + " ";
    for (const char* const controller : {"cpu", "memory", "io", "hugetlb"}) {
      const bool is_enabled = before.find(std::string(" ") + controller) != std::string::npos;
      if (!is_enabled && Put(kSubtree, std::string("+") + controller)) {
        enabled_.emplace_back(controller);
      }
    }
    group_ = "/sys/fs/cgroup/hone-test-" + std::to_string(::getpid());
    ASSERT_EQ(::mkdir(group_.c_str(), 0755), 0);
    // A new group shows a number that the kernel, when it is written, shows as "max".
    Put(group_ + "/hugetlb.2MB.max", "max");
    ::setenv(kTestGroup, group_.c_str(), 1);
  }

  static bool Put(const std::string& file, const std::string& text) {
    const Descriptor open(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    return open.is_open() &&
           ::write(open.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }

  // One process at a time: who disables a controller takes it from the groups of all.
  std::optional<HostParametersLock> lock_;
  std::string group_;
  std::vector<std::string> enabled_;  // By us.
  Result<TempDir> folder_ = TempDir::Make("test-disk");
  Descriptor peer_;
  Descriptor disk_;
};

[[maybe_unused]] const auto* const kDevices = testing::AddGlobalTestEnvironment(new TestDevices);

}  // namespace
}  // namespace hone::sysctl
