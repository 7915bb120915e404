// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/namespace_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "hone/base/process/subprocess.h"
#include "hone/domains/sysctl/kernel/kernel_files_contract.h"
#include "hone/domains/sysctl/network/network_pair_for_test.h"

namespace hone::sysctl {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;

constexpr const char* kProbes = "/proc/sys/net/ipv4/tcp_keepalive_probes";

// The files of a pair, together with it.
class OwnedFiles final : public KernelFiles {
 public:
  explicit OwnedFiles(std::unique_ptr<NetworkPair> pair) : pair_(std::move(pair)) {}

  Result<std::string> Read(const std::string& path) override { return files().Read(path); }
  Result<std::string> ReadRaw(const std::string& path) override { return files().ReadRaw(path); }
  Result<void> Write(const std::string& path, const std::string& text) override {
    return files().Write(path, text);
  }
  Result<std::vector<std::string>> Match(const std::string& pattern) override {
    return files().Match(pattern);
  }
  Result<std::vector<std::string>> FilesBelow(const std::string& folder) override {
    return files().FilesBelow(folder);
  }
  bool IsWritable(const std::string& path) override { return files().IsWritable(path); }
  std::string Resolved(const std::string& path) override { return files().Resolved(path); }

 private:
  KernelFiles& files() { return pair_->files(); }

  std::unique_ptr<NetworkPair> pair_;
};

INSTANTIATE_TEST_SUITE_P(
    Namespace, KernelFilesContract,
    testing::Values(KernelFilesCase{
        .name = "namespace",
        .make = [] { return std::make_unique<OwnedFiles>(std::move(*NetworkPair::Make())); },
        .why_not = WhyNoPair,
        .integer = kProbes,
        .pattern = "/proc/sys/net/*/tcp_keepalive_p*",
        .folder = "/proc/sys",
        .refused = "much",
        .tuple = "/proc/sys/net/ipv4/tcp_rmem",
        .choice = "",
        .read_only = "/proc/sys/net/ipv4/tcp_available_congestion_control",
        .write_only = "/proc/sys/net/ipv4/route/flush"}));

class NamespaceFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto pair = NetworkPair::Make();
    if (!pair) GTEST_SKIP() << pair.error().message;
    pair_ = std::move(*pair);
  }

  KernelFiles& files() { return pair_->files(); }

  // Runs a shell line on one side.
  static ProcessResult Shell(std::vector<std::string> prefix, const std::string& line) {
    prefix.insert(prefix.end(), {"/bin/sh", "-c", line});
    Command command;
    command.arguments = std::move(prefix);
    const auto result = RunProcess(command);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : ProcessResult{};
  }

  std::unique_ptr<NetworkPair> pair_;
};

TEST_F(NamespaceFilesTest, OnlyParametersOfTheNetworkAreThere) {
  for (const std::string path :
       {"/proc/sys/vm/swappiness", "/proc/sys/net/../vm/swappiness", "/etc/hostname",
        "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/sys/network"}) {
    EXPECT_EQ(files().Read(path).error().code, Errc::kNotFound) << path;
    const auto written = files().Write(path, "1");
    ASSERT_FALSE(written) << path;
    EXPECT_THAT(written.error().code, AnyOf(Errc::kNotFound, Errc::kInvalidArgument)) << path;
    EXPECT_FALSE(files().IsWritable(path));
  }
  EXPECT_EQ(files().FilesBelow("/sys/block").error().code, Errc::kNotFound);
  const auto all = files().FilesBelow("/proc/sys");
  ASSERT_TRUE(all);
  EXPECT_THAT(*all, testing::Each(testing::StartsWith("/proc/sys/net/")));
}

TEST_F(NamespaceFilesTest, PatternsMatchInEveryFolder) {
  EXPECT_THAT(files().Match("/proc/sys/net/ipv4/tcp_[rw]mem").value(),
              testing::ElementsAre("/proc/sys/net/ipv4/tcp_rmem", "/proc/sys/net/ipv4/tcp_wmem"));
  EXPECT_THAT(files().Match("/proc/*/net/core/somaxconn").value(),
              testing::ElementsAre("/proc/sys/net/core/somaxconn"));
  EXPECT_THAT(files().Match("/sys/block/*/queue/scheduler").value(), testing::IsEmpty());
  EXPECT_THAT(files().Match("/proc/sys").value(), testing::IsEmpty());
  EXPECT_THAT(files().Match("tcp_*").value(), testing::IsEmpty());
}

TEST_F(NamespaceFilesTest, WhateverIsReadableIsTheSameOnBothSides) {
  const auto all = files().FilesBelow("/proc/sys/net");
  ASSERT_TRUE(all);
  EXPECT_GT(all->size(), 100);
  for (const std::string& path : *all) {
    const auto text = files().Read(path);
    EXPECT_TRUE(text || text.error().code == Errc::kUnsupported) << text.error().message;
  }
}

TEST_F(NamespaceFilesTest, AWriteReachesBothSides) {
  ASSERT_TRUE(files().Write(kProbes, "5"));
  const std::string read = std::string("cat ") + kProbes;
  EXPECT_EQ(Shell(pair_->server_prefix(), read).output, "5\n");
  EXPECT_EQ(Shell(pair_->client_prefix(), read).output, "5\n");
}

TEST_F(NamespaceFilesTest, SidesThatDifferAreAnErrorThatNamesBoth) {
  const auto wrote = Shell(pair_->client_prefix(), std::string("echo 7 > ") + kProbes);
  if (wrote.status != 0) GTEST_SKIP() << "needs root to write to one side alone";
  const auto text = files().Read(kProbes);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::kStale);
  EXPECT_THAT(text.error().message, HasSubstr("tcp_keepalive_probes"));
  EXPECT_THAT(text.error().message, HasSubstr("\"7\" on the client's"));
}

TEST_F(NamespaceFilesTest, ACongestionControlThatTheHostDoesNotAllowIsRefusedWithTheAllowedOnes) {
  const auto allowed = files().Read("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
  const auto available = files().Read("/proc/sys/net/ipv4/tcp_available_congestion_control");
  ASSERT_TRUE(allowed && available);
  std::string refused;
  std::istringstream names(*available);
  for (std::string name; names >> name;) {
    if ((" " + *allowed + " ").find(" " + name + " ") == std::string::npos) refused = name;
  }
  if (refused.empty()) GTEST_SKIP() << "this host allows every congestion control that it has";
  const auto before = files().Read("/proc/sys/net/ipv4/tcp_congestion_control");
  const auto written = files().Write("/proc/sys/net/ipv4/tcp_congestion_control", refused);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::kUnsupported);
  EXPECT_THAT(written.error().message, HasSubstr("only what the host allows (" + *allowed + ")"));
  EXPECT_EQ(files().Read("/proc/sys/net/ipv4/tcp_congestion_control").value(), *before);
}

TEST_F(NamespaceFilesTest, ACongestionControlThatDoesNotExistIsARefusedValue) {
  const auto written = files().Write("/proc/sys/net/ipv4/tcp_congestion_control", "nonesuch");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::kInvalidArgument) << written.error().message;
}

}  // namespace
}  // namespace hone::sysctl
