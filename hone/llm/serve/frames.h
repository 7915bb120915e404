// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::llm {

inline constexpr std::size_t kMaxFrame = 64 << 20;

// A frame is its length, four bytes with the lowest first, and a JSON document.
// Both wait. kUnavailable: the other side is gone; kCorrupt: it sent what is no frame.
Result<void> SendFrame(int socket, const Json& message);
Result<Json> ReceiveFrame(int socket);

}  // namespace hone::llm
