// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone {

inline constexpr int kLinkSocket = 3;  // Of the socket, in the other process.

struct LinkedProgram {
  std::filesystem::path program;
  std::vector<std::string> arguments;  // The first is its name.
};

// A program of ours in a process of its own that stays, with a socket between us (json_frames.h).
// It is in a process group of its own, so that Ctrl-C on a terminal reaches it through us only, and
// what it prints goes where our errors go. It leaves when it sees the socket close.
class LinkedProcess {
 public:
  static Result<LinkedProcess> Start(const LinkedProgram& program);

  LinkedProcess(LinkedProcess&& other) noexcept;
  LinkedProcess(const LinkedProcess&) = delete;
  LinkedProcess& operator=(const LinkedProcess&) = delete;
  LinkedProcess& operator=(LinkedProcess&&) = delete;
  ~LinkedProcess();  // Ends it.

  int socket() const { return socket_.get(); }
  pid_t pid() const { return pid_; }
  bool is_alive() const { return pid_ > 0; }  // As far as we have seen.

  // Nothing is said from now on, whoever reads or writes just now.
  void HangUp() const;

  // Closes the socket, waits so long for it to leave, then kills it. What waitpid says of it.
  int End(std::chrono::milliseconds grace);

 private:
  LinkedProcess(pid_t pid, Descriptor socket);

  pid_t pid_;  // 0 once it is gone.
  Descriptor handle_;
  Descriptor socket_;
};

// "died by SIGSEGV", "ended with status 3".
std::string TextOfEnd(int wait_status);

}  // namespace hone
