// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace hone::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr unsigned kVersion = 11;

http::request<http::string_body> RequestOf(const HttpCall& call) {
  http::request<http::string_body> request;
  request.version(kVersion);
  request.method_string(call.method);
  request.target(call.url.path + call.target);
  request.set(http::field::host, AuthorityOf(call.url.host, call.url.port));
  request.set(http::field::connection, "close");
  for (const auto& [name, value] : call.headers) request.set(name, value);
  if (!call.body.empty()) {
    request.set(http::field::content_type, "application/json");
    request.body() = call.body;
  }
  request.prepare_payload();
  return request;
}

Error CallFailure(const HttpCall& call, error_code error) {
  return {Errc::kUnavailable,
          fmt::format("http://{}: {}", AuthorityOf(call.url.host, call.url.port), error.message())};
}

}  // namespace

Result<HttpUrl> ParseHttpUrl(std::string_view url) {
  static constexpr std::string_view kScheme = "http://";
  const std::string whole(url);
  const Error wrong{Errc::kInvalidArgument,
                    fmt::format("\"{}\": expected http://host[:port]", whole)};
  if (!url.starts_with(kScheme)) return wrong;
  url.remove_prefix(kScheme.size());
  HttpUrl parsed;
  const auto slash = std::min(url.find('/'), url.size());
  parsed.path = std::string(url.substr(slash));
  while (parsed.path.ends_with('/')) parsed.path.pop_back();
  std::string_view authority = url.substr(0, slash);
  if (const auto at = authority.rfind('@'); at != authority.npos) {
    const auto colon = authority.substr(0, at).find(':');
    if (colon == authority.npos) return wrong;
    parsed.password = std::string(authority.substr(colon + 1, at - colon - 1));
    authority.remove_prefix(at + 1);
  }
  const auto bracket = authority.find(']');
  const auto colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  if (colon != authority.npos) parsed.port = std::string(authority.substr(colon + 1));
  parsed.host = std::string(authority.substr(0, colon));
  if (parsed.host.starts_with('[') && parsed.host.ends_with(']')) {
    parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  }
  const bool is_number = !parsed.port.empty() && parsed.port.size() <= 5 &&
                         parsed.port.find_first_not_of("0123456789") == std::string::npos;
  if (parsed.host.empty() || !is_number) return wrong;
  return parsed;
}

std::string AuthorityOf(const std::string& host, const std::string& port) {
  const bool is_six = host.find(':') != host.npos;
  return is_six ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<HttpReply> CallHttp(const HttpCall& call) {
  asio::io_context io;
  error_code error;
  asio::ip::tcp::resolver resolver(io);
  const auto places = resolver.resolve(call.url.host, call.url.port, error);
  if (error) return CallFailure(call, error);
  boost::beast::tcp_stream stream(io);
  stream.expires_after(call.limit);
  // Asynchronous only for its time limit; each step is waited for.
  const auto finish = [&io] {
    io.run();
    io.restart();
  };
  stream.async_connect(places, [&](error_code code, const auto&) { error = code; });
  finish();
  if (error) return CallFailure(call, error);
  const auto request = RequestOf(call);
  http::async_write(stream, request, [&](error_code code, std::size_t) { error = code; });
  finish();
  if (error) return CallFailure(call, error);
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(call.max_bytes);
  http::async_read(stream, buffer, parser, [&](error_code code, std::size_t) { error = code; });
  finish();
  if (error) return CallFailure(call, error);
  return HttpReply{static_cast<int>(parser.get().result_int()), std::move(parser.get().body())};
}

}  // namespace hone::server
