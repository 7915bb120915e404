// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "hone/core/result.h"

namespace hone::sysctl {

// Answers the tcp probe, any number of connections at once, in one thread.
class TcpServer {
 public:
  // Port 0 takes a free one. kUnavailable: the port is taken.
  static Result<std::unique_ptr<TcpServer>> Listen(const std::string& address, int port,
                                                   int backlog);

  virtual ~TcpServer() = default;

  virtual int port() const = 0;

  // Until it is asked to stop.
  virtual Result<void> Serve(std::stop_token stop) = 0;
};

}  // namespace hone::sysctl
