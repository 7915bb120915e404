// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "hone/agent/mcp/mcp_server.h"
#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/server/api_app.h"
#include "hone/server/http/http_server.h"

namespace hone::app {

inline constexpr std::uint16_t kMcpPort = 10908;

struct McpHttpSettings {
  server::HttpSettings http;
  server::AccessSettings access;
};

// The Model Context Protocol over Streamable HTTP: POST /mcp, in both eras. An answer is JSON, or a
// stream of events where the client takes one and there is something to say before the answer.
class McpHttpServer {
 public:
  virtual ~McpHttpServer() = default;  // Stops; who waits is not answered any more.
  virtual std::uint16_t port() const = 0;
};

// Listens from now on. A token of the role submit or admin is asked for, if there are any; only an
// admin may change the host. `mcp` and `clock` outlive the server. kInvalidArgument if it would
// listen beyond this machine without tokens; kUnavailable if the port is taken.
Result<std::unique_ptr<McpHttpServer>> StartMcpHttp(agent::McpServer& mcp, Clock& clock,
                                                    McpHttpSettings settings);

}  // namespace hone::app
