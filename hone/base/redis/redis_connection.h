// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/redis/redis_address.h"
#include "hone/core/result.h"

namespace hone {

struct RedisReply {
  enum class Kind { kNil, kInteger, kText, kList, kFault };
  Kind kind = Kind::kNil;
  std::int64_t integer = 0;
  std::string text;  // Of kText and kFault ("WRONGPASS invalid username-password pair").
  std::vector<RedisReply> items;

  bool IsText() const { return kind == Kind::kText; }
  bool IsFault() const { return kind == Kind::kFault; }
};

// What a fault means for the caller, in words that begin with the server's name.
struct RedisFault {
  Error error;
  bool is_passing = false;  // Worth a try in a moment, on a new connection.
};
RedisFault MeaningOf(std::string_view fault, const std::string& server);

// One connection to a Redis: RESP2 over TCP, TLS or a Unix socket. Used by one thread at a time.
// After an Error it is of no more use; a reply that is a fault is no Error.
class RedisConnection {
 public:
  // Connected, let in, and in its database. kInvalidArgument: wrong password, no Redis, no TLS
  // where TLS is expected or the other way round; kNotFound: no such host; kUnavailable: not now.
  static Result<std::unique_ptr<RedisConnection>> Open(const RedisAddress& address,
                                                       std::chrono::milliseconds limit);
  virtual ~RedisConnection() = default;

  virtual const std::string& server() const = 0;  // Its name, for messages.

  virtual Result<void> Send(const std::vector<std::string_view>& words,
                            std::chrono::milliseconds limit) = 0;

  // The next reply or message; nullopt if none came within the limit, or once the descriptor
  // `interrupt` (if any) can be read.
  virtual Result<std::optional<RedisReply>> Receive(std::chrono::milliseconds limit,
                                                    int interrupt = -1) = 0;

  // Both; kUnavailable if no reply came in time.
  Result<RedisReply> Ask(const std::vector<std::string_view>& words,
                         std::chrono::milliseconds limit);
};

// What a server says of itself, as far as it bears on what we keep in it.
struct RedisFacts {
  std::string version;
  bool is_replica = false;
  bool is_append_only = false;  // Every change goes to a file.
  bool may_evict = false;       // It throws keys away when its memory is full.
  std::string eviction_policy;
};
Result<RedisFacts> ReadRedisFacts(RedisConnection& connection, const RedisAddress& address,
                                  std::chrono::milliseconds limit);

}  // namespace hone
