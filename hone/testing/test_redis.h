// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/process/running_process.h"
#include "hone/base/redis/redis_address.h"
#include "hone/core/result.h"

// For tests that need a real Redis.
namespace hone {

// A redis-server of our own in a folder, gone when this is destroyed or when we die.
class TestRedis {
 public:
  // Options as in redis.conf, without the dashes: {"appendonly", "yes"}. Unless they set a port, it
  // listens only on a Unix socket in the folder. kUnsupported: there is no redis-server here.
  static Result<std::unique_ptr<TestRedis>> Start(const std::filesystem::path& folder,
                                                  std::vector<std::string> options = {});
  ~TestRedis();

  RedisAddress address() const;  // By its Unix socket.
  const std::filesystem::path& folder() const { return folder_; }

  void Kill();           // SIGKILL; returns when it is gone.
  Result<void> Begin();  // Again, with what the folder holds; returns when it answers.
  void Pause() const;    // SIGSTOP
  void Resume() const;

  // What redis-cli would show, for what tests do behind the queue's back: {"FLUSHALL"}.
  std::string Do(const std::vector<std::string>& words) const;

 private:
  TestRedis(std::filesystem::path folder, std::vector<std::string> options);

  void Signal(int number) const;

  std::filesystem::path folder_;
  std::vector<std::string> options_;
  std::unique_ptr<RunningProcess> process_;
  pid_t pid_ = 0;
};

// A TCP port of 127.0.0.1 that was free a moment ago.
int FreePort();

}  // namespace hone
