// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/probes/tcp_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <utility>
#include <vector>

#include "hone/base/errno_error.h"
#include "hone/domains/option_reader.h"
#include "hone/domains/sysctl/probes/all_probes.h"
#include "hone/domains/sysctl/probes/tcp_wire.h"

namespace hone::sysctl {
namespace {

constexpr std::size_t kChunk = 256 << 10;

// One client.
struct Connection {
  Descriptor socket;
  std::vector<char> hello;  // What came of it so far.
  TcpHello told;
  bool has_told = false;
  std::uint64_t received = 0;  // kBulk: in all; kRequest: of the request in hand.
  std::uint64_t owed = 0;      // Bytes of the answer still to send.
  bool is_closing = false;     // Once nothing is owed.
};

class EpollServer final : public TcpServer {
 public:
  EpollServer(Descriptor listener, Descriptor poll, Descriptor wake, int port)
      : listener_(std::move(listener)),
        poll_(std::move(poll)),
        wake_(std::move(wake)),
        port_(port),
        chunk_(kChunk) {}

  int port() const override { return port_; }

  Result<void> Serve(std::stop_token stop) override {
    const std::stop_callback wake(stop, [this] { ::eventfd_write(wake_.get(), 1); });
    if (!Watch(listener_.get(), EPOLLIN) || !Watch(wake_.get(), EPOLLIN)) {
      return ErrnoError("tcp-server", errno);
    }
    std::array<epoll_event, 64> events{};
    while (!stop.stop_requested()) {
      const int count = ::epoll_wait(poll_.get(), events.data(), events.size(), -1);
      if (count < 0 && errno != EINTR) return ErrnoError("tcp-server", errno);
      for (int i = 0; i < count; ++i) Handle(events[static_cast<std::size_t>(i)]);
    }
    return {};
  }

 private:
  bool Watch(int descriptor, std::uint32_t events, int operation = EPOLL_CTL_ADD) {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    return ::epoll_ctl(poll_.get(), operation, descriptor, &event) == 0;
  }

  void Handle(const epoll_event& event) {
    if (event.data.fd == listener_.get()) return Accept();
    const auto found = connections_.find(event.data.fd);
    if (found == connections_.end()) return;
    if (!Continue(found->second)) connections_.erase(found);
  }

  void Accept() {
    constexpr int kMaxAtOnce = 64;
    for (int i = 0; i < kMaxAtOnce; ++i) {
      Connection connection;
      connection.socket =
          Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      const int number = connection.socket.get();
      if (number < 0) return;
      const int on = 1;
      ::setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (Watch(number, EPOLLIN)) connections_.insert_or_assign(number, std::move(connection));
    }
  }

  // False: it is over.
  bool Continue(Connection& connection) {
    if (!Send(connection)) return false;
    if (connection.owed > 0) return true;  // The client is to read before it asks more.
    const ssize_t got = ::recv(connection.socket.get(), chunk_.data(), chunk_.size(), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return TakeEnd(connection) && Send(connection);
    return Take(connection, {chunk_.data(), static_cast<std::size_t>(got)}) && Send(connection);
  }

  static bool Take(Connection& connection, std::span<const char> bytes) {
    if (!connection.has_told) {
      const std::size_t missing = kHelloBytes - connection.hello.size();
      const std::size_t part = std::min(missing, bytes.size());
      connection.hello.insert(connection.hello.end(), bytes.begin(),
                              bytes.begin() + static_cast<std::ptrdiff_t>(part));
      bytes = bytes.subspan(part);
      if (connection.hello.size() < kHelloBytes) return true;
      const auto hello = DecodeHello(connection.hello);
      if (!hello) return false;
      connection.told = *hello;
      connection.has_told = true;
      if (hello->mode == TcpMode::kConnect) connection.owed = 1;
    }
    connection.received += bytes.size();
    if (connection.told.mode == TcpMode::kRequest &&
        connection.received >= connection.told.request_bytes) {
      connection.received -= connection.told.request_bytes;
      connection.owed = connection.told.response_bytes;
    }
    return true;
  }

  static bool TakeEnd(Connection& connection) {
    if (!connection.has_told || connection.told.mode != TcpMode::kBulk) return false;
    connection.owed = kCountBytes;
    connection.is_closing = true;
    return true;
  }

  // Sends what is owed, as far as the socket takes it. False: it is over.
  bool Send(Connection& connection) {
    const int socket = connection.socket.get();
    const bool was_waiting = connection.owed > 0;
    while (connection.owed > 0) {
      const ssize_t sent = SendSome(connection);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) return Watch(socket, EPOLLOUT, EPOLL_CTL_MOD);
      if (sent < 0) return false;
      connection.owed -= static_cast<std::uint64_t>(sent);
    }
    if (was_waiting) Watch(socket, EPOLLIN, EPOLL_CTL_MOD);
    return !connection.is_closing;
  }

  ssize_t SendSome(const Connection& connection) {
    const int socket = connection.socket.get();
    if (connection.told.mode == TcpMode::kBulk) {
      const auto count = EncodeCount(connection.received);
      return ::send(socket, count.data() + kCountBytes - connection.owed, connection.owed,
                    MSG_NOSIGNAL);
    }
    return ::send(socket, chunk_.data(), std::min<std::uint64_t>(connection.owed, chunk_.size()),
                  MSG_NOSIGNAL);
  }

  Descriptor listener_;
  Descriptor poll_;
  Descriptor wake_;
  int port_;
  std::vector<char> chunk_;
  std::map<int, Connection> connections_;
};

Result<int> PortOf(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return ErrnoError("tcp-server", errno);
  }
  return address.ss_family == AF_INET
             ? ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port)
             : ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
}

const std::vector<OptionFacts>& ServerOptions() {
  static const std::vector<OptionFacts> facts = {
      {"address", "127.0.0.1", "Where to listen: a numeric address."},
      {"port", "5201", "Where to listen; 0 takes a free port, and tells it."},
      {"backlog", "4096", "Connections that may wait; the kernel cuts it to net.core.somaxconn."},
  };
  return facts;
}

Result<std::vector<ProbeReading>> ServeUntilStopped(const Options& options,
                                                    const ProbeSeries& series) {
  OptionReader reader("tcp-server", ServerOptions(), options);
  const std::string address = reader.Text("address");
  const auto port = static_cast<int>(reader.Integer("port", 0, 65'535));
  const auto backlog = static_cast<int>(reader.Integer("backlog", 1, 65'535));
  if (const auto read = reader.Finish(); !read) return read.error();
  const auto server = TcpServer::Listen(address, port, backlog);
  if (!server) return server.error();
  if (series) series({"port", static_cast<double>((*server)->port())});
  if (auto served = (*server)->Serve({}); !served) return served.error();
  return std::vector<ProbeReading>{};
}

}  // namespace

Result<std::unique_ptr<TcpServer>> TcpServer::Listen(const std::string& address, int port,
                                                     int backlog) {
  const auto place = ParsePlace(address, port);
  if (!place) return place.error();
  auto socket = MakeTcpSocket(*place);
  if (!socket) return socket.error();
  const int on = 1;
  ::setsockopt(socket->get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket->get(), reinterpret_cast<const sockaddr*>(&place->address), place->size) != 0 ||
      ::listen(socket->get(), backlog) != 0) {
    if (errno != EADDRINUSE) return ErrnoError(place->text, errno);
    return Error{
        Errc::kUnavailable,
        fmt::format("{}: another program listens there; choose another port", place->text)};
  }
  Descriptor poll(::epoll_create1(EPOLL_CLOEXEC));
  Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!poll.is_open() || !wake.is_open()) return ErrnoError(place->text, errno);
  const auto bound = PortOf(socket->get());
  if (!bound) return bound.error();
  return std::make_unique<EpollServer>(*std::move(socket), std::move(poll), std::move(wake),
                                       *bound);
}

Probe MakeTcpServerProbe() {
  return {"tcp-server",
          "answers the tcp workload until it is ended",
          ServerOptions(),
          {"port: where it listens, with --series"},
          ServeUntilStopped};
}

}  // namespace hone::sysctl
