// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/run_delay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace hone::compute {

RunDelay::RunDelay(const char* path) : file_(::open(path, O_RDONLY | O_CLOEXEC)) {}

RunDelay RunDelay::OfProcess(pid_t pid) {
  return RunDelay(fmt::format("/proc/{}/schedstat", pid).c_str());
}

RunDelay RunDelay::OfThisThread() { return RunDelay("/proc/thread-self/schedstat"); }

// "time on a processor" "time waiting for one" "how often", in ns.
std::chrono::nanoseconds RunDelay::Read() const {
  std::array<char, 96> text{};
  if (!file_.is_open() || ::pread(file_.get(), text.data(), text.size() - 1, 0) <= 0) return {};
  char* end = nullptr;
  std::strtoll(text.data(), &end, 10);
  return std::chrono::nanoseconds{std::strtoll(end, nullptr, 10)};
}

}  // namespace hone::compute
