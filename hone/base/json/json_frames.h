// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

#include "hone/base/json/json.h"
#include "hone/core/result.h"

// What our own processes say to each other through a stream socket: JSON documents, each behind its
// length (four bytes, the lowest first).
namespace hone {

inline constexpr std::size_t kMaxFrame = 64 << 20;

// Both wait. kUnavailable: the other side is gone; kCorrupt: it sent what is no frame; kStale:
// nothing came until then.
Result<void> SendFrame(int socket, const Json& message);
Result<Json> ReceiveFrame(int socket, std::chrono::steady_clock::time_point deadline =
                                          std::chrono::steady_clock::time_point::max());

}  // namespace hone
