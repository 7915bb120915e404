// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/json_rpc.h"

#include <utility>

#include "hone/agent/mcp/protocol.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxIdBytes = 1024;  // A longer one would be an answer's whole size.

const Json kNothing = nullptr;

bool IsRpcId(const Json& id) {
  return id.is_number_integer() ||
         (id.is_string() && id.get_ref<const std::string&>().size() <= kMaxIdBytes);
}

RpcFault Refused(std::string message) {
  return {kRpcInvalidRequest, std::move(message), nullptr, 400};
}

}  // namespace

const Json& RpcMessage::Meta(std::string_view key) const {
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object()) return kNothing;
  const auto found = meta->find(std::string(key));
  return found == meta->end() ? kNothing : *found;
}

Json RpcIdOf(const Json& document) {
  if (!document.is_object()) return nullptr;
  const auto id = document.find("id");
  return id != document.end() && IsRpcId(*id) ? *id : Json(nullptr);
}

std::variant<RpcMessage, RpcFault> ReadRpcMessage(const Json& document) {
  if (!document.is_object()) return Refused("expected an object: {\"jsonrpc\": \"2.0\", …}");
  const auto version = document.find("jsonrpc");
  if (version == document.end() || *version != "2.0") {
    return Refused("jsonrpc: expected \"2.0\"");
  }
  RpcMessage message;
  const auto id = document.find("id");
  const bool has_id = id != document.end();
  if (has_id && !IsRpcId(*id)) {
    return Refused("id: expected a whole number, or a text of at most 1024 bytes");
  }
  if (has_id) message.id = *id;
  const auto method = document.find("method");
  if (method == document.end()) {
    const bool is_response = has_id && document.contains("result") != document.contains("error");
    if (!is_response) return Refused("method: it is missing");
    message.kind = RpcMessage::Kind::kResponse;
    return message;
  }
  if (!method->is_string()) return Refused("method: expected a text");
  message.method = method->get<std::string>();
  message.kind = has_id ? RpcMessage::Kind::kRequest : RpcMessage::Kind::kNotification;
  if (const auto params = document.find("params"); params != document.end()) {
    if (!params->is_object()) {
      return RpcFault{kRpcInvalidParams, "params: expected an object", nullptr, 400};
    }
    message.params = *params;
  }
  return message;
}

std::string RpcResultText(const Json& id, const Json& result) {
  return Dump({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

std::string RpcFaultText(const Json& id, const RpcFault& fault) {
  Json error{{"code", fault.code}, {"message", fault.message}};
  if (!fault.data.is_null()) error["data"] = fault.data;
  Json response{{"jsonrpc", "2.0"}, {"error", std::move(error)}};
  if (!id.is_null()) response["id"] = id;
  return Dump(response);
}

std::string RpcNotificationText(std::string_view method, const Json& params) {
  return Dump({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

}  // namespace hone::agent
