// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/http_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <cerrno>
#include <utility>

#include "hone/core/letter_case.h"
#include "hone/server/http/http_awaiting.h"

namespace hone::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kBufferBytes = 64 << 10;  // Read ahead of the parser, for one connection.
constexpr std::chrono::milliseconds kLingerTime{500};
constexpr std::size_t kLingerBytes = 1 << 20;

bool WasClosed(Tcp::socket& socket) {
  char byte = 0;
  const auto got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace

HttpConnection::HttpConnection(Tcp::socket socket, std::string address)
    : stream(std::move(socket)), client(std::move(address)), buffer(kBufferBytes) {}

void HttpConnection::Close() {
  error_code ignored;
  stream.socket().close(ignored);
  gone.request_stop();
}

HttpRequest RequestOf(const HttpParser& parser, const HttpConnection& connection) {
  const auto& from = parser.get();
  HttpRequest request;
  request.method = std::string(from.method_string());
  request.target = std::string(from.target());
  request.is_http_1_0 = from.version() == 10;
  for (const auto& field : from) {
    request.headers.emplace_back(LowerCase(field.name_string()), std::string(field.value()));
  }
  request.client = connection.client;
  request.gone = connection.gone.get_token();
  return request;
}

bool IsEnd(error_code error) {
  const bool is_fault = error.category() == make_error_code(http::error::bad_method).category();
  return !is_fault || error == http::error::end_of_stream || error == http::error::partial_message;
}

Refusal RefusalOf(error_code error, const HttpLimits& limits) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return {431, fmt::format("the request's head is over {} bytes", limits.header_bytes)};
  }
  if (error == http::error::body_limit) {
    return {413, fmt::format("the request's body is over {} bytes", limits.body_bytes)};
  }
  return {400, fmt::format("this is not HTTP/1.1 as it should be: {}", error.message())};
}

void WatchForClose(const std::shared_ptr<HttpConnection>& connection) {
  connection->stream.socket().async_wait(Tcp::socket::wait_read, [connection](error_code error) {
    if (!error && WasClosed(connection->stream.socket())) connection->gone.request_stop();
  });
}

Async<bool> WriteTo(std::shared_ptr<HttpConnection> connection, std::string first,
                    std::string second, std::chrono::milliseconds limit) {
  connection->stream.expires_after(limit);
  const std::array<asio::const_buffer, 2> both{asio::buffer(first), asio::buffer(second)};
  auto writing = [&](auto done) { asio::async_write(connection->stream, both, std::move(done)); };
  const IoDone done = co_await IoOperation(writing);
  co_return !done.error;
}

Async<bool> Linger(std::shared_ptr<HttpConnection> connection) {
  error_code ignored;
  connection->stream.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  connection->stream.expires_after(kLingerTime);
  std::array<char, 8192> scratch{};
  std::size_t left = kLingerBytes;
  while (left > 0) {
    auto reading = [&](auto done) {
      connection->stream.async_read_some(asio::buffer(scratch), std::move(done));
    };
    const IoDone done = co_await IoOperation(reading);
    if (done.error) co_return true;
    left -= std::min(left, done.bytes);
  }
  co_return false;
}

}  // namespace hone::server
