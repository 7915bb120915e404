// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

// The words of the Model Context Protocol. It has two eras: until 2025-11-25 a client begins with
// `initialize`; from 2026-07-28 on every request says its version itself.
namespace hone::agent {

inline constexpr std::string_view kMcpModernVersion = "2026-07-28";

// Newest first; the first is what a client is offered that asks for one that we do not know.
inline constexpr std::array<std::string_view, 4> kMcpLegacyVersions{"2025-11-25", "2025-06-18",
                                                                    "2025-03-26", "2024-11-05"};

inline bool IsMcpLegacyVersion(std::string_view version) {
  return std::find(kMcpLegacyVersions.begin(), kMcpLegacyVersions.end(), version) !=
         kMcpLegacyVersions.end();
}

// Several messages in one array: only these versions know it. They are compared as texts.
inline bool HasMcpBatches(std::string_view version) {
  return !version.empty() && version <= std::string_view("2025-03-26");
}
inline bool HasMcpResourceLinks(std::string_view version) {
  return version >= std::string_view("2025-06-18");
}

// Keys of `_meta`.
inline constexpr const char* kMcpVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kMcpCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kMcpServerInfoKey = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kMcpSubscriptionKey = "io.modelcontextprotocol/subscriptionId";
inline constexpr const char* kMcpTasksExtension = "io.modelcontextprotocol/tasks";

// Of JSON-RPC, then of the modern era.
inline constexpr int kRpcParseError = -32700;
inline constexpr int kRpcInvalidRequest = -32600;
inline constexpr int kRpcMethodNotFound = -32601;
inline constexpr int kRpcInvalidParams = -32602;
inline constexpr int kMcpHeaderMismatch = -32020;
inline constexpr int kMcpMissingCapability = -32021;
inline constexpr int kMcpUnsupportedVersion = -32022;
inline constexpr int kMcpResourceNotFound =
    -32002;  // Of the legacy era; the modern one has -32602.

}  // namespace hone::agent
