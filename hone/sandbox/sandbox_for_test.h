// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "hone/base/file.h"
#include "hone/sandbox/control_group.h"
#include "hone/sandbox/sandbox.h"
#include "hone/testing/wait_until.h"

// For the tests of the sandbox.
namespace hone {

// The attacker's program. A test that was started by another finds it at an open descriptor: the
// path may be closed to its user.
inline const std::string& AttackerProgram() {
  static const std::string program = [] {
    const char* path = std::getenv("HONE_ATTACKER");
    auto read = ReadFile(path != nullptr ? path : HONE_ATTACKER_FILE);
    EXPECT_TRUE(read.has_value()) << read.error().message;
    return read ? *read : std::string();
  }();
  return program;
}

// No views: the attacker needs nothing of the machine.
inline SandboxCommand Attack(const std::string& name) {
  SandboxCommand command;
  command.files = {{"attacker", AttackerProgram()}};
  command.arguments = {"/scratch/attacker", name, "hone-mark-" + std::to_string(::getpid())};
  command.limits.memory_mib = 256;
  command.limits.scratch_mib = 16;
  command.limits.file_mib = 64;
  return command;
}

inline SandboxCommand Shell(std::string script) {
  SandboxCommand command;
  command.arguments = {"sh", "-c", std::move(script)};
  command.environment = StandardEnvironment();
  command.views = StandardViews();
  return command;
}

inline SandboxResult ResultOf(const SandboxCommand& command) {
  auto result = RunInSandbox(command);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result ? *std::move(result) : SandboxResult{};
}

// Processes anywhere on the machine whose command line holds the text.
inline int CountProcesses(const std::string& text) {
  int count = 0;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
    const auto line = ReadFile(entry.path() / "cmdline");
    if (line && line->find(text) != std::string::npos) ++count;
  }
  return count;
}

inline int CountGroups() {
  int count = 0;
  std::error_code failed;
  for (const auto& [controller, place] : OurGroupPlaces().places) {
    for (const auto& entry : std::filesystem::directory_iterator(place.folder, failed)) {
      count += entry.is_directory(failed) ? 1 : 0;
    }
  }
  return count;
}

// Without those on mount namespaces, which are closed a little later: see deferred_close.h.
inline int CountOurDescriptors(bool of_mounts = false) {
  int count = 0;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", failed)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), failed);
    if (failed) continue;  // Closed in this moment.
    if (target.starts_with("mnt:[") == of_mounts) ++count;
  }
  return count;
}

inline std::string OurChildren() {
  std::string all;
  std::error_code failed;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", failed)) {
    all += ReadFile(task.path() / "children").value_or("");
  }
  return all;
}

// Whatever happened, nothing of it is left: processes, control groups, mounts, descriptors.
class LeavesNothingTest : public testing::Test {
 protected:
  void SetUp() override {
    ProbeProtections();
    AttackerProgram();
    RunInSandbox(Attack("whoami")).has_value();  // What is made once is made.
    descriptors_ = CountOurDescriptors();
  }

  void TearDown() override {
    EXPECT_EQ(CountProcesses("hone-mark-" + std::to_string(::getpid())), 0);
    EXPECT_EQ(OurChildren(), "");
    EXPECT_EQ(CountGroups(), 0);
    EXPECT_EQ(CountOurDescriptors(), descriptors_);
    WaitUntil([] { return CountOurDescriptors(true) == 0; }, "the mounts are gone");
    const std::string mounts = ReadFile("/proc/self/mountinfo").value_or("");
    EXPECT_EQ(mounts.find(" - tmpfs scratch "), std::string::npos);
    const SandboxResult next = ResultOf(Attack("whoami"));
    EXPECT_EQ(next.status, 0) << "the next sandbox is harmed";
  }

 private:
  int descriptors_ = 0;
};

}  // namespace hone
