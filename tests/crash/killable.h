// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/base/descriptor.h"

namespace hone {

// How many of something a test makes: the number that the environment has under this name, else the
// usual one. The slow form of a crash test is the same program with more kills.
int NumberFromEnvironment(const char* name, int usual);

// A child process that a test may kill at any moment. Its standard output is read here.
class Killable {
 public:
  // The program first. Aborts if it cannot be started: no test can go on then.
  explicit Killable(const std::vector<std::string>& arguments);
  Killable(const Killable&) = delete;
  Killable& operator=(const Killable&) = delete;
  ~Killable();  // Kills.

  // Waits for the next whole line; empty at the end of the output.
  std::string ReadLine();

  // The last whole line so far, also one that was read before; never waits. Empty: none came.
  std::string LastLine();

  int pid() const { return pid_; }

  // SIGKILL, and waits for the end. What it had written can still be read.
  void Kill();

  // Waits for it to end by itself; its exit status, or -1 if a signal ended it.
  int Wait();

 private:
  int pid_ = -1;
  bool has_ended_ = false;
  int status_ = 0;
  Descriptor output_;
  std::string unread_;
  std::string last_;
};

}  // namespace hone
