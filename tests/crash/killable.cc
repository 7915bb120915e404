// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/killable.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "hone/core/check.h"

namespace hone {

int NumberFromEnvironment(const char* name, int usual) {
  const char* number = std::getenv(name);
  return number == nullptr ? usual : std::stoi(number);
}

Killable::Killable(const std::vector<std::string>& arguments) {
  std::array<int, 2> ends{};
  HONE_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
  output_ = Descriptor(ends[0]);
  const Descriptor input(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.get(), STDOUT_FILENO);
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  HONE_CHECK(::posix_spawn(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
}

Killable::~Killable() { Kill(); }

std::string Killable::ReadLine() {
  std::array<char, 4096> chunk{};
  while (unread_.find('\n') == std::string::npos) {
    const ssize_t size = ::read(output_.get(), chunk.data(), chunk.size());
    if (size <= 0) return "";
    unread_.append(chunk.data(), static_cast<std::size_t>(size));
  }
  last_ = unread_.substr(0, unread_.find('\n'));
  unread_.erase(0, last_.size() + 1);
  return last_;
}

std::string Killable::LastLine() {
  std::array<char, 4096> chunk{};
  for (pollfd wait{output_.get(), POLLIN, 0}; ::poll(&wait, 1, 0) > 0;) {
    const ssize_t size = ::read(output_.get(), chunk.data(), chunk.size());
    if (size <= 0) break;
    unread_.append(chunk.data(), static_cast<std::size_t>(size));
  }
  for (std::size_t end = 0; (end = unread_.find('\n')) != std::string::npos;) {
    last_ = unread_.substr(0, end);
    unread_.erase(0, end + 1);
  }
  return last_;
}

void Killable::Kill() {
  if (has_ended_) return;
  ::kill(pid_, SIGKILL);
  Wait();
}

int Killable::Wait() {
  if (!has_ended_) HONE_CHECK(::waitpid(pid_, &status_, 0) == pid_);
  has_ended_ = true;
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
}

}  // namespace hone
