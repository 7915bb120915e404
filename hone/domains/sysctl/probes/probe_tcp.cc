// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "hone/domains/option_reader.h"
#include "hone/domains/sysctl/probes/all_probes.h"
#include "hone/domains/sysctl/probes/tcp_load.h"

namespace hone::sysctl {
namespace {

const std::vector<OptionFacts>& TcpProbeFacts() {
  static const std::vector<OptionFacts> facts = {
      {"address", "127.0.0.1", "Of the tcp-server: a numeric address."},
      {"port", "5201", "Of the tcp-server."},
      {"mode", "bulk",
       "bulk: send as much as goes; request: ask and wait for the answer; connect: bursts of new "
       "connections."},
      {"streams", "1", "Connections at once; of a burst of connections, how many it has."},
      {"milliseconds", "500", "How long."},
      {"chunk_kib", "128", "bulk: what one send has."},
      {"request_bytes", "128", "request: what the client sends."},
      {"response_bytes", "1024", "request: what the server answers."},
  };
  return facts;
}

Result<TcpLoad> TcpProbeReadOptions(const Options& options) {
  OptionReader reader("tcp", TcpProbeFacts(), options);
  TcpLoad load;
  const std::string address = reader.Text("address");
  const auto port = static_cast<int>(reader.Integer("port", 1, 65'535));
  const std::string mode = reader.Choice("mode", {"bulk", "request", "connect"});
  load.mode = static_cast<TcpMode>(mode.front());  // The letters on the wire are the first ones.
  load.streams = static_cast<int>(reader.Integer("streams", 1, 10'000));
  load.seconds = static_cast<double>(reader.Integer("milliseconds", 1, 600'000)) / 1000;
  load.chunk_bytes = static_cast<std::uint32_t>(reader.Integer("chunk_kib", 1, 16 << 10)) << 10;
  load.request_bytes =
      static_cast<std::uint32_t>(reader.Integer("request_bytes", 1, kMaxMessageBytes));
  load.response_bytes =
      static_cast<std::uint32_t>(reader.Integer("response_bytes", 1, kMaxMessageBytes));
  if (const auto read = reader.Finish(); !read) return read.error();
  auto server = ParsePlace(address, port);
  if (!server) return server.error();
  load.server = *server;
  return load;
}

Result<std::vector<ProbeReading>> TcpProbeRun(const Options& options, const ProbeSeries& series) {
  const auto load = TcpProbeReadOptions(options);
  if (!load) return load.error();
  return RunTcpLoad(*load, series);
}

}  // namespace

Probe MakeTcpProbe() {
  return {"tcp",
          "sends, asks or connects to a tcp-server",
          TcpProbeFacts(),
          {"gbit_per_s: bulk; what the server received", "requests_per_s: request",
           "connects_per_s: connect", "p50_us, p99_us: request and connect; how long one took"},
          TcpProbeRun};
}

}  // namespace hone::sysctl
