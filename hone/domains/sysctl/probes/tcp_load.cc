// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/probes/tcp_load.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "hone/domains/sysctl/probes/stopwatch.h"
#include "hone/measure/statistics.h"

namespace hone::sysctl {
namespace {

// How long an answer may take before the server is given up.
constexpr double kWaitTimeoutSeconds = 30;
constexpr std::size_t kReadChunk = 256 << 10;

// One connection, from its beginning on.
struct Stream {
  Descriptor socket;
  bool is_connected = false;
  bool is_done = false;
  double started = 0;         // kRequest: the request in hand; kConnect: the connection.
  std::uint64_t to_send = 0;  // Of the hello, and of what follows it.
  std::uint64_t to_read = 0;  // Of the answer.
  std::array<char, kCountBytes> answer{};
};

class Load {
 public:
  Load(const TcpLoad& load, const ProbeSeries& series)
      : load_(load),
        series_(series),
        out_(std::max<std::size_t>(load.chunk_bytes, load.request_bytes) + kHelloBytes, 'h'),
        in_(kReadChunk) {}

  Result<std::vector<ProbeReading>> Run() {
    poll_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    if (!poll_.is_open()) return Lost(errno);
    switch (load_.mode) {
      case TcpMode::kBulk:
        return RunBulk();
      case TcpMode::kRequest:
        return RunRequests();
      default:
        return RunConnects();
    }
  }

 private:
  Error Lost(int number) const {
    return {Errc::kUnavailable,
            fmt::format("{}: {}", load_.server.text, std::generic_category().message(number))};
  }

  Error Silent() const {
    return {Errc::kUnavailable,
            fmt::format("{}: no answer within {} s", load_.server.text, kWaitTimeoutSeconds)};
  }

  Error Closed() const {
    return {Errc::kUnavailable,
            fmt::format("{}: the server closed the connection too early; is it hone's?",
                        load_.server.text)};
  }

  Result<void> Watch(Stream& stream, std::uint32_t events, int operation = EPOLL_CTL_MOD) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = &stream;
    if (::epoll_ctl(poll_.get(), operation, stream.socket.get(), &event) != 0) return Lost(errno);
    return {};
  }

  // Begins to connect.
  Result<void> Start(Stream& stream) {
    auto socket = MakeTcpSocket(load_.server);
    if (!socket) return socket.error();
    stream = Stream{};
    stream.socket = std::move(*socket);
    stream.started = watch_.Seconds();
    const auto* const address = reinterpret_cast<const sockaddr*>(&load_.server.address);
    if (::connect(stream.socket.get(), address, load_.server.size) != 0 && errno != EINPROGRESS) {
      return Lost(errno);
    }
    return Watch(stream, EPOLLOUT, EPOLL_CTL_ADD);
  }

  Result<std::vector<Stream>> StartAll() {
    std::vector<Stream> streams(static_cast<std::size_t>(load_.streams));
    for (Stream& stream : streams) {
      if (auto started = Start(stream); !started) return started.error();
    }
    return streams;
  }

  // The hello is small and the socket new: it goes out in one piece.
  Result<void> Greet(Stream& stream) {
    int fault = 0;
    socklen_t size = sizeof fault;
    ::getsockopt(stream.socket.get(), SOL_SOCKET, SO_ERROR, &fault, &size);
    if (fault != 0) return Lost(fault);
    const auto hello = EncodeHello({load_.mode, load_.request_bytes, load_.response_bytes});
    if (::send(stream.socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(hello.size())) {
      return Lost(errno);
    }
    stream.is_connected = true;
    return {};
  }

  // Waits for the streams, and hands each that can go on to `step`, until `is_over`.
  Result<void> Loop(const std::function<bool()>& is_over,
                    const std::function<Result<void>(Stream&)>& step) {
    std::array<epoll_event, 64> events{};
    double heard = watch_.Seconds();
    while (!is_over()) {
      constexpr int kMilliseconds = 20;
      const int count = ::epoll_wait(poll_.get(), events.data(), events.size(), kMilliseconds);
      if (count < 0 && errno != EINTR) return Lost(errno);
      const double now = watch_.Seconds();
      if (count > 0) heard = now;
      if (now - heard > kWaitTimeoutSeconds) return Silent();
      for (int i = 0; i < count; ++i) {
        auto& stream = *static_cast<Stream*>(events[static_cast<std::size_t>(i)].data.ptr);
        if (!stream.is_connected) {
          if (auto greeted = Greet(stream); !greeted) return greeted.error();
        }
        if (auto stepped = step(stream); !stepped) return stepped.error();
      }
    }
    return {};
  }

  void Tell(const std::string& name, double amount) {
    since_ += amount;
    if (!series_) return;
    const double now = watch_.Seconds();
    if (now - told_at_ < kSeriesPeriodSeconds) return;
    series_({name, since_ / (now - told_at_)});
    told_at_ = now;
    since_ = 0;
  }

  Result<void> SendMore(Stream& stream) {
    const ssize_t sent = ::send(stream.socket.get(), out_.data(), load_.chunk_bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return Lost(errno);
    if (sent > 0) Tell("gbit_per_s", static_cast<double>(sent) * 8e-9);
    return {};
  }

  // The server's count, once it has come in whole.
  Result<void> ReadCount(Stream& stream) {
    const std::size_t have = kCountBytes - stream.to_read;
    const ssize_t got = ::recv(stream.socket.get(), stream.answer.data() + have, stream.to_read, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? Result<void>() : Lost(errno);
    if (got == 0) return Closed();
    stream.to_read -= static_cast<std::uint64_t>(got);
    stream.is_done = stream.to_read == 0;
    if (stream.is_done) ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, stream.socket.get(), nullptr);
    return {};
  }

  Result<std::vector<ProbeReading>> RunBulk() {
    auto streams = StartAll();
    if (!streams) return streams.error();
    auto sent = Loop([&] { return watch_.Seconds() >= load_.seconds; },
                     [&](Stream& stream) { return SendMore(stream); });
    if (!sent) return sent.error();
    for (Stream& stream : *streams) {
      if (!stream.is_connected) return Silent();
      ::shutdown(stream.socket.get(), SHUT_WR);
      stream.to_read = kCountBytes;
      if (auto watched = Watch(stream, EPOLLIN); !watched) return watched.error();
    }
    auto counted = Loop([&] { return std::ranges::all_of(*streams, &Stream::is_done); },
                        [&](Stream& stream) { return ReadCount(stream); });
    if (!counted) return counted.error();
    const double seconds = watch_.Seconds();
    double bytes = 0;
    for (const Stream& stream : *streams) bytes += static_cast<double>(DecodeCount(stream.answer));
    return std::vector<ProbeReading>{{"gbit_per_s", bytes * 8e-9 / seconds}};
  }

  Result<void> Ask(Stream& stream) {
    stream.started = watch_.Seconds();
    stream.to_send = load_.request_bytes;
    stream.to_read = load_.response_bytes;
    return SendRequest(stream);
  }

  Result<void> SendRequest(Stream& stream) {
    while (stream.to_send > 0) {
      const ssize_t sent = ::send(stream.socket.get(), out_.data(), stream.to_send, MSG_NOSIGNAL);
      if (sent < 0 && errno == EAGAIN) return Watch(stream, EPOLLOUT);
      if (sent < 0) return Lost(errno);
      stream.to_send -= static_cast<std::uint64_t>(sent);
    }
    return Watch(stream, EPOLLIN);
  }

  // One step of a stream that asks and is answered. `limit`: no new request after it.
  Result<void> Exchange(Stream& stream) {
    if (stream.to_send == 0 && stream.to_read == 0) return Ask(stream);  // Just connected.
    if (stream.to_send > 0) return SendRequest(stream);
    const ssize_t got = ::recv(stream.socket.get(), in_.data(),
                               std::min<std::uint64_t>(in_.size(), stream.to_read), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? Result<void>() : Lost(errno);
    if (got == 0) return Closed();
    stream.to_read -= static_cast<std::uint64_t>(got);
    if (stream.to_read > 0) return {};
    times_.push_back(watch_.Seconds() - stream.started);
    Tell("requests_per_s", 1);
    return Ask(stream);
  }

  Result<std::vector<ProbeReading>> RunRequests() {
    auto streams = StartAll();
    if (!streams) return streams.error();
    auto ran = Loop([&] { return watch_.Seconds() >= load_.seconds && !times_.empty(); },
                    [&](Stream& stream) { return Exchange(stream); });
    if (!ran) return ran.error();
    return WithPercentiles("requests_per_s");
  }

  // A connection counts once the server has greeted; it is then cut off, so that no port waits.
  Result<void> TakeGreeting(Stream& stream) {
    if (stream.to_read == 0) {
      stream.to_read = 1;
      return Watch(stream, EPOLLIN);
    }
    char greeting = 0;
    const ssize_t got = ::recv(stream.socket.get(), &greeting, 1, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? Result<void>() : Lost(errno);
    if (got == 0) return Closed();
    times_.push_back(watch_.Seconds() - stream.started);
    Tell("connects_per_s", 1);
    const linger cut{1, 0};
    ::setsockopt(stream.socket.get(), SOL_SOCKET, SO_LINGER, &cut, sizeof cut);
    stream.socket.Close();
    stream.is_done = true;
    return {};
  }

  // Bursts: all streams at once, and the next burst when the last of them was greeted.
  Result<std::vector<ProbeReading>> RunConnects() {
    do {
      auto streams = StartAll();
      if (!streams) return streams.error();
      auto ran = Loop([&] { return std::ranges::all_of(*streams, &Stream::is_done); },
                      [&](Stream& stream) { return TakeGreeting(stream); });
      if (!ran) return ran.error();
    } while (watch_.Seconds() < load_.seconds);
    return WithPercentiles("connects_per_s");
  }

  std::vector<ProbeReading> WithPercentiles(const std::string& name) const {
    std::vector<ProbeReading> readings{
        {name, static_cast<double>(times_.size()) / watch_.Seconds()}};
    for (ProbeReading& reading : PercentilesOf(times_)) readings.push_back(std::move(reading));
    return readings;
  }

  const TcpLoad& load_;
  const ProbeSeries& series_;
  const Stopwatch watch_;
  Descriptor poll_;
  const std::vector<char> out_;
  std::vector<char> in_;
  std::vector<double> times_;
  double told_at_ = 0;
  double since_ = 0;
};

}  // namespace

std::vector<ProbeReading> PercentilesOf(const std::vector<double>& seconds) {
  if (seconds.empty()) return {};
  return {{"p50_us", Quantile(seconds, 0.50) * 1e6}, {"p99_us", Quantile(seconds, 0.99) * 1e6}};
}

Result<std::vector<ProbeReading>> RunTcpLoad(const TcpLoad& load, const ProbeSeries& series) {
  return Load(load, series).Run();
}

}  // namespace hone::sysctl
