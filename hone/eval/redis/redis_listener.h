// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "hone/core/result.h"
#include "hone/eval/redis/redis_caller.h"

namespace hone {

// The one connection of a queue object that hears what the scripts of all machines announce.
class RedisListener {
 public:
  virtual ~RedisListener() = default;  // Waits for a call of `on_change` to end.
};

// Calls `on_change` from a thread of its own: with each announcement, and with "*" when anything
// may have changed unheard: after a new connection, or when the server has lost its contents. On
// return it listens. `caller` outlives the listener.
Result<std::unique_ptr<RedisListener>> Listen(RedisCaller& caller,
                                              std::function<void(std::string_view)> on_change);

}  // namespace hone
