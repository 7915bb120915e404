// SPDX-License-Identifier: Apache-2.0
#include "hone/testing/wait_until.h"

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace hone {
namespace {

std::runtime_error TimedOut(const std::string& what, std::chrono::milliseconds timeout) {
  return std::runtime_error("waited in vain for " + std::to_string(timeout.count()) + " ms until " +
                            what);
}

}  // namespace

void WaitUntil(const std::function<bool()>& holds, const std::string& what,
               std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::chrono::milliseconds pause{1};
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) throw TimedOut(what, timeout);
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds{8});
  }
}

bool IsAsleep(pid_t thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) return line.find('S', line.find(':')) != line.npos;
  }
  return false;
}

void WaitForStop(const std::stop_token& stop, std::chrono::milliseconds timeout) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, timeout, [] { return false; });
  if (!stop.stop_requested()) throw TimedOut("somebody asks for the stop", timeout);
}

}  // namespace hone
