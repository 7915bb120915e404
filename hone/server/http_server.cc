// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http_server.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/log.h"
#include "hone/server/client_limits.h"
#include "hone/server/http_framing.h"

namespace hone {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::tcp_stream;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr std::size_t kBufferBytes = 64 << 10;  // Read ahead of the parser, for one connection.
constexpr std::chrono::milliseconds kLingerTime{500};
constexpr std::size_t kLingerBytes = 1 << 20;
constexpr std::size_t kSpareDescriptors = 256;  // For the queue, workers and their pipes.

struct Done {
  error_code error;
  std::size_t bytes = 0;
};

// Awaits an operation of Asio. `begin` starts it with the function that it calls at its end.
template <typename Begin>
class Operation {
 public:
  explicit Operation(Begin begin) : begin_(std::move(begin)) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    begin_([this, waiter](error_code error, std::size_t bytes = 0) {
      done_ = {error, bytes};
      waiter.resume();
    });
  }
  Done await_resume() const { return done_; }

 private:
  Begin begin_;
  Done done_;
};

// Awaits work in the pool; the coroutine goes on in the thread of the connections.
template <typename T>
class InPool {
 public:
  InPool(const Post& post, asio::io_context& io, std::function<Async<T>()> make)
      : post_(post), io_(io), work_(asio::make_work_guard(io)), make_(std::move(make)) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    post_([this, waiter] {
      Start(make_(), [this, waiter](std::optional<T> value, const std::exception_ptr& problem) {
        value_ = std::move(value);
        problem_ = problem;
        asio::post(io_, [waiter] { waiter.resume(); });
      });
    });
  }
  T await_resume() {
    if (problem_) std::rethrow_exception(problem_);
    return std::move(*value_);
  }

 private:
  const Post& post_;
  asio::io_context& io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;  // Keeps its thread running.
  std::function<Async<T>()> make_;
  std::optional<T> value_;
  std::exception_ptr problem_;
};

using Parser = http::request_parser<http::string_body>;

// One connection. Everything here happens in the thread of the connections.
struct Connection {
  Connection(Tcp::socket socket, std::string address)
      : stream(std::move(socket)), client(std::move(address)), buffer(kBufferBytes) {}

  void Close() {
    error_code ignored;
    stream.socket().close(ignored);
    gone.request_stop();
  }

  tcp_stream stream;
  const std::string client;
  boost::beast::flat_buffer buffer;
  std::stop_source gone;       // Anew for each request.
  std::size_t body_bytes = 0;  // Reserved of what all requests together may use.
  bool is_busy = false;        // A request was read in part or is being answered.
  bool is_first = true;
};

HttpRequest RequestOf(const Parser& parser, const Connection& connection) {
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

// The client closed the connection or was silent for too long: there is nobody to answer.
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

bool WasClosed(Tcp::socket& socket) {
  char byte = 0;
  const auto got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

// Tells a busy connection that its client has left. What comes of a client that stays (its next
// request) ends the watch.
void WatchForClose(const std::shared_ptr<Connection>& connection) {
  connection->stream.socket().async_wait(Tcp::socket::wait_read, [connection](error_code error) {
    if (!error && WasClosed(connection->stream.socket())) connection->gone.request_stop();
  });
}

// What the process may open, raised as far as it goes.
std::size_t MostConnections(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const auto most = static_cast<std::size_t>(limit.rlim_max);
  return std::min(wanted, most > 2 * kSpareDescriptors ? most - kSpareDescriptors : most / 2);
}

class Server final : public HttpServer {
 public:
  Server(HttpSettings settings, HttpApp& app, Post post)
      : settings_(std::move(settings)),
        app_(app),
        post_(std::move(post)),
        acceptor_(io_),
        pause_(io_),
        most_connections_(MostConnections(settings_.limits.connections)),
        clients_({settings_.limits.connections_per_client, settings_.limits.requests_per_second,
                  settings_.limits.burst}) {}

  ~Server() override {
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
  bool Drain(std::chrono::milliseconds patience) override;
  bool AwaitStreams(std::chrono::milliseconds patience) override {
    return AwaitNone(streams_, patience);
  }
  void Stop() override;

 private:
  using Number = std::atomic<std::size_t>;

  // One more of these, for as long as it lives.
  class Tally {
   public:
    Tally(Server& server, Number& number) : server_(server), number_(number) { ++number_; }
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
    Server& server_;
    Number& number_;
  };

  bool AwaitNone(const Number& number, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return number == 0; });
  }
  Detached AcceptAll();
  void Accept(Tcp::socket socket);
  void TurnAway(Tcp::socket socket);
  Detached Serve(std::shared_ptr<Connection> connection);
  Async<bool> ServeOne(std::shared_ptr<Connection> connection);
  Async<std::optional<Refusal>> ReadBody(std::shared_ptr<Connection> connection, Parser& parser);
  Async<bool> Write(std::shared_ptr<Connection> connection, std::string first, std::string second);
  Async<bool> Send(std::shared_ptr<Connection> connection, HttpResponse response,
                   const HttpRequest& request, bool keeps);
  Async<bool> Linger(std::shared_ptr<Connection> connection);
  Async<bool> SendStream(std::shared_ptr<Connection> connection, HttpResponse response,
                         const HttpRequest& request);
  Async<HttpResponse> Answer(std::shared_ptr<Connection> connection, const HttpRequest& request);
  std::optional<HttpResponse> Admit(HttpRequest& request);
  bool Reserve(Connection& connection, std::size_t bytes);
  void ReleaseBody(Connection& connection);
  void Leave(const std::shared_ptr<Connection>& connection);

  const HttpSettings settings_;
  HttpApp& app_;
  const Post post_;
  asio::io_context io_;
  Tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::uint16_t port_ = 0;
  const std::size_t most_connections_;

  // Of the thread of the connections.
  ClientLimits clients_;
  std::set<std::shared_ptr<Connection>> connections_;
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

Result<void> Server::Listen() {
  error_code error;
  const auto address = asio::ip::make_address(settings_.address, error);
  if (error) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: expected an IP address to listen on", settings_.address)};
  }
  const Tcp::endpoint endpoint(address, settings_.port);
  acceptor_.open(endpoint.protocol(), error);
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

Detached Server::AcceptAll() {
  while (acceptor_.is_open()) {
    Tcp::socket socket(io_);
    auto accepting = [&](auto done) { acceptor_.async_accept(socket, std::move(done)); };
    const Done done = co_await Operation(accepting);
    if (!done.error) {
      Accept(std::move(socket));
    } else if (acceptor_.is_open()) {  // No descriptor is free: wait until one is.
      pause_.expires_after(std::chrono::milliseconds{50});
      auto waiting = [&](auto after) { pause_.async_wait(std::move(after)); };
      co_await Operation(waiting);
    }
  }
}

void Server::Accept(Tcp::socket socket) {
  error_code error;
  const auto peer = socket.remote_endpoint(error);
  if (error) return;
  std::string client = peer.address().to_string();
  const bool is_full = connections_.size() >= most_connections_;
  if (is_full || !clients_.Enter(client, SystemClock().Now())) {
    ++refused_;
    return TurnAway(std::move(socket));
  }
  ++accepted_;
  socket.set_option(Tcp::no_delay(true), error);
  auto connection = std::make_shared<Connection>(std::move(socket), std::move(client));
  connections_.insert(connection);
  connection_count_ = connections_.size();
  Serve(std::move(connection));
}

void Server::TurnAway(Tcp::socket socket) {
  HttpResponse response = app_.Refuse("/", 503, "too many connections; try again later");
  response.headers.emplace_back("retry-after", "1");
  const std::string text = HeadText(response, false, false) + response.body;
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);
  socket.shutdown(Tcp::socket::shutdown_send, ignored);
}

void Server::Leave(const std::shared_ptr<Connection>& connection) {
  connection->Close();
  clients_.Leave(connection->client);
  connections_.erase(connection);
  connection_count_ = connections_.size();
}

Detached Server::Serve(std::shared_ptr<Connection> connection) {
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

Async<bool> Server::ServeOne(std::shared_ptr<Connection> connection) {
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(settings_.limits.header_bytes));
  parser.body_limit(settings_.limits.body_bytes);
  connection->gone = std::stop_source();
  connection->stream.expires_after(settings_.limits.header_time);
  auto reading = [&](auto done) {
    http::async_read_header(connection->stream, connection->buffer, parser, std::move(done));
  };
  const Done head = co_await Operation(reading);
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

std::optional<HttpResponse> Server::Admit(HttpRequest& request) {
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

bool Server::Reserve(Connection& connection, std::size_t bytes) {
  if (bytes <= connection.body_bytes) return true;
  const std::size_t more = bytes - connection.body_bytes;
  if (body_bytes_ + more > settings_.limits.body_bytes_in_all) return false;
  body_bytes_ += more;
  connection.body_bytes = bytes;
  return true;
}

void Server::ReleaseBody(Connection& connection) {
  body_bytes_ -= std::exchange(connection.body_bytes, 0);
}

Async<std::optional<Refusal>> Server::ReadBody(std::shared_ptr<Connection> connection,
                                               Parser& parser) {
  const Refusal full{503, "the server is busy with large requests; try again later"};
  const Refusal closed{0, ""};
  const auto length = parser.content_length();
  if (length && *length > settings_.limits.body_bytes) {
    co_return RefusalOf(http::error::body_limit, settings_.limits);
  }
  if (length && !Reserve(*connection, static_cast<std::size_t>(*length))) co_return full;
  if (!parser.is_done() && !parser.get()[http::field::expect].empty()) {
    const bool is_written = co_await Write(connection, "HTTP/1.1 100 Continue\r\n\r\n", "");
    if (!is_written) co_return closed;
  }
  connection->stream.expires_after(settings_.limits.body_time);
  while (!parser.is_done()) {
    auto reading = [&](auto done) {
      http::async_read_some(connection->stream, connection->buffer, parser, std::move(done));
    };
    const Done done = co_await Operation(reading);
    if (done.error && IsEnd(done.error)) co_return closed;
    if (done.error) co_return RefusalOf(done.error, settings_.limits);
    if (!Reserve(*connection, parser.get().body().size())) co_return full;
  }
  co_return std::nullopt;
}

Async<HttpResponse> Server::Answer(std::shared_ptr<Connection> connection,
                                   const HttpRequest& request) {
  const Tally tally(*this, busy_);
  WatchForClose(connection);
  std::optional<HttpResponse> response;
  try {
    InPool<HttpResponse> answer(post_, io_, [&] { return app_.Answer(request); });
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

Async<bool> Server::Write(std::shared_ptr<Connection> connection, std::string first,
                          std::string second) {
  connection->stream.expires_after(settings_.limits.write_time);
  const std::array<asio::const_buffer, 2> both{asio::buffer(first), asio::buffer(second)};
  auto writing = [&](auto done) { asio::async_write(connection->stream, both, std::move(done)); };
  const Done done = co_await Operation(writing);
  co_return !done.error;
}

Async<bool> Server::Send(std::shared_ptr<Connection> connection, HttpResponse response,
                         const HttpRequest& request, bool keeps) {
  if (response.next_piece && request.method != "HEAD") {
    co_return co_await SendStream(connection, std::move(response), request);
  }
  std::string head = HeadText(response, request.is_http_1_0, keeps);
  std::string body = request.method == "HEAD" ? std::string() : std::move(response.body);
  const bool is_written = co_await Write(connection, std::move(head), std::move(body));
  if (is_written && !keeps) co_await Linger(connection);
  co_return is_written&& keeps;
}

// Reads what the client still sends, for a while: closing at once would reset the connection, and
// the client would lose the response.
Async<bool> Server::Linger(std::shared_ptr<Connection> connection) {
  error_code ignored;
  connection->stream.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  connection->stream.expires_after(kLingerTime);
  std::array<char, 8192> scratch{};
  std::size_t left = kLingerBytes;
  while (left > 0) {
    auto reading = [&](auto done) {
      connection->stream.async_read_some(asio::buffer(scratch), std::move(done));
    };
    const Done done = co_await Operation(reading);
    if (done.error) co_return true;
    left -= std::min(left, done.bytes);
  }
  co_return false;
}

Async<bool> Server::SendStream(std::shared_ptr<Connection> connection, HttpResponse response,
                               const HttpRequest& request) {
  const Tally tally(*this, streams_);
  std::string head = HeadText(response, request.is_http_1_0, false);
  bool goes_on = co_await Write(connection, std::move(head), "");
  while (goes_on && !connection->gone.stop_requested()) {
    InPool<std::optional<std::string>> next(post_, io_, [&] { return response.next_piece(); });
    std::optional<std::string> piece = co_await next;
    if (!piece) {
      co_await Write(connection, request.is_http_1_0 ? "" : "0\r\n\r\n", "");
      break;
    }
    if (piece->empty()) continue;
    goes_on = co_await Write(connection, ChunkText(*piece, request.is_http_1_0), "");
  }
  co_return false;
}

bool Server::Drain(std::chrono::milliseconds patience) {
  asio::post(io_, [this] {
    is_draining_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (const auto& connection : connections_) {
      if (!connection->is_busy) connection->stream.cancel();
    }
  });
  return AwaitNone(busy_, patience);
}

void Server::Stop() {
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
                                                    Post post) {
  auto server = std::make_unique<Server>(settings, app, std::move(post));
  if (auto listening = server->Listen(); !listening) return listening.error();
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace hone
