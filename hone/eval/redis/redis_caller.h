// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/redis/redis_connection.h"
#include "hone/core/result.h"
#include "hone/eval/redis/redis_queue.h"
#include "hone/eval/redis/redis_scripts.h"

namespace hone {

// Runs the queue's scripts in Redis, over as many connections as there are callers at once.
// Connections that were lost are made again. Safe for concurrent use.
class RedisCaller {
 public:
  // Connects, refuses a server that will not do, and warns of one that may lose what it is given.
  static Result<std::unique_ptr<RedisCaller>> Open(const RedisSettings& settings, Clock& clock);

  struct Answer {
    std::vector<std::string> words;
    bool is_repeated = false;  // The call may have been made twice.
  };

  // Calls until an answer comes, or `stop` is asked for, or the server has been away for `give_up`.
  // Then it fails at once, for everybody but the one who tries again every second.
  Result<Answer> Run(RedisScript script, std::vector<std::string> arguments,
                     const std::stop_token& stop = {});

  // For those who ask how things stand: does not call while the server is known to be away, and
  // waits for nobody who does not come back at once.
  Result<Answer> RunNow(RedisScript script, std::vector<std::string> arguments);

  // Calls once.
  Result<Answer> RunOnce(RedisScript script, std::vector<std::string> arguments);

  // Unlike any other, of this object or of others.
  std::string NewToken() { return process_ + "." + std::to_string(++calls_); }

  const RedisSettings& settings() const { return settings_; }
  const std::string& prefix() const { return prefix_; }
  std::string Key(std::string_view name) const { return prefix_ + std::string(name); }

  // For those who have a connection of their own: what they know goes into the same log.
  void NoteTrouble(const Error& error);
  void NoteSuccess();

  // Closes the connections that nobody uses.
  void DropIdle();

 private:
  using Time = std::chrono::steady_clock::time_point;
  using Connection = std::unique_ptr<RedisConnection>;

  struct Try {
    Result<std::vector<std::string>> words;
    bool is_passing = false;  // Worth another try.
  };

  RedisCaller(const RedisSettings& settings, Clock& clock);

  bool IsGivenUp();  // The server has been away for too long.
  bool MayTry();     // It has not, or it is time to see.
  Result<void> Prepare();
  Result<Connection> Borrow();
  void GiveBack(Connection connection);
  void Discard();
  Try CallOnce(RedisScript script, const std::vector<std::string>& arguments);
  Result<RedisReply> Evaluate(RedisConnection& connection, RedisScript script,
                              const std::vector<std::string>& arguments) const;
  std::vector<std::string> WithHeader(std::vector<std::string> arguments);
  Error NameCorrupt(const Error& error);

  const RedisSettings settings_;
  const std::string prefix_;
  Clock& clock_;
  std::string process_;  // Begins every token of this object.
  std::atomic<std::uint64_t> calls_ = 0;
  std::array<std::string, kRedisScripts> texts_;
  std::array<std::string, kRedisScripts> digests_;  // By which Redis knows the scripts.

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::condition_variable back_;  // lost_since_ was reset.

  // State below is protected by mutex_.
  std::vector<Connection> idle_;
  int connections_ = 0;
  std::optional<Time> lost_since_;
  std::string loss_;  // What was said of it.
  Time next_try_;     // Once it is given up.
  std::optional<Time> told_at_;
  bool is_loss_told_ = false;
  int losses_ = 0;  // That the log does not tell of yet.
};

}  // namespace hone
