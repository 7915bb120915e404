// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/snapshot.h"
#include "hone/testing/host_parameters_lock.h"
#include "tests/crash/killable.h"

namespace hone::sysctl {

// A test on the host's own parameters. Whatever happens, they are at the end what they were at the
// start; where this fixture had to see to that itself, the test fails.
class HostTest : public testing::Test {
 protected:
  HostTest();
  void SetUp() override;
  void TearDown() override;

  std::filesystem::path Folder() const { return folder_->path() / "hold"; }
  bool HasJournal() const;

  static std::vector<std::string> Holder(const std::string& verb,
                                         const std::filesystem::path& folder, std::uint64_t seed);

  // Children of the process, alive or starting: its guardians.
  static std::vector<pid_t> ChildrenOf(pid_t pid);

  // Waits up to ten seconds; how long it took, or nothing.
  static std::optional<std::chrono::duration<double>> Await(const std::function<bool()>& condition);

  // All of sysctl and the touched folders of sysfs, against the start.
  std::vector<Change> ChangesNow();
  void ExpectAsAtStart(const std::string& when);
  void AwaitLine(Killable& holder, const std::string& line);

  HostParametersLock lock_;
  Result<TempDir> folder_ = TempDir::Make("sysctl-crash");
  std::unique_ptr<KernelFiles> files_ = MakeHostFiles();
  std::vector<std::string> folders_;
  Snapshot start_;
  bool has_started_ = false;
};

}  // namespace hone::sysctl
