// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/http_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/read.hpp>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/log.h"
#include "hone/server/http/client_limits.h"
#include "hone/server/http/http_awaiting.h"
#include "hone/server/http/http_connection.h"
#include "hone/server/http/http_framing.h"

namespace hone::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kWarmSandboxDescriptors = 256;  // For the queue, workers and their pipes.

// What the process may open, raised as far as it goes.
std::size_t MaxConnections(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const auto max = static_cast<std::size_t>(limit.rlim_max);
  return std::min(wanted,
                  max > 2 * kWarmSandboxDescriptors ? max - kWarmSandboxDescriptors : max / 2);
}

// Asio does not ask for it. A program that is started while it listens would go on listening after
// it, and whoever connects then would wait in vain.
void KeepFromChildren(int socket) { ::fcntl(socket, F_SETFD, FD_CLOEXEC); }

class ListeningHttpServer final : public HttpServer {
 public:
  ListeningHttpServer(HttpSettings settings, HttpApp& app, HttpPosts posts)
      : settings_(std::move(settings)),
        app_(app),
        posts_(std::move(posts)),
        acceptor_(io_),
        pause_(io_),
        max_connections_(MaxConnections(settings_.limits.connections)),
        clients_({settings_.limits.connections_per_client, settings_.limits.requests_per_second,
                  settings_.limits.burst}) {}

  ~ListeningHttpServer() override {
    try {
      Stop();
    } catch (...) {  // What cannot be stopped in order goes with us.
    }
  }

  Result<void> Listen();

  std::uint16_t port() const override { return port_; }
  Counts Count() const override {
    return {connection_count_.load(), busy_.load(), accepted_.load(), refused_.load()};
  }
  bool Drain(std::chrono::milliseconds wait_timeout) override;
  bool AwaitStreams(std::chrono::milliseconds wait_timeout) override {
    return AwaitNone(streams_, wait_timeout);
  }
  void Stop() override;

 private:
  using Number = std::atomic<std::size_t>;

  // One more of these, for as long as it lives.
  class Tally {
   public:
    Tally(ListeningHttpServer& server, Number& number) : server_(server), number_(number) {
      ++number_;
    }
    Tally(const Tally&) = delete;
    Tally& operator=(const Tally&) = delete;
    ~Tally() {
      {
        const std::lock_guard lock(server_.mutex_);
        --number_;
      }
      server_.changed_.notify_all();
    }

   private:
    ListeningHttpServer& server_;
    Number& number_;
  };

  bool AwaitNone(const Number& number, std::chrono::milliseconds wait_timeout) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, wait_timeout, [&] { return number == 0; });
  }
  Detached AcceptAll();
  void Accept(Tcp::socket socket);
  void TurnAway(Tcp::socket socket);
  Detached Serve(std::shared_ptr<HttpConnection> connection);
  Async<bool> ServeOne(std::shared_ptr<HttpConnection> connection);
  Async<std::optional<Refusal>> ReadBody(std::shared_ptr<HttpConnection> connection,
                                         HttpParser& parser);
  Async<bool> Write(std::shared_ptr<HttpConnection> connection, std::string first,
                    std::string second = {}) {
    return WriteTo(std::move(connection), std::move(first), std::move(second),
                   settings_.limits.write_time);
  }
  Async<bool> Send(std::shared_ptr<HttpConnection> connection, HttpResponse response,
                   const HttpRequest& request, bool keeps);
  Async<bool> SendStream(std::shared_ptr<HttpConnection> connection, HttpResponse response,
                         const HttpRequest& request);
  Async<HttpResponse> Answer(std::shared_ptr<HttpConnection> connection,
                             const HttpRequest& request);
  std::optional<HttpResponse> Admit(HttpRequest& request);
  bool Reserve(HttpConnection& connection, std::size_t bytes);
  void ReleaseBody(HttpConnection& connection);
  void Leave(const std::shared_ptr<HttpConnection>& connection);

  const HttpSettings settings_;
  HttpApp& app_;
  const HttpPosts posts_;
  asio::io_context io_;
  Tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::uint16_t port_ = 0;
  const std::size_t max_connections_;

  // Of the thread of the connections.
  ClientLimits clients_;
  std::set<std::shared_ptr<HttpConnection>> connections_;
  std::size_t body_bytes_ = 0;
  bool is_draining_ = false;

  Number connection_count_ = 0;
  Number busy_ = 0;
  Number streams_ = 0;
  std::atomic<std::uint64_t> accepted_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;  // busy_ or streams_ went down.
  std::thread thread_;
};

Result<void> ListeningHttpServer::Listen() {
  error_code error;
  const auto address = asio::ip::make_address(settings_.address, error);
  if (error) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: expected an IP address to listen on", settings_.address)};
  }
  const Tcp::endpoint endpoint(address, settings_.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) KeepFromChildren(acceptor_.native_handle());
  if (!error) acceptor_.set_option(Tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    const bool is_taken = error == boost::system::errc::address_in_use;
    return Error{
        Errc::kUnavailable,
        fmt::format("{}:{}: {}", settings_.address, settings_.port,
                    is_taken ? "another server listens there; choose another --port, or stop it"
                             : error.message())};
  }
  port_ = acceptor_.local_endpoint().port();
  AcceptAll();
  thread_ = std::thread([this] { io_.run(); });
  return {};
}

Detached ListeningHttpServer::AcceptAll() {
  while (acceptor_.is_open()) {
    Tcp::socket socket(io_);
    auto accepting = [&](auto done) { acceptor_.async_accept(socket, std::move(done)); };
    const IoDone done = co_await IoOperation(accepting);
    if (!done.error) {
      Accept(std::move(socket));
    } else if (acceptor_.is_open()) {  // No descriptor is free: wait until one is.
      pause_.expires_after(std::chrono::milliseconds{50});
      auto waiting = [&](auto after) { pause_.async_wait(std::move(after)); };
      co_await IoOperation(waiting);
    }
  }
}

void ListeningHttpServer::Accept(Tcp::socket socket) {
  error_code error;
  const auto peer = socket.remote_endpoint(error);
  if (error) return;
  KeepFromChildren(socket.native_handle());
  std::string client = peer.address().to_string();
  const bool is_full = connections_.size() >= max_connections_;
  if (is_full || !clients_.Register(client, SystemClock().Now())) {
    ++refused_;
    return TurnAway(std::move(socket));
  }
  ++accepted_;
  socket.set_option(Tcp::no_delay(true), error);
  auto connection = std::make_shared<HttpConnection>(std::move(socket), std::move(client));
  connections_.insert(connection);
  connection_count_ = connections_.size();
  Serve(std::move(connection));
}

void ListeningHttpServer::TurnAway(Tcp::socket socket) {
  HttpResponse response = app_.Refuse("/", 503, "too many connections; try again later");
  response.headers.emplace_back("retry-after", "1");
  const std::string text = HeadText(response, false, false) + response.body;
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);
  socket.shutdown(Tcp::socket::shutdown_send, ignored);
}

void ListeningHttpServer::Leave(const std::shared_ptr<HttpConnection>& connection) {
  connection->Close();
  clients_.Leave(connection->client);
  connections_.erase(connection);
  connection_count_ = connections_.size();
}

Detached ListeningHttpServer::Serve(std::shared_ptr<HttpConnection> connection) {
  bool goes_on = true;
  while (goes_on) {
    try {
      goes_on = co_await ServeOne(connection);
    } catch (const std::exception& problem) {
      Log(LogLevel::kError, "connection of {}: exception: {}", connection->client, problem.what());
      goes_on = false;
    }
    ReleaseBody(*connection);
    connection->is_busy = false;
    connection->is_first = false;
    if (is_draining_) goes_on = false;
  }
  Leave(connection);
}

Async<bool> ListeningHttpServer::ServeOne(std::shared_ptr<HttpConnection> connection) {
  HttpParser parser;
  parser.header_limit(static_cast<std::uint32_t>(settings_.limits.header_bytes));
  parser.body_limit(settings_.limits.body_bytes);
  connection->gone = std::stop_source();
  connection->stream.expires_after(connection->is_first ? settings_.limits.header_time
                                                        : settings_.limits.rest_time);
  auto reading = [&](auto done) {
    http::async_read_header(connection->stream, connection->buffer, parser, std::move(done));
  };
  const IoDone head = co_await IoOperation(reading);
  if (head.error && IsEnd(head.error)) co_return false;
  connection->is_busy = true;
  HttpRequest request;
  std::optional<HttpResponse> response;
  if (head.error) {
    const Refusal refusal = RefusalOf(head.error, settings_.limits);
    response = app_.Refuse("/", refusal.status, refusal.message);
  } else {
    request = RequestOf(parser, *connection);
    if (const auto fault = FramingFault(request, parser.get().version())) {
      response = app_.Refuse(request.target, fault->status, fault->message);
      response->is_last = true;
    } else {
      response = Admit(request);
    }
  }
  if (response) response->is_last = response->is_last || !parser.is_done();
  if (!response) {
    const std::optional<Refusal> fault = co_await ReadBody(connection, parser);
    if (fault && fault->status == 0) co_return false;
    if (fault) {
      response = app_.Refuse(request.target, fault->status, fault->message);
      response->is_last = true;
    }
  }
  if (!response) {
    request.body = std::move(parser.get().body());
    response = co_await Answer(connection, request);
  }
  const bool keeps = !response->is_last && parser.get().keep_alive() && !is_draining_;
  co_return co_await Send(connection, std::move(*response), request, keeps);
}

std::optional<HttpResponse> ListeningHttpServer::Admit(HttpRequest& request) {
  if (is_draining_) {
    HttpResponse response = app_.Refuse(request.target, 503, "the server is shutting down");
    response.headers.emplace_back("retry-after", "5");
    response.is_last = true;
    return response;
  }
  const auto wait = clients_.Ask(request.client, SystemClock().Now());
  if (wait.count() > 0) {
    HttpResponse response = app_.Refuse(
        request.target, 429,
        fmt::format("over {} requests a second; slow down", settings_.limits.requests_per_second));
    response.headers.emplace_back("retry-after", "1");
    return response;
  }
  return app_.Admit(request);
}

bool ListeningHttpServer::Reserve(HttpConnection& connection, std::size_t bytes) {
  if (bytes <= connection.body_bytes) return true;
  const std::size_t more = bytes - connection.body_bytes;
  if (body_bytes_ + more > settings_.limits.body_bytes_in_all) return false;
  body_bytes_ += more;
  connection.body_bytes = bytes;
  return true;
}

void ListeningHttpServer::ReleaseBody(HttpConnection& connection) {
  body_bytes_ -= std::exchange(connection.body_bytes, 0);
}

Async<std::optional<Refusal>> ListeningHttpServer::ReadBody(
    std::shared_ptr<HttpConnection> connection, HttpParser& parser) {
  const Refusal full{503, "the server is busy with large requests; try again later"};
  const Refusal closed{0, ""};
  const auto length = parser.content_length();
  if (length && *length > settings_.limits.body_bytes) {
    co_return RefusalOf(http::error::body_limit, settings_.limits);
  }
  if (length && !Reserve(*connection, static_cast<std::size_t>(*length))) co_return full;
  if (!parser.is_done() && !parser.get()[http::field::expect].empty()) {
    const bool is_written = co_await Write(connection, "HTTP/1.1 100 Continue\r\n\r\n");
    if (!is_written) co_return closed;
  }
  connection->stream.expires_after(settings_.limits.body_time);
  while (!parser.is_done()) {
    auto reading = [&](auto done) {
      http::async_read_some(connection->stream, connection->buffer, parser, std::move(done));
    };
    const IoDone done = co_await IoOperation(reading);
    if (done.error && IsEnd(done.error)) co_return closed;
    if (done.error) co_return RefusalOf(done.error, settings_.limits);
    if (!Reserve(*connection, parser.get().body().size())) co_return full;
  }
  co_return std::nullopt;
}

Async<HttpResponse> ListeningHttpServer::Answer(std::shared_ptr<HttpConnection> connection,
                                                const HttpRequest& request) {
  const Tally tally(*this, busy_);
  WatchForClose(connection);
  std::optional<HttpResponse> response;
  try {
    const Post& post = app_.IsQuick(request) ? posts_.quick : posts_.any;
    InPool<HttpResponse> answer(post, io_, [&] { return app_.Answer(request); });
    response = co_await answer;
  } catch (const std::exception& problem) {
    Log(LogLevel::kError, "{} {}: exception: {}", request.method, request.target, problem.what());
    response = app_.Refuse(request.target, 500, "the server failed; its log says how");
  }
  if (!response->next_piece) {
    error_code ignored;
    connection->stream.socket().cancel(ignored);
  }
  co_return std::move(*response);
}

Async<bool> ListeningHttpServer::Send(std::shared_ptr<HttpConnection> connection,
                                      HttpResponse response, const HttpRequest& request,
                                      bool keeps) {
  if (response.next_piece && request.method != "HEAD") {
    co_return co_await SendStream(connection, std::move(response), request);
  }
  std::string head = HeadText(response, request.is_http_1_0, keeps);
  std::string body = request.method == "HEAD" ? std::string() : std::move(response.body);
  const bool is_written = co_await Write(connection, std::move(head), std::move(body));
  if (is_written && !keeps) co_await Linger(connection);
  co_return is_written&& keeps;
}

Async<bool> ListeningHttpServer::SendStream(std::shared_ptr<HttpConnection> connection,
                                            HttpResponse response, const HttpRequest& request) {
  const Tally tally(*this, streams_);
  std::string head = HeadText(response, request.is_http_1_0, false);
  bool goes_on = co_await Write(connection, std::move(head));
  while (goes_on && !connection->gone.stop_requested()) {
    InPool<std::optional<std::string>> next(posts_.any, io_, [&] { return response.next_piece(); });
    std::optional<std::string> piece = co_await next;
    if (!piece) {
      co_await Write(connection, request.is_http_1_0 ? "" : "0\r\n\r\n");
      break;
    }
    if (piece->empty()) continue;
    goes_on = co_await Write(connection, ChunkText(*piece, request.is_http_1_0));
  }
  co_return false;
}

bool ListeningHttpServer::Drain(std::chrono::milliseconds wait_timeout) {
  asio::post(io_, [this] {
    is_draining_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (const auto& connection : connections_) {
      if (!connection->is_busy) connection->stream.cancel();
    }
  });
  return AwaitNone(busy_, wait_timeout);
}

void ListeningHttpServer::Stop() {
  if (!thread_.joinable()) return;
  asio::post(io_, [this] {
    is_draining_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    for (const auto& connection : connections_) connection->Close();
  });
  thread_.join();
}

}  // namespace

Result<std::unique_ptr<HttpServer>> StartHttpServer(const HttpSettings& settings, HttpApp& app,
                                                    HttpPosts posts) {
  auto server = std::make_unique<ListeningHttpServer>(settings, app, std::move(posts));
  if (auto listening = server->Listen(); !listening) return listening.error();
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace hone::server
