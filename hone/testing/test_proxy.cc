// SPDX-License-Identifier: Apache-2.0
#include "hone/testing/test_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include "hone/core/check.h"

namespace hone {
namespace {

constexpr int kTickMs = 20;

Descriptor ConnectUnix(const std::filesystem::path& path) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(socket.get(), generic, sizeof address) != 0) socket.Close();
  return socket;
}

}  // namespace

TestProxy::TestProxy(std::filesystem::path socket, Policy policy)
    : socket_(std::move(socket)),
      policy_(std::move(policy)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  HONE_CHECK(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  HONE_CHECK(::listen(listener_.get(), 64) == 0);
  ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  accepting_ = std::jthread([this](const std::stop_token& stop) { Accept(stop); });
}

TestProxy::~TestProxy() {
  accepting_.request_stop();
  accepting_.join();
  for (std::jthread& client : clients_) client.request_stop();
}

void TestProxy::Accept(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd watched{listener_.get(), POLLIN, 0};
    if (::poll(&watched, 1, kTickMs) <= 0) continue;
    Descriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ++connections_;
    clients_.emplace_back([this, client = std::move(client)](const std::stop_token& ended) mutable {
      Serve(ended, std::move(client));
    });
  }
}

void TestProxy::Serve(const std::stop_token& stop, Descriptor client) {
  const Descriptor server = ConnectUnix(socket_);
  if (!server.is_open()) return;
  std::array<pollfd, 2> watched{pollfd{client.get(), POLLIN, 0}, pollfd{server.get(), POLLIN, 0}};
  while (!stop.stop_requested()) {
    if (::poll(watched.data(), watched.size(), kTickMs) <= 0) continue;
    if (watched[0].revents != 0 && !Move(client.get(), server.get(), false)) return;
    if (watched[1].revents != 0 && !Move(server.get(), client.get(), true)) return;
  }
}

// False if the connection is over.
bool TestProxy::Move(int from, int to, bool is_reply) {
  std::array<char, 4096> bytes;
  const auto count = ::recv(from, bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  const std::lock_guard lock(mutex_);
  const Fate fate = policy_(is_reply);
  if (fate == Fate::kCut) return false;
  if (fate == Fate::kHalfClose) return ::shutdown(to, SHUT_WR) == 0;
  if (fate == Fate::kDelay) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto size = static_cast<std::size_t>(fate == Fate::kTruncate ? count / 2 : count);
  ::send(to, bytes.data(), size, MSG_NOSIGNAL);
  return fate != Fate::kTruncate;
}

}  // namespace hone
