// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "hone/server/http/async.h"
#include "hone/server/http/http_framing.h"
#include "hone/server/http/http_message.h"
#include "hone/server/http/http_server.h"

namespace hone::server {

using Tcp = boost::asio::ip::tcp;
using HttpParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

// One connection. Everything here happens in the thread of the connections.
struct HttpConnection {
  HttpConnection(Tcp::socket socket, std::string address);

  void Close();

  boost::beast::tcp_stream stream;
  const std::string client;
  boost::beast::flat_buffer buffer;
  std::stop_source gone;       // Anew for each request.
  std::size_t body_bytes = 0;  // Reserved of what all requests together may use.
  bool is_busy = false;        // A request was read in part or is being answered.
  bool is_first = true;
};

// Without its body.
HttpRequest RequestOf(const HttpParser& parser, const HttpConnection& connection);

// The client closed the connection or was silent for too long: there is nobody to answer.
bool IsEnd(boost::system::error_code error);
Refusal RefusalOf(boost::system::error_code error, const HttpLimits& limits);

// Tells a busy connection that its client has left. What comes of a client that stays (its next
// request) ends the watch.
void WatchForClose(const std::shared_ptr<HttpConnection>& connection);

// Both texts, one after the other. False: the client did not take them in time, or is gone.
Async<bool> WriteTo(std::shared_ptr<HttpConnection> connection, std::string first,
                    std::string second, std::chrono::milliseconds limit);

// Reads what the client still sends, for a while: closing at once would reset the connection, and
// the client would lose the response.
Async<bool> Linger(std::shared_ptr<HttpConnection> connection);

}  // namespace hone::server
