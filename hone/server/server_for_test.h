// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/json/json.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/eval/worker/worker_pool.h"
#include "hone/server/api_server.h"
#include "hone/testing/fake_domain.h"

// A whole server on loopback, with a queue in memory and workers whose domain does what a test
// says.
namespace hone::server {

struct Reply {
  int status = 0;  // 0: the connection was closed without an answer.
  std::string head;
  std::string body;

  Json AsJson() const;
  std::string Header(std::string_view name) const;  // In lower case; empty if it is not there.
};

// A connection of a client that can misbehave.
class TestClient {
 public:
  explicit TestClient(std::uint16_t port);

  bool Send(std::string_view bytes);                        // False: the server closed it.
  Reply Receive(std::chrono::milliseconds limit = kLimit);  // One response.
  std::string ReceiveSome(std::chrono::milliseconds limit = kLimit);
  bool IsClosed(std::chrono::milliseconds limit = kLimit);  // By the server, within this time.
  void Close() { socket_.Close(); }
  bool is_open() const { return socket_.is_open(); }
  void StopSending();

  static constexpr std::chrono::milliseconds kLimit{30'000};

 private:
  Descriptor socket_;
  std::string received_;
};

// One server-sent event.
struct SentEvent {
  std::string id;
  std::string kind;
  std::string data;

  bool operator==(const SentEvent&) const = default;
};

// Those that are whole in this text.
std::vector<SentEvent> EventsIn(const std::string& text);

// A client of a stream of events, which reads when it is told to.
class TestStream {
 public:
  TestStream(std::uint16_t port, const std::string& target, const std::string& more_headers = "");

  SentEvent Next();  // An empty one: the stream has ended, or nothing came for long.
  const std::string& text() const { return text_; }

 private:
  TestClient client_;
  std::string text_;
  std::size_t taken_ = 0;
};

class RunningApi {
 public:
  struct Choice {
    ApiSettings api;
    std::size_t workers = 1;
    std::string domain = "compute";  // As which the fake domain is known.

    // Also offers the domain toy, and as `hosted` the same as if it changed the host: for admins,
    // and its worker serves the owner `ops`.
    bool has_toy = false;
  };

  explicit RunningApi(Choice choice);
  RunningApi() : RunningApi(Choice{}) {}
  ~RunningApi();

  std::uint16_t port() const { return server_->port(); }
  ApiServer& server() { return *server_; }
  TaskQueue& queue() { return *queue_; }
  FakeScript& script() { return script_; }
  void StopWorkers() { pool_.reset(); }
  void StopServer() { server_.reset(); }

  Reply Ask(const std::string& method, const std::string& target, const std::string& body = "",
            const std::string& more_headers = "") const;

 private:
  FakeScript script_;
  std::unique_ptr<TaskQueue> queue_;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<ApiServer> server_;
};

// The bytes of a request; with a body it has a content-length.
std::string RequestText(const std::string& method, const std::string& target,
                        const std::string& body = "", const std::string& more_headers = "");

// A body of POST /evaluate that is accepted.
Json EvaluationBody(const std::string& id);

// A run that goes on until it is told to stop.
Result<RunResult> Endless(const RunOrder& order);

}  // namespace hone::server
