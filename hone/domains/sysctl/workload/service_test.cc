// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hone/base/file.h"
#include "hone/base/process/process_tree.h"
#include "hone/base/temp_dir.h"
#include "hone/testing/wait_until.h"

namespace hone::sysctl {
namespace {

using Restart = ServiceSpec::Restart;
using testing::HasSubstr;

CommandSpec ShellOfService(std::string text) {
  CommandSpec command;
  command.arguments = {"/bin/sh", "-c", std::move(text)};
  command.is_shell = true;
  return command;
}

// A service that notes its starts and its end, and is ready when it has.
class ServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDir::Make();
    ASSERT_TRUE(folder.has_value());
    folder_.emplace(*std::move(folder));
    auto commands = StageCommands::Make({}, folder_->path());
    ASSERT_TRUE(commands.has_value());
    commands_.emplace(*std::move(commands));
    spec_.start = ShellOfService(
        "trap 'echo down >> {folder}/log; rm -f {folder}/up; exit 0' TERM; "
        "echo up >> {folder}/log; touch {folder}/up; while :; do sleep 0.01; done");
    spec_.ready = ShellOfService("test -e {folder}/up");
  }

  std::string Log() const { return ReadFile(folder_->path() / "log").value_or(""); }

  std::optional<ServiceFault> Prepared(WorkloadService& service, bool has_sticky_change = false) {
    auto fault = service.Prepare(has_sticky_change, {});
    EXPECT_TRUE(fault.has_value()) << fault.error().message;
    return fault.value_or(std::nullopt);
  }

  std::optional<TempDir> folder_;
  std::optional<StageCommands> commands_;
  ServiceSpec spec_;
};

TEST_F(ServiceTest, RunsOnUntilItIsStopped) {
  {
    WorkloadService service(spec_, *commands_);
    EXPECT_FALSE(Prepared(service).has_value());
    EXPECT_FALSE(Prepared(service).has_value());
    EXPECT_FALSE(service.CheckAlive().has_value());
    EXPECT_EQ(Log(), "up\n");
  }
  EXPECT_EQ(Log(), "up\ndown\n");
}

TEST_F(ServiceTest, IsRestartedWhenAStickyParameterChanged) {
  WorkloadService service(spec_, *commands_);
  Prepared(service, true);
  Prepared(service, false);
  EXPECT_EQ(Log(), "up\n");
  Prepared(service, true);
  EXPECT_EQ(Log(), "up\ndown\nup\n");
}

TEST_F(ServiceTest, IsRestartedAlwaysOrNeverIfTheSpecSaysSo) {
  spec_.restart = Restart::kNever;
  {
    WorkloadService service(spec_, *commands_);
    Prepared(service, true);
    Prepared(service, true);
    EXPECT_EQ(Log(), "up\n");
  }
  spec_.restart = Restart::kAlways;
  WorkloadService service(spec_, *commands_);
  Prepared(service);
  Prepared(service);
  EXPECT_EQ(Log(), "up\ndown\nup\ndown\nup\n");
}

TEST_F(ServiceTest, IsStoppedAsTheSpecSays) {
  spec_.stop = ShellOfService("echo asked >> {folder}/log; kill -TERM $(cat {folder}/pid)");
  spec_.start = ShellOfService("echo $$ > {folder}/pid; touch {folder}/up; exec sleep 1000");
  WorkloadService service(spec_, *commands_);
  Prepared(service);
  service.Stop();
  EXPECT_EQ(Log(), "asked\n");
}

TEST_F(ServiceTest, OneThatNeverServesIsAFaultWithWhatItSaid) {
  spec_.start = ShellOfService("echo cannot bind >&2; sleep 1000");
  spec_.ready = ShellOfService("false");
  spec_.ready_within = std::chrono::milliseconds(200);
  WorkloadService service(spec_, *commands_);
  const auto fault = Prepared(service);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->reason, "the service could not serve within 0.2 s");
  EXPECT_THAT(fault->evidence, testing::ElementsAre(Evidence{"service: errors", "cannot bind\n"}));
}

TEST_F(ServiceTest, OneThatEndsAtOnceIsAFault) {
  spec_.start = ShellOfService("exit 5");
  spec_.ready = ShellOfService("false");
  WorkloadService service(spec_, *commands_);
  const auto fault = Prepared(service);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->reason, "the service exited with status 5 before it could serve");
}

TEST_F(ServiceTest, OneThatDiesDuringTheRunIsAFaultAndIsStartedAgain) {
  spec_.start =
      ShellOfService("echo up >> {folder}/log; touch {folder}/up; read x < {folder}/end; exit 9");
  spec_.ready = ShellOfService("test -e {folder}/up");
  ASSERT_TRUE(RunProcess(commands_->Make(ShellOfService("mkfifo {folder}/end"), Side::kService,
                                         std::chrono::seconds(10)))
                  .has_value());
  WorkloadService service(spec_, *commands_);
  Prepared(service);
  ASSERT_TRUE(RunProcess(commands_->Make(ShellOfService("echo > {folder}/end"), Side::kService,
                                         std::chrono::seconds(10)))
                  .has_value());
  std::optional<ServiceFault> fault;
  WaitUntil([&] { return (fault = service.CheckAlive()).has_value(); }, "its end is seen");
  EXPECT_EQ(fault->reason, "the service exited with status 9 during the run");
  Prepared(service);
  EXPECT_EQ(Log(), "up\nup\n");
}

TEST_F(ServiceTest, AProgramThatDoesNotExistIsAFault) {
  ServiceSpec without_probe = spec_;
  without_probe.ready->arguments = {"/no/such/probe"};
  WorkloadService unready(without_probe, *commands_);
  const auto unprobed = Prepared(unready);
  ASSERT_TRUE(unprobed.has_value());
  EXPECT_EQ(unprobed->reason,
            "/service/ready cannot be run: /no/such/probe: no such program: is it installed?");
  spec_.start.arguments = {"/no/such/server"};
  WorkloadService service(spec_, *commands_);
  const auto fault = Prepared(service);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->reason,
            "the service cannot be run: /no/such/server: no such program: is it installed?");
}

constexpr const char* kListener =
    "import socket, time\n"
    "time.sleep(0.2)\n"
    "s = socket.socket()\n"
    "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
    "s.bind(('127.0.0.1', {port}))\n"
    "s.listen()\n"
    "time.sleep(1000)\n";

TEST_F(ServiceTest, IsReadyWhenItListensOnItsPort) {
  spec_.start.arguments = {"/usr/bin/python3", "-c", kListener};
  spec_.ready.reset();
  spec_.ready_port = 0;
  spec_.ready_within = std::chrono::seconds(30);
  WorkloadService service(spec_, *commands_);
  const auto fault = Prepared(service);
  ASSERT_FALSE(fault.has_value()) << fault->reason;
  EXPECT_TRUE(IsPortTaken(commands_->port()));

  WorkloadService second(spec_, *commands_);
  const auto refused = second.Prepare(false, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("another program listens on it already"));

  spec_.ready_port = commands_->port();
  WorkloadService third(spec_, *commands_);
  const auto chosen = Prepared(third);
  ASSERT_TRUE(chosen.has_value());
  EXPECT_THAT(chosen->reason, HasSubstr("another program listens on it already: end that"));
}

}  // namespace
}  // namespace hone::sysctl
