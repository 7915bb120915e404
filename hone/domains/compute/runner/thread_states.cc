// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/thread_states.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace hone::compute {
namespace {

struct State {
  bool sleeps = true;
  long threads = 1;
};

// "17 (name) S 1 …": the name may hold anything, the last bracket ends it. The number of threads is
// the 18th field behind it.
State ReadState(int stat) {
  std::array<char, 1024> text{};
  if (::pread(stat, text.data(), text.size() - 1, 0) <= 0) return {};
  const char* const end = std::strrchr(text.data(), ')');
  char letter = 'R';
  State state;
  if (end == nullptr ||
      std::sscanf(end + 1,
                  " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
                  &letter, &state.threads) != 2) {
    return {false, 1};
  }
  state.sleeps = letter != 'R' && letter != 'D';
  return state;
}

Descriptor OpenStat(const std::string& folder) {
  return Descriptor(::open((folder + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

ThreadStates::ThreadStates(pid_t process)
    : process_(process), stat_(OpenStat(fmt::format("/proc/{}", process))) {}

bool ThreadStates::AllSleep() const {
  const State first = ReadState(stat_.get());
  if (!first.sleeps || first.threads == 1) return first.sleeps;
  std::error_code failed;
  const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", process_), failed);
  return std::all_of(begin(threads), end(threads), [](const auto& thread) {
    return ReadState(OpenStat(thread.path().native()).get()).sleeps;
  });
}

}  // namespace hone::compute
