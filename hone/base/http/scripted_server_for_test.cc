// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/scripted_server_for_test.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "hone/core/check.h"

namespace hone {
namespace {

constexpr int kScriptTickMs = 20;

sockaddr_in ScriptAddress(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int ListenAnywhere(const Descriptor& listener) {
  sockaddr_in address = ScriptAddress(0);
  socklen_t size = sizeof address;
  HONE_CHECK(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

// What has come; empty once the other side is gone or the test ends.
std::string Receive(int socket, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd watched{socket, POLLIN, 0};
    if (::poll(&watched, 1, kScriptTickMs) <= 0) continue;
    std::array<char, 16'384> bytes;
    const auto count = ::recv(socket, bytes.data(), bytes.size(), 0);
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : "";
  }
  return "";
}

ScriptedRequest ParseHead(const std::string& head) {
  ScriptedRequest request;
  std::istringstream lines(head);
  lines >> request.method >> request.target;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "\r") {
    const auto colon = line.find(": ");
    if (colon == line.npos) continue;
    request.headers.emplace_back(line.substr(0, colon),
                                 line.substr(colon + 2, line.size() - colon - 3));
  }
  return request;
}

std::optional<ScriptedRequest> ReadRequest(int socket, const std::stop_token& stop) {
  std::string bytes;
  std::size_t end = 0;
  while ((end = bytes.find("\r\n\r\n")) == bytes.npos) {
    const std::string more = Receive(socket, stop);
    if (more.empty()) return std::nullopt;
    bytes += more;
  }
  ScriptedRequest request = ParseHead(bytes.substr(0, end + 2));
  request.body = bytes.substr(end + 4);
  const auto length = std::strtoull(request.Header("content-length").c_str(), nullptr, 10);
  if (!request.Header("x-unread").empty()) return request;
  while (request.body.size() < length) {
    const std::string more = Receive(socket, stop);
    if (more.empty()) return std::nullopt;
    request.body += more;
  }
  return request;
}

}  // namespace

bool ScriptedReply::Send(std::string_view bytes) {
  while (!bytes.empty() && !stop_.stop_requested()) {
    pollfd watched{socket_, POLLOUT, 0};
    if (::poll(&watched, 1, kScriptTickMs) <= 0) continue;
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return bytes.empty();
}

void ScriptedReply::SendWhole(int status, std::string_view type, std::string_view body,
                              const std::string& more_headers) {
  Send(fmt::format("HTTP/1.1 {} Said\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n{}", status,
                   type, body.size(), more_headers, body));
}

void ScriptedReply::SendChunkedHead(std::string_view type) {
  Send(fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nTransfer-Encoding: chunked\r\n\r\n",
                   type));
}

bool ScriptedReply::SendChunk(std::string_view piece) {
  return Send(fmt::format("{:x}\r\n{}\r\n", piece.size(), piece));
}

void ScriptedReply::Drop() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void ScriptedReply::Hold() {
  while (!Receive(socket_, stop_).empty()) {
  }
}

void ScriptedReply::Tunnel(int target) {
  const Descriptor other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = ScriptAddress(target);
  if (::connect(other.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return;
  }
  ScriptedReply far(other.get(), stop_);
  while (!stop_.stop_requested()) {
    std::array<pollfd, 2> watched{pollfd{socket_, POLLIN, 0}, pollfd{other.get(), POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), kScriptTickMs) <= 0) continue;
    const bool is_near = watched[0].revents != 0;
    const std::string bytes = Receive(is_near ? socket_ : other.get(), stop_);
    if (bytes.empty() || !(is_near ? far : *this).Send(bytes)) return;
  }
}

ScriptedServer::ScriptedServer(HttpScript script)
    : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  port_ = ListenAnywhere(listener_);
  HONE_CHECK(::listen(listener_.get(), 64) == 0);
  accepting_ = std::jthread([this](const std::stop_token& stop) { Accept(stop); });
}

ScriptedServer::~ScriptedServer() {
  accepting_.request_stop();
  accepting_.join();
  for (std::jthread& client : clients_) client.request_stop();
}

std::string ScriptedServer::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

std::vector<ScriptedRequest> ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void ScriptedServer::Accept(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd watched{listener_.get(), POLLIN, 0};
    if (::poll(&watched, 1, kScriptTickMs) <= 0) continue;
    const int client = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    clients_.emplace_back([this, client](const std::stop_token& end) { Serve(end, client); });
  }
}

void ScriptedServer::Serve(const std::stop_token& stop, int client) {
  const Descriptor socket(client);
  const auto request = ReadRequest(client, stop);
  if (!request) return;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(*request);
  }
  ScriptedReply reply(client, stop);
  script_(*request, reply);
}

int ClosedPort() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ListenAnywhere(socket);
}

}  // namespace hone
