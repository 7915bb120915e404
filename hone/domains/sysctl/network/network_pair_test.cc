// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/network_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/kernel/snapshot.h"
#include "hone/domains/sysctl/network/as_user_for_test.h"
#include "hone/domains/sysctl/network/network_pair_for_test.h"
#include "hone/testing/host_parameters_lock.h"
#include "hone/testing/test_machine.h"
#include "hone/testing/wait_until.h"

namespace hone::sysctl {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kIpv4 = "/proc/sys/net/ipv4/";

// What a command says on one side, or how it failed.
std::string Say(std::vector<std::string> prefix, const std::vector<std::string>& command) {
  prefix.insert(prefix.end(), command.begin(), command.end());
  Command line;
  line.arguments = std::move(prefix);
  const auto result = RunProcess(line);
  if (!result) return result.error().message;
  if (result->end != ProcessResult::End::kExited || result->status != 0) {
    return "failed: " + result->errors;
  }
  return result->output;
}

// What became another on the host, of what belongs to networks.
std::vector<std::string> NetworkChangesSince(const Snapshot& before) {
  std::vector<std::string> changes;
  const auto host = MakeHostFiles();
  for (const Change& change : ChangesBetween(before, Snapshot::Take(*host))) {
    if (!change.path.starts_with("/proc/sys/net/")) continue;
    changes.push_back(change.path + ": " + change.before + " -> " + change.after);
  }
  return changes;
}

class NetworkPairTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoPair(); !why.empty()) GTEST_SKIP() << why;
  }

  HostParametersLock lock_;  // Other tests write the host's parameters.
};

TEST_F(NetworkPairTest, BeginsWithTheHostsValues) {
  const auto pair = NetworkPair::Make();
  ASSERT_TRUE(pair);
  KernelFiles& files = (*pair)->files();
  const auto host = MakeHostFiles();
  for (const std::string name : {"tcp_rmem", "tcp_wmem", "tcp_congestion_control",
                                 "tcp_notsent_lowat", "tcp_slow_start_after_idle"}) {
    EXPECT_EQ(files.Read(kIpv4 + name).value(), host->Read(kIpv4 + name).value()) << name;
  }
  EXPECT_EQ(files.Read("/proc/sys/net/core/somaxconn").value(),
            host->Read("/proc/sys/net/core/somaxconn").value());
  EXPECT_EQ(files.Read("/proc/sys/net/ipv4/tcp_no_metrics_save").value(), "1");
}

// A line from the server's side to the client's, over the veth pair.
constexpr const char* kServe =
    "import socket,sys\n"
    "s = socket.create_server(('192.0.2.1', 7))\n"
    "print('ready', flush=True)\n"
    "c, _ = s.accept()\n"
    "c.sendall(b'hello')\n"
    "c.close()\n";
constexpr const char* kAsk =
    "import socket,sys,time\n"
    "for i in range(500):\n"
    "  try:\n"
    "    c = socket.create_connection((sys.argv[1], 7), 30)\n"
    "    break\n"
    "  except ConnectionRefusedError:\n"
    "    time.sleep(0.02)\n"
    "print(c.recv(100).decode())\n";

TEST_F(NetworkPairTest, TheClientReachesTheServer) {
  const auto pair = NetworkPair::Make();
  ASSERT_TRUE(pair);
  std::string served;
  std::string heard;
  const std::string port_low = "0";
  ASSERT_TRUE((*pair)->files().Write("/proc/sys/net/ipv4/ip_unprivileged_port_start", port_low));
  {
    const std::jthread server([&] {
      served = Say((*pair)->server_prefix(), {"/usr/bin/python3", "-c", kServe});
    });
    heard =
        Say((*pair)->client_prefix(), {"/usr/bin/python3", "-c", kAsk, (*pair)->server_address()});
  }
  EXPECT_EQ(served, "ready\n");
  EXPECT_EQ(heard, "hello\n");
}

TEST_F(NetworkPairTest, ProgramsSeeTheirSideAndNothingOfTheHost) {
  const auto pair = NetworkPair::Make();
  ASSERT_TRUE(pair);
  for (const auto& prefix : {(*pair)->server_prefix(), (*pair)->client_prefix()}) {
    const std::string devices = Say(prefix, {"cat", "/proc/net/dev"});
    EXPECT_THAT(devices, HasSubstr("hone0:"));
    EXPECT_THAT(devices, HasSubstr("lo:"));
    EXPECT_EQ(std::count(devices.begin(), devices.end(), ':'), 2) << devices;
  }
  EXPECT_THAT(ReadFile("/proc/net/dev").value(), testing::Not(HasSubstr("hone0")));
}

TEST_F(NetworkPairTest, AProgramThatIsNotThereSaysSo) {
  const auto pair = NetworkPair::Make();
  ASSERT_TRUE(pair);
  EXPECT_THAT(Say((*pair)->server_prefix(), {"/no/such/program"}),
              StartsWith("failed: hone-network: /no/such/program: No such file"));
}

TEST_F(NetworkPairTest, TenAtOnceDisturbNeitherTheHostNorEachOther) {
  constexpr int kPairs = 10;
  const auto host = MakeHostFiles();
  const Snapshot before = Snapshot::Take(*host);
  std::vector<std::optional<Result<std::unique_ptr<NetworkPair>>>> pairs(kPairs);
  const auto each = [&](const std::function<void(int)>& work) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kPairs; ++i) threads.emplace_back([&work, i] { work(i); });
  };
  const auto values_of = [](int i) {
    const std::string number = std::to_string(i + 1);
    return std::map<std::string, std::string>{
        {std::string(kIpv4) + "tcp_keepalive_probes", number},
        {std::string(kIpv4) + "tcp_congestion_control", i % 2 == 0 ? "reno" : "bbr"},
        {std::string(kIpv4) + "tcp_wmem", "4096 16384 " + number + "000000"},
        {"/proc/sys/net/core/somaxconn", number + "00"}};
  };
  const bool has_bbr = host->Read("/proc/sys/net/ipv4/tcp_congestion_control").value() ==
                       "bbr";  // Else maybe not allowed.
  each([&](int i) {
    auto& pair = pairs[static_cast<std::size_t>(i)].emplace(NetworkPair::Make());
    ASSERT_TRUE(pair) << pair.error().message;
    for (const auto& [path, text] : values_of(i)) {
      if (text == "bbr" && !has_bbr) continue;
      const auto written = (*pair)->files().Write(path, text);
      EXPECT_TRUE(written) << written.error().message;
    }
  });
  each([&](int i) {
    NetworkPair& pair = ***pairs[static_cast<std::size_t>(i)];
    for (const auto& [path, text] : values_of(i)) {
      if (text == "bbr" && !has_bbr) continue;
      EXPECT_EQ(pair.files().Read(path).value(), text) << path;
    }
  });
  EXPECT_THAT(NetworkChangesSince(before), testing::IsEmpty());
  pairs.clear();
  EXPECT_THAT(NetworkChangesSince(before), testing::IsEmpty());
}

void AwaitEnd(const std::string& pid) {
  WaitUntil([&] { return !std::filesystem::exists("/proc/" + pid); }, "the process is gone");
}

TEST_F(NetworkPairTest, VanishesWithItsOwner) {
  auto pair = NetworkPair::Make();
  ASSERT_TRUE(pair);
  const std::string pid = (*pair)->server_prefix()[2];
  EXPECT_TRUE(std::filesystem::exists("/proc/" + pid));
  pair->reset();
  EXPECT_FALSE(std::filesystem::exists("/proc/" + pid));
}

TEST_F(NetworkPairTest, VanishesWhenItsProcessIsKilled) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder);
  KillWhenReady([&](int ready) {
    const auto pair = NetworkPair::Make();
    if (!pair) return;
    std::ofstream(folder->path() / "pid") << (*pair)->server_prefix()[2];
    if (::write(ready, "x", 1) == 1) ::pause();
  });
  const auto pid = ReadFile(folder->path() / "pid");
  ASSERT_TRUE(pid);
  AwaitEnd(*pid);
}

// What a user without rights finds; run as nobody if we are root.
TEST_F(NetworkPairTest, WorksWithoutRoot) {
  const std::string said = AsNobodyInChild([]() -> std::string {
    const auto pair = NetworkPair::Make();
    if (!pair) return "no user namespaces: " + pair.error().message;
    KernelFiles& files = (*pair)->files();
    const std::string path = std::string(kIpv4) + "tcp_wmem";
    if (auto written = files.Write(path, "4096 16384 1000000"); !written) {
      return written.error().message;
    }
    return files.Read(path).value() + "|" + Say((*pair)->client_prefix(), {"id", "-u"}) +
           Say((*pair)->server_prefix(), {"grep", "CapEff", "/proc/self/status"});
  });
  if (said.starts_with("no user namespaces")) GTEST_SKIP() << said;
  const std::string user = std::to_string(::geteuid() == 0 ? 65534 : ::geteuid());
  EXPECT_EQ(said, "4096 16384 1000000|" + user + "\nCapEff:\t0000000000000000\n");
}

TEST_F(NetworkPairTest, WithoutRootAProgramInsideCannotWriteParameters) {
  const std::string said = AsNobodyInChild([]() -> std::string {
    const auto pair = NetworkPair::Make();
    if (!pair) return "no user namespaces: " + pair.error().message;
    return Say((*pair)->server_prefix(),
               {"/bin/sh", "-c", "echo 3 > /proc/sys/net/ipv4/tcp_keepalive_probes"});
  });
  if (said.starts_with("no user namespaces")) GTEST_SKIP() << said;
  EXPECT_THAT(said, StartsWith("failed: "));
}

// In a user namespace of its own, so that its limit is nobody else's.
TEST_F(NetworkPairTest, WhereNamespacesAreUsedUpItSaysWhatToRaise) {
  const std::string said = InChild([]() -> std::string {
    const std::string user = std::to_string(::geteuid());
    if (::unshare(CLONE_NEWUSER) != 0) return "no user namespaces";
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " + user + " 1";
    std::ofstream limit("/proc/sys/user/max_net_namespaces");
    limit << "0" << std::flush;
    if (!limit) return "no limit of its own";
    const auto pair = NetworkPair::Make();
    return pair ? "a pair" : pair.error().message;
  });
  if (said.starts_with("no ")) GTEST_SKIP() << said;
  EXPECT_THAT(said, HasSubstr("private network: no network namespace could be made"));
  EXPECT_THAT(said, HasSubstr("raise user.max_net_namespaces"));
}

}  // namespace
}  // namespace hone::sysctl
