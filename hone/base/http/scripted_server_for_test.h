// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/http/http_reply_parser.h"

// For tests of clients that meet servers of every kind.
namespace hone {

struct ScriptedRequest {
  std::string method;
  std::string target;
  HttpHeaders headers;
  std::string body;

  std::string Header(std::string_view name) const {
    return std::string(HttpReply{.headers = headers}.Header(name));
  }
};

// What the script does with a connection once it has read the request. The connection closes in
// order when the script returns.
class ScriptedReply {
 public:
  ScriptedReply(int socket, std::stop_token stop) : socket_(socket), stop_(std::move(stop)) {}

  bool Send(std::string_view bytes);  // Anything at all. False: the client is gone.
  void SendWhole(int status, std::string_view type, std::string_view body,
                 const std::string& more_headers = "");
  void SendChunkedHead(std::string_view type);
  bool SendChunk(std::string_view piece);

  void Drop();              // Closes as a crash does.
  void Hold();              // Says nothing until the client closes or the test ends.
  void Tunnel(int target);  // Passes bytes to another port of this machine, and back, to the end.

 private:
  int socket_;
  std::stop_token stop_;
};

using HttpScript = std::function<void(const ScriptedRequest& request, ScriptedReply& reply)>;

// Listens on a port of 127.0.0.1. Each connection has a thread, reads one request and runs the
// script, which may run in several threads at once. Of a request with the header X-Unread the body
// is not read.
class ScriptedServer {
 public:
  explicit ScriptedServer(HttpScript script);
  ~ScriptedServer();

  int port() const { return port_; }
  std::string url() const;
  std::vector<ScriptedRequest> requests() const;

 private:
  void Accept(const std::stop_token& stop);
  void Serve(const std::stop_token& stop, int client);

  HttpScript script_;
  Descriptor listener_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<ScriptedRequest> requests_;
  std::vector<std::jthread> clients_;
  std::jthread accepting_;
};

// A port of 127.0.0.1 on which nobody listens.
int ClosedPort();

}  // namespace hone
