// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "hone/base/json/json.h"

// JSON-RPC 2.0 as the Model Context Protocol uses it: ids are texts or whole numbers, parameters
// are objects.
namespace hone::agent {

struct RpcMessage {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kRequest;
  Json id;                       // Of a request: a text or a whole number; else null.
  std::string method;            // Empty in a response.
  Json params = Json::object();  // Always an object.

  // A member of `params._meta`; null if there is none.
  const Json& Meta(std::string_view key) const;
};

// Why a message is not answered with a result.
struct RpcFault {
  int code = 0;
  std::string message;
  Json data = nullptr;
  int status = 200;  // For HTTP.
};

// The message in a parsed document, or what is wrong with it. `id` of a faulty message, where it
// has one that can be read, is found by IdOf.
std::variant<RpcMessage, RpcFault> ReadRpcMessage(const Json& document);

// Null if there is none that may be echoed.
Json RpcIdOf(const Json& document);

// One line without a line break at its end. An id of null is left out.
std::string RpcResultText(const Json& id, const Json& result);
std::string RpcFaultText(const Json& id, const RpcFault& fault);
std::string RpcNotificationText(std::string_view method, const Json& params);

}  // namespace hone::agent
