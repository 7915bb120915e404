// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "hone/domains/sysctl/probes/probe.h"
#include "hone/domains/sysctl/probes/tcp_load.h"
#include "hone/domains/sysctl/probes/tcp_server.h"

namespace hone::sysctl {
namespace {

using testing::HasSubstr;

class TcpProbeTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = TcpServer::Listen("127.0.0.1", 0, 128);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    thread_ = std::jthread([this](std::stop_token stop) {
      const auto served = server_->Serve(std::move(stop));
      EXPECT_TRUE(served);
    });
  }

  Result<std::vector<ProbeReading>> Run(Options options, const ProbeSeries& series = {}) {
    options["port"] = std::to_string(server_->port());
    if (!options.contains("milliseconds")) options["milliseconds"] = "50";
    return RunProbe(**FindProbe("tcp"), options, series);
  }

  std::unique_ptr<TcpServer> server_;
  std::jthread thread_;
};

std::vector<std::string> NamesOf(const std::vector<ProbeReading>& readings) {
  std::vector<std::string> names;
  for (const ProbeReading& reading : readings) {
    EXPECT_GT(reading.value, 0) << reading.name;
    names.push_back(reading.name);
  }
  return names;
}

TEST_F(TcpProbeTest, BulkTellsWhatTheServerReceived) {
  for (const std::string streams : {"1", "7"}) {
    const auto readings = Run({{"mode", "bulk"}, {"streams", streams}});
    ASSERT_TRUE(readings) << readings.error().message;
    EXPECT_THAT(NamesOf(*readings), testing::ElementsAre("gbit_per_s"));
  }
}

TEST_F(TcpProbeTest, RequestsAreAnsweredInWholeAndTimed) {
  for (const std::string bytes : {"1", "100000", "3000000"}) {
    const auto readings = Run({{"mode", "request"},
                               {"streams", "3"},
                               {"request_bytes", bytes},
                               {"response_bytes", bytes}});
    ASSERT_TRUE(readings) << readings.error().message;
    EXPECT_THAT(NamesOf(*readings), testing::ElementsAre("requests_per_s", "p50_us", "p99_us"));
    EXPECT_LE((*readings)[1].value, (*readings)[2].value);
  }
}

TEST_F(TcpProbeTest, BurstsOfConnectionsAreGreeted) {
  const auto readings = Run({{"mode", "connect"}, {"streams", "40"}});
  ASSERT_TRUE(readings) << readings.error().message;
  EXPECT_THAT(NamesOf(*readings), testing::ElementsAre("connects_per_s", "p50_us", "p99_us"));
}

TEST_F(TcpProbeTest, TellsHowItGoesIfSomebodyListens) {
  std::vector<ProbeReading> series;
  const auto readings = Run({{"milliseconds", "350"}},
                            [&](const ProbeReading& reading) { series.push_back(reading); });
  ASSERT_TRUE(readings);
  EXPECT_THAT(series, testing::Not(testing::IsEmpty()));
}

TEST_F(TcpProbeTest, APortThatIsTakenIsRefused) {
  const auto second = TcpServer::Listen("127.0.0.1", server_->port(), 1);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("another program listens there"));
}

TEST_F(TcpProbeTest, AStrangerIsCutOffAndDoesNoHarm) {
  const auto place = ParsePlace("127.0.0.1", server_->port());
  const Descriptor stranger(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(
      ::connect(stranger.get(), reinterpret_cast<const sockaddr*>(&place->address), place->size),
      0);
  ASSERT_EQ(::send(stranger.get(), "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL), 18);
  char byte = 0;
  EXPECT_LE(::recv(stranger.get(), &byte, 1, 0), 0);
  EXPECT_TRUE(Run({}));
}

TEST(TcpLoadTest, AServerThatIsNotThereIsUnavailable) {
  auto server = TcpServer::Listen("127.0.0.1", 0, 1);
  ASSERT_TRUE(server);
  const std::string port = std::to_string((*server)->port());
  server->reset();
  for (const std::string mode : {"bulk", "request", "connect"}) {
    const auto readings = RunProbe(**FindProbe("tcp"), {{"port", port}, {"mode", mode}}, {});
    ASSERT_FALSE(readings);
    EXPECT_EQ(readings.error().code, Errc::kUnavailable);
    EXPECT_THAT(readings.error().message, HasSubstr("127.0.0.1 port " + port));
  }
}

TEST(TcpLoadTest, PercentilesAreInMicroseconds) {
  EXPECT_TRUE(PercentilesOf({}).empty());
  std::vector<double> seconds;
  for (int i = 1; i <= 101; ++i) seconds.push_back(i * 1e-6);
  const auto percentiles = PercentilesOf(seconds);
  EXPECT_NEAR(percentiles[0].value, 51, 0.5);
  EXPECT_NEAR(percentiles[1].value, 100, 0.5);
}

}  // namespace
}  // namespace hone::sysctl
