// SPDX-License-Identifier: Apache-2.0
#include "hone/testing/test_redis.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/file.h"
#include "hone/base/redis/redis_connection.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

constexpr const char* kProgram = "/usr/bin/redis-server";

std::string TextOf(const RedisReply& reply) {
  switch (reply.kind) {
    case RedisReply::Kind::kNil:
      return "nil";
    case RedisReply::Kind::kInteger:
      return std::to_string(reply.integer);
    case RedisReply::Kind::kList: {
      std::string text;
      for (const RedisReply& item : reply.items) text += TextOf(item) + "\n";
      return text;
    }
    default:
      return reply.text;
  }
}

}  // namespace

TestRedis::TestRedis(std::filesystem::path folder, std::vector<std::string> options)
    : folder_(std::move(folder)), options_(std::move(options)) {}

Result<std::unique_ptr<TestRedis>> TestRedis::Start(const std::filesystem::path& folder,
                                                    std::vector<std::string> options) {
  if (::access(kProgram, X_OK) != 0) {
    return Error{Errc::kUnsupported,
                 fmt::format("{} is not there: install redis-server", kProgram)};
  }
  std::unique_ptr<TestRedis> redis(new TestRedis(folder, std::move(options)));
  if (auto begun = redis->Begin(); !begun) return begun.error();
  return redis;
}

TestRedis::~TestRedis() {
  if (process_) Kill();
}

RedisAddress TestRedis::address() const {
  RedisAddress address;
  address.socket = folder_ / "redis.sock";
  for (std::size_t i = 0; i + 1 < options_.size(); i += 2) {
    if (options_[i] == "requirepass") address.password = options_[i + 1];
  }
  return address;
}

Result<void> TestRedis::Begin() {
  const auto pid_file = folder_ / "redis.pid";
  std::filesystem::remove(pid_file);
  Command command;
  command.limit = 24h;
  command.folder = folder_;
  command.arguments = {kProgram,
                       "--dir",
                       folder_.string(),
                       "--unixsocket",
                       address().socket,
                       "--save",
                       "",
                       "--pidfile",
                       pid_file,
                       "--port",
                       "0",
                       "--daemonize",
                       "no",
                       "--logfile",
                       folder_ / "log"};
  for (std::size_t i = 0; i + 1 < options_.size(); i += 2) {
    command.arguments.insert(command.arguments.end(), {"--" + options_[i], options_[i + 1]});
  }
  auto process = RunningProcess::Start(std::move(command));
  if (!process) return process.error();
  process_ = std::move(*process);
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (std::chrono::steady_clock::now() < end && !process_->WaitFor(0ms)) {
    const auto pid = ReadFile(pid_file);
    if (pid && pid->ends_with('\n') && Do({"PING"}) == "PONG") {
      pid_ = std::atoi(pid->c_str());
      return {};
    }
    std::this_thread::sleep_for(5ms);
  }
  return Error{Errc::kUnavailable, "redis-server did not start: " +
                                       ReadFile(folder_ / "log").value_or("it left no log")};
}

void TestRedis::Kill() {
  Signal(SIGKILL);
  process_.reset();  // Ends it too if it never told its pid.
  pid_ = 0;
}

void TestRedis::Pause() const { Signal(SIGSTOP); }
void TestRedis::Resume() const { Signal(SIGCONT); }

// Without a pid it would be to our own process group.
void TestRedis::Signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

std::string TestRedis::Do(const std::vector<std::string>& words) const {
  auto connection = RedisConnection::Open(address(), 10s);
  if (!connection) return connection.error().message;
  const auto reply = (*connection)->Ask({words.begin(), words.end()}, 10s);
  return reply ? TextOf(*reply) : reply.error().message;
}

int FreePort() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return 0;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace hone
