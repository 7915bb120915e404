// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/thread_states.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
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

// "17 (name) S 1 …": the name may hold anything, the last bracket ends it. Behind it, each after a
// space, the state is the first field and the number of threads the 18th. By hand, because this is
// read a dozen times in every pair of calls, and scanf took a third of it.
State ReadState(int stat) {
  constexpr int kThreadsField = 18;
  std::array<char, 1024> text;
  const ssize_t size = ::pread(stat, text.data(), text.size() - 1, 0);
  if (size <= 0) return {};
  text[static_cast<std::size_t>(size)] = '\0';
  const char* field = std::strrchr(text.data(), ')');
  if (field == nullptr || field[1] != ' ') return {false, 1};
  const char letter = field[2];
  for (int i = 0; i < kThreadsField && field != nullptr; ++i) field = std::strchr(field + 1, ' ');
  if (field == nullptr) return {false, 1};
  return {letter != 'R' && letter != 'D', std::strtol(field, nullptr, 10)};
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
