// SPDX-License-Identifier: Apache-2.0
#include "hone/base/net/stream_socket.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "hone/base/net/host_lookup.h"
#include "hone/base/net/wait_for.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

std::string TextOfErrno(int number) { return std::generic_category().message(number); }

Error Refused(int number) {
  switch (number) {
    case ENOENT:
      return Error{Errc::kUnavailable, "there is no such socket; is the server running?"};
    case ECONNREFUSED:
      return Error{Errc::kUnavailable, "nobody listens there; is the server running?"};
    default:
      return Error{Errc::kUnavailable, TextOfErrno(number)};
  }
}

Result<Descriptor> ConnectTo(const sockaddr* address, socklen_t size, Clock::time_point end,
                             int interrupt) {
  Descriptor socket(::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return Error{Errc::kUnavailable, "socket: " + TextOfErrno(errno)};
  if (::connect(socket.get(), address, size) == 0) return socket;
  if (errno != EINPROGRESS) return Refused(errno);
  if (auto ready = AwaitReady(socket.get(), POLLOUT, end, interrupt); !ready) return ready.error();
  int fault = 0;
  socklen_t fault_size = sizeof fault;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &fault, &fault_size);
  if (fault != 0) return Refused(fault);
  return socket;
}

Result<Descriptor> ConnectUnix(const std::filesystem::path& path, Clock::time_point end,
                               int interrupt) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& text = path.native();
  if (text.size() >= sizeof address.sun_path) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("a path of {} bytes is too long for a socket", text.size())};
  }
  std::memcpy(address.sun_path, text.data(), text.size());
  return ConnectTo(reinterpret_cast<const sockaddr*>(&address), sizeof address, end, interrupt);
}

Result<Descriptor> ConnectTcp(const std::string& host, int port, Clock::time_point end,
                              int interrupt) {
  const Result<HostAddresses> addresses = LookUpHost(host, port, end, interrupt);
  if (!addresses) return addresses.error();
  Result<Descriptor> socket = Error{Errc::kUnavailable, "it has no address"};
  for (const addrinfo* one = addresses->get(); one != nullptr; one = one->ai_next) {
    socket = ConnectTo(one->ai_addr, one->ai_addrlen, end, interrupt);
    if (!socket) continue;
    const int yes = 1;
    ::setsockopt(socket->get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    ::setsockopt(socket->get(), SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    break;
  }
  return socket;
}

}  // namespace

Result<StreamSocket> StreamSocket::Connect(const StreamAddress& address,
                                           std::chrono::milliseconds limit, int interrupt) {
  const auto end = Clock::now() + limit;
  Result<Descriptor> socket = address.socket.empty()
                                  ? ConnectTcp(address.host, address.port, end, interrupt)
                                  : ConnectUnix(address.socket, end, interrupt);
  if (!socket) return socket.error();
  StreamSocket stream(std::move(*socket));
  if (!address.tls) return stream;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  auto started = stream.StartTls(*address.tls, address.host, left, interrupt);
  if (!started) return started.error();
  return stream;
}

Result<void> StreamSocket::StartTls(const TlsSettings& tls_settings, const std::string& host,
                                    std::chrono::milliseconds limit, int interrupt) {
  Result<std::unique_ptr<TlsSession>> session = TlsSession::Make(tls_settings, host);
  if (!session) return session.error();
  auto shaken = Shake(**session, Clock::now() + limit, interrupt);
  if (shaken) tls_ = std::move(*session);
  return shaken;
}

Result<void> StreamSocket::Shake(TlsSession& session, Time end, int interrupt) {
  while (true) {
    const Result<bool> is_complete = session.Shake();
    // Also after a fault: the other side learns of it by what is drained.
    auto sent = SendRaw(session.Drain(), end, interrupt);
    if (!is_complete) return is_complete.error();
    if (!sent) return sent;
    if (*is_complete) return {};
    std::array<char, 4096> bytes;
    const auto count = ReceiveRaw(bytes, end, interrupt);
    if (!count) return count.error();
    if (*count == 0) {
      return Error{Errc::kUnavailable,
                   "no answer to the TLS handshake in time; perhaps it does not speak TLS there"};
    }
    session.Feed({bytes.data(), *count});
  }
}

Result<void> StreamSocket::Write(std::string_view bytes, std::chrono::milliseconds limit,
                                 int interrupt) {
  const auto end = Clock::now() + limit;
  if (!tls_) return SendRaw(bytes, end, interrupt);
  if (auto encrypted = tls_->Encrypt(bytes); !encrypted) return encrypted;
  return SendRaw(tls_->Drain(), end, interrupt);
}

Result<std::size_t> StreamSocket::Read(std::span<char> bytes, std::chrono::milliseconds limit,
                                       int interrupt) {
  const auto end = Clock::now() + limit;
  if (!tls_) return ReceiveRaw(bytes, end, interrupt);
  while (true) {
    auto plain = tls_->Decrypt(bytes);
    is_ended_ = tls_->is_ended();
    if (!plain || *plain > 0) return plain;
    if (auto sent = SendRaw(tls_->Drain(), end, interrupt); !sent) return sent.error();
    std::array<char, 16'384> received;
    auto count = ReceiveRaw(received, end, interrupt);
    if (!count || *count == 0) return count;
    tls_->Feed({received.data(), *count});
  }
}

Result<void> StreamSocket::SendRaw(std::string_view bytes, Time end, int interrupt) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Error{Errc::kUnavailable, TextOfErrno(errno)};
    if (auto ready = AwaitReady(socket_.get(), POLLOUT, end, interrupt); !ready) return ready;
  }
  return {};
}

Result<std::size_t> StreamSocket::ReceiveRaw(std::span<char> bytes, Time end, int interrupt) {
  while (true) {
    const auto count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (count > 0) return static_cast<std::size_t>(count);
    if (count == 0) {
      is_ended_ = !tls_;
      return Error{Errc::kUnavailable, "the other side closed the connection"};
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Error{Errc::kUnavailable, TextOfErrno(errno)};
    const auto came = WaitFor(socket_.get(), POLLIN, end, interrupt);
    if (!came) return came.error();
    if (*came != Came::kReady) return std::size_t{0};
  }
}

}  // namespace hone
