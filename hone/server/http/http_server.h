// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hone/core/result.h"
#include "hone/server/http/async.h"
#include "hone/server/http/http_message.h"

namespace hone::server {

// What one client, and all of them together, may use.
struct HttpLimits {
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 32 << 20;          // Of one request.
  std::size_t body_bytes_in_all = 256 << 20;  // Of all requests that are being read or answered.
  std::size_t connections = 8192;
  std::size_t connections_per_client = 4096;
  double requests_per_second = 5000;  // Of one client; 0: as many as it likes.
  double burst = 10'000;

  std::chrono::milliseconds header_time{10'000};  // From the connection.
  // From the last response: longer than clients keep a connection for their next request
  // (KernelGYM's: 30 s), so that it is they who close it, and no request runs into a closed one.
  std::chrono::milliseconds rest_time{75'000};
  std::chrono::milliseconds body_time{60'000};
  std::chrono::milliseconds write_time{60'000};  // For each response, or piece of a stream.
};

struct HttpSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 10907;  // 0: any that is free.
  HttpLimits limits;
};

// What a server serves.
class HttpApp {
 public:
  virtual ~HttpApp() = default;

  // Asked before the body is read; a response refuses the request. It must not block: every
  // connection waits for it.
  virtual std::optional<HttpResponse> Admit(HttpRequest& head) = 0;

  // Whether the answer is made without waiting for anything. Then it does not wait for those that
  // are not, either.
  virtual bool IsQuick(const HttpRequest&) const { return false; }

  // Called in a thread of the pool. The request lives until the end.
  virtual Async<HttpResponse> Answer(const HttpRequest& request) = 0;

  // A response in the shape that clients of this target know, for what the server itself refuses.
  virtual HttpResponse Refuse(std::string_view target, int status, std::string_view message) = 0;
};

// HTTP/1.0 and 1.1 over TCP: one thread for all connections, handlers in a pool.
class HttpServer {
 public:
  struct Counts {
    std::size_t connections = 0;
    std::size_t busy = 0;  // Requests whose answer is being made.
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;  // Connections over a limit.
  };

  virtual ~HttpServer() = default;  // Stops.

  virtual std::uint16_t port() const = 0;
  virtual Counts Count() const = 0;

  // Takes no new connections, refuses new requests with 503, and waits up to `wait_timeout` for
  // those that are being answered. True: all were.
  virtual bool Drain(std::chrono::milliseconds wait_timeout) = 0;

  // Waits for streams, which end when what makes their pieces says so; true once there is none.
  virtual bool AwaitStreams(std::chrono::milliseconds wait_timeout) = 0;

  // Closes every connection and waits for the handlers, whose clients are gone then.
  virtual void Stop() = 0;
};

// Where answers are made.
struct HttpPosts {
  Post any;
  Post quick;  // Those of HttpApp::IsQuick.
};

// Listens from now on. `app` outlives the server and so does what `posts` use. kUnavailable if the
// port is taken.
Result<std::unique_ptr<HttpServer>> StartHttpServer(const HttpSettings& settings, HttpApp& app,
                                                    HttpPosts posts);

}  // namespace hone::server
