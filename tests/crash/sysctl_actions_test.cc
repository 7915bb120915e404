// SPDX-License-Identifier: Apache-2.0
// `hone sysctl apply|confirm|diff|restore` on the host's own parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/cli/verbs/sysctl_actions.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/apply/transaction_lock.h"
#include "hone/testing/test_machine.h"
#include "tests/crash/sysctl_host.h"

namespace hone::sysctl {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPressure = "/proc/sys/vm/vfs_cache_pressure";

class SysctlActionsTest : public HostTest {
 protected:
  using Action = Result<cli::ExitCode> (*)(cli::Shell& shell, const cli::SysctlRequest& request);

  void SetUp() override {
    HostTest::SetUp();
    if (IsSkipped()) return;
    ::setenv("HONE_STATE", folder_->path().c_str(), 1);
    request_.operands = {(folder_->path() / "file.conf").string()};
    Write("vm.vfs_cache_pressure = 123\nvm.dirty_bytes = 536870912\nvm.dirty_ratio = 0\n");
  }

  void TearDown() override {
    HostTest::TearDown();
    ::unsetenv("HONE_STATE");
  }

  void Write(const std::string& text) { std::ofstream(request_.operands[0]) << text; }

  // The exit code; what was printed is in said_, an Error's message too.
  int Run(Action action, bool has_operand = true, bool wants_json = false) {
    std::ostringstream out;
    cli::Shell shell{cli::Console{out, out, cli::Ink(), cli::Ink()}, builtins_, SystemClock(), "",
                     wants_json};
    cli::SysctlRequest request = request_;
    if (!has_operand) request.operands.clear();
    const auto code = action(shell, request);
    said_ = code ? out.str() : code.error().message;
    return static_cast<int>(code ? *code : cli::ExitCodeOf(code.error().code));
  }

  app::Builtins builtins_;
  cli::SysctlRequest request_;
  std::string said_;
};

TEST_F(SysctlActionsTest, WhatIsAppliedStaysUntilItIsRestored) {
  EXPECT_EQ(Run(cli::DiffSettings), 1) << said_;
  EXPECT_THAT(said_, HasSubstr("vm.vfs_cache_pressure"));
  ASSERT_EQ(Run(cli::ApplySettings), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("->  123"));
  EXPECT_THAT(said_, HasSubstr("vm.dirty_ratio"));
  EXPECT_EQ(files_->Read(kPressure).value(), "123");
  EXPECT_EQ(Run(cli::DiffSettings), 0) << said_;
  EXPECT_EQ(Run(cli::ApplySettings), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("Nothing to do"));
  request_.wants_applied = true;
  ASSERT_EQ(Run(cli::RestoreSettings, false), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("what was applied last"));
  ExpectAsAtStart("after a restore");
  EXPECT_EQ(Run(cli::RestoreSettings, false), 0);
  EXPECT_THAT(said_, HasSubstr("Nothing to put back"));
}

// Somebody comes back after their time was up and asks for what is back already.
TEST_F(SysctlActionsTest, WhatWasAppliedToStayIsUndoneOnlyIfThatIsAskedFor) {
  ASSERT_EQ(Run(cli::ApplySettings), 0) << said_;
  Write("vm.vfs_cache_pressure = 133\n");
  request_.confirm_within = 200ms;
  ASSERT_EQ(Run(cli::ApplySettings), 0) << said_;
  const auto journal = Journal::PathIn(DefaultTransactionFolder());
  ASSERT_TRUE(Await([&] { return !std::filesystem::exists(journal); }));
  EXPECT_EQ(Run(cli::RestoreSettings, false), 1);
  EXPECT_EQ(files_->Read(kPressure).value(), "123");
  EXPECT_THAT(said_, HasSubstr("The last time a guardian had to"));
  EXPECT_THAT(said_, HasSubstr("hone sysctl apply " + request_.operands[0]));
  EXPECT_THAT(said_, HasSubstr("vm.vfs_cache_pressure"));
  EXPECT_THAT(said_, HasSubstr("sysctl restore --applied"));
  EXPECT_EQ(Run(cli::RestoreSettings, false, true), 1);
  const Json json = ParseJson(said_, "restore").value();
  EXPECT_EQ(json["found"], false);
  EXPECT_EQ(json["applied"]["changes"][0]["name"], "vm.dirty_bytes");
  request_.wants_applied = true;
  EXPECT_EQ(Run(cli::RestoreSettings, false), 0) << said_;
  ExpectAsAtStart("after a restore of what was applied");
}

std::size_t TimesOpen(const std::filesystem::path& file) {
  std::size_t times = 0;
  for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code fault;
    times += std::filesystem::read_symlink(one, fault) == file ? 1U : 0U;
  }
  return times;
}

// The guardian is at it when the person asks, and done when they have the lock.
TEST_F(SysctlActionsTest, WhatTheGuardianPutsBackMeanwhileIsAllThatARestoreDoes) {
  ASSERT_EQ(Run(cli::ApplySettings), 0) << said_;
  const auto folder = DefaultTransactionFolder();
  TransactionSettings settings;
  settings.paths = {"/proc/sys/vm/stat_interval"};
  settings.folder = folder;
  settings.has_guardian = false;
  KillWhenReady([&](int ready) {
    const auto transaction = ParameterTransaction::Take(*files_, settings);
    if (!transaction || ::write(ready, "x", 1) != 1) ::_exit(1);
    ::pause();
  });
  request_.wants_applied = true;
  auto lock = TransactionLock::Take(folder);
  ASSERT_TRUE(lock) << lock.error().message;
  int status = -1;
  std::jthread person([&] { status = Run(cli::RestoreSettings, false); });
  EXPECT_TRUE(Await([&] { return TimesOpen(folder / "lock") == 2; }));
  EXPECT_TRUE(Journal::Remove(folder));
  { const TransactionLock ended = std::move(*lock); }
  person.join();
  EXPECT_EQ(status, 0) << said_;
  EXPECT_THAT(said_, HasSubstr("The guardian has put it back"));
  EXPECT_EQ(files_->Read(kPressure).value(), "123");
  EXPECT_EQ(Run(cli::RestoreSettings, false), 0) << said_;
}

// A declaration of a cache whose file and commands lie in this folder.
Json DeclarationIn(const std::filesystem::path& folder, const std::string& name) {
  const std::string conf = folder / "cache.conf";
  return {{"format", "hone-service"},
          {"format_version", 1},
          {"name", name},
          {"like", "redis"},
          {"file", conf},
          {"reload", {"cp", conf, folder / "loaded"}}};
}

std::string SettingsOf(const Json& services, const std::string& key) {
  return Json{
      {"format", "hone-settings"},
      {"services", services},
      {"settings", {{{"path", key}, {"after", "50"}}, {{"path", kPressure}, {"after", "123"}}}}}
      .dump();
}

TEST_F(SysctlActionsTest, AKeyOfAServiceIsAppliedToItsFileAndTheServiceIsReloaded) {
  const auto conf = folder_->path() / "cache.conf";
  const auto loaded = folder_->path() / "loaded";
  const auto declaration = folder_->path() / "cache.json";
  std::ofstream(conf) << "hz 10\n";
  std::ofstream(declaration) << DeclarationIn(folder_->path(), "cache");
  request_.services = {declaration};
  Write(SettingsOf(Json::array({"cache"}), "cache:appendfsync"));
  EXPECT_EQ(Run(cli::ApplySettings), 2);
  EXPECT_THAT(said_, HasSubstr("cache:appendfsync: it is never tuned"));
  Write(SettingsOf(Json::array({"cache"}), "cache:hz"));
  EXPECT_EQ(Run(cli::DiffSettings), 1) << said_;
  EXPECT_THAT(said_, HasSubstr("cache:hz"));
  ASSERT_EQ(Run(cli::ApplySettings), 0) << said_;
  EXPECT_EQ(*ReadFile(loaded), "hz 50\n");
  EXPECT_EQ(Run(cli::DiffSettings), 0) << said_;
  request_.wants_applied = true;
  ASSERT_EQ(Run(cli::RestoreSettings, false), 0) << said_;
  EXPECT_EQ(*ReadFile(conf), "hz 10\n");
  EXPECT_EQ(*ReadFile(loaded), "hz 10\n");
  ExpectAsAtStart("after a restore");
}

// Somebody sent it. Whatever the service is called there, nothing of theirs is written or run.
TEST_F(SysctlActionsTest, AFileOfSettingsRunsAndWritesNothingOfItsOwn) {
  const auto conf = folder_->path() / "cache.conf";
  std::ofstream(conf) << "hz 10\n";
  for (const char* const name : {"cache", "redis", "nginx"}) {
    Write(
        SettingsOf(Json::array({DeclarationIn(folder_->path(), name)}), std::string(name) + ":hz"));
    for (const Action action : {cli::ApplySettings, cli::DiffSettings}) {
      EXPECT_EQ(Run(action), 2) << name;
      EXPECT_THAT(said_, HasSubstr("--service FILE")) << name;
    }
    EXPECT_EQ(*ReadFile(conf), "hz 10\n") << name;
    EXPECT_FALSE(std::filesystem::exists(folder_->path() / "loaded")) << name;
  }
  ExpectAsAtStart("after refusals");
}

TEST_F(SysctlActionsTest, UnconfirmedItGoesBackAndConfirmedItStays) {
  request_.confirm_within = 200ms;
  ASSERT_EQ(Run(cli::ApplySettings), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("hone sysctl confirm"));
  EXPECT_TRUE(Await([this] { return ChangesNow().empty(); }));
  const auto journal = Journal::PathIn(DefaultTransactionFolder());
  EXPECT_TRUE(Await([&] { return !std::filesystem::exists(journal); }));
  EXPECT_NE(Run(cli::ConfirmSettings, false), 0);

  request_.confirm_within = 60s;
  ASSERT_EQ(Run(cli::ApplySettings), 0) << said_;
  EXPECT_EQ(Run(cli::ApplySettings), 3) << "it is held until then";
  EXPECT_THAT(said_, HasSubstr("hone sysctl confirm"));
  ASSERT_EQ(Run(cli::ConfirmSettings, false), 0) << said_;
  EXPECT_EQ(files_->Read(kPressure).value(), "123");
  request_.wants_applied = true;
  ASSERT_EQ(Run(cli::RestoreSettings, false), 0) << said_;
  ExpectAsAtStart("after a restore");
}

TEST_F(SysctlActionsTest, RestoreDoesNotWaitForTheConfirmation) {
  request_.confirm_within = 60s;
  ASSERT_EQ(Run(cli::ApplySettings), 0) << said_;
  ASSERT_EQ(Run(cli::RestoreSettings, false), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("what waited to be confirmed"));
  ExpectAsAtStart("after a restore");
}

TEST_F(SysctlActionsTest, AtBootOnlyWhatATunerLeftIsPutBack) {
  ASSERT_EQ(Run(cli::ApplySettings), 0) << said_;
  request_.wants_boot = true;
  EXPECT_EQ(Run(cli::RestoreSettings, false), 0) << said_;
  EXPECT_EQ(files_->Read(kPressure).value(), "123");
  request_.wants_boot = false;
  request_.wants_applied = true;
  EXPECT_EQ(Run(cli::RestoreSettings, false), 0) << said_;
}

TEST_F(SysctlActionsTest, DeniedAndUnknownParametersAreRefusedBeforeAnythingIsTouched) {
  Write("vm.vfs_cache_pressure = 123\nkernel.randomize_va_space = 0\n");
  EXPECT_EQ(Run(cli::ApplySettings), 2);
  EXPECT_THAT(said_, HasSubstr("kernel.randomize_va_space: Hone never changes this one"));
  request_.is_unknown_allowed = true;
  EXPECT_EQ(Run(cli::ApplySettings), 2) << "never a denied one";
  request_.is_unknown_allowed = false;
  Write("vm.vfs_cache_pressure = 123\nvm.made_up = 0\n");
  EXPECT_EQ(Run(cli::ApplySettings), 2);
  EXPECT_THAT(said_, HasSubstr("--allow-unknown"));
  request_.is_unknown_allowed = true;
  EXPECT_EQ(Run(cli::ApplySettings), 2) << said_;
  EXPECT_THAT(said_, HasSubstr("vm.made_up: no such parameter"));
  ExpectAsAtStart("after refusals");
}

// The kernel would take it.
TEST_F(SysctlActionsTest, AValueOutsideTheHardRangeIsRefusedBeforeAnythingIsTouched) {
  Write("vm.swappiness = 10\nvm.vfs_cache_pressure = 5000\n");
  EXPECT_EQ(Run(cli::ApplySettings), 2);
  EXPECT_EQ(said_, "vm.vfs_cache_pressure: 5000 leaves what is allowed, which is 1 to 1000");
  EXPECT_FALSE(std::filesystem::exists(DefaultTransactionFolder()));
  ExpectAsAtStart("after a refusal");

  Write("vm.vfs_cache_pressure = 123\n");
  request_.confirm_within = 60s;
  ASSERT_EQ(Run(cli::ApplySettings), 0) << said_;
  Write("vm.vfs_cache_pressure = 5000\n");
  EXPECT_EQ(Run(cli::ApplySettings), 2) << "it is not even asked who holds the parameters";
  ASSERT_EQ(Run(cli::RestoreSettings, false), 0) << said_;
  ExpectAsAtStart("after a restore");
}

TEST_F(SysctlActionsTest, AValueThatTheKernelRefusesLeavesEverythingAsItWas) {
  Write("vm.vfs_cache_pressure = 123\nvm.overcommit_memory = 7\n");
  EXPECT_EQ(Run(cli::ApplySettings), 2);
  EXPECT_THAT(said_, HasSubstr("vm.overcommit_memory = \"7\""));
  ExpectAsAtStart("after a refused value");
}

TEST_F(SysctlActionsTest, TheJsonFormsSayTheSame) {
  EXPECT_EQ(Run(cli::DiffSettings, true, true), 1);
  EXPECT_EQ(ParseJson(said_, "diff").value()["equal"], false);
  ASSERT_EQ(Run(cli::ApplySettings, true, true), 0) << said_;
  const Json applied = ParseJson(said_, "apply").value();
  EXPECT_EQ(applied["applied"][0]["name"], "vm.vfs_cache_pressure");
  EXPECT_EQ(applied["applied"][0]["in_force"], "123");
  EXPECT_EQ(applied["side_effects"][0]["name"], "vm.dirty_ratio");
  request_.wants_applied = true;
  ASSERT_EQ(Run(cli::RestoreSettings, false, true), 0) << said_;
  const Json restored = ParseJson(said_, "restore").value();
  EXPECT_EQ(restored["found"], true);
  EXPECT_EQ(restored["failed"].size(), 0U);
}

TEST_F(SysctlActionsTest, AMissingFileAndAMissingOperandAreNamed) {
  EXPECT_EQ(Run(cli::ApplySettings, false), 2);
  EXPECT_THAT(said_, HasSubstr("expected one FILE"));
  request_.operands = {"/nonesuch"};
  EXPECT_EQ(Run(cli::DiffSettings), 2);
  EXPECT_THAT(said_, HasSubstr("/nonesuch"));
}

}  // namespace
}  // namespace hone::sysctl
