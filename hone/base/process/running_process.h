// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>

#include "hone/base/process/subprocess.h"
#include "hone/core/result.h"

namespace hone {

// A program that runs while we do other things. Its output is read all the while, so that it never
// waits for us. Safe for concurrent use.
class RunningProcess {
 public:
  // `on_line` is called from a thread of its own, until Wait has returned; it must not call back.
  // An Error means that there is nothing to start; a program that cannot be executed is seen only
  // in the result of Wait, as an Error.
  static Result<std::unique_ptr<RunningProcess>> Start(Command command, OnLine on_line = {});

  // Ends the program and everything beneath it, and returns when nothing is left. The same happens
  // when we die.
  virtual ~RunningProcess() = default;

  // Every process that the program starts descends from this one, whatever it does.
  virtual pid_t supervisor() const = 0;

  // SIGTERM to the program's process group. Returns at once.
  virtual void AskToEnd() = 0;

  // Ends the program and everything beneath it. Returns at once.
  virtual void End() = 0;

  // Whether it ended within this time.
  virtual bool WaitFor(std::chrono::milliseconds wait_timeout) = 0;

  // Waits until nothing of it is left. May be called again.
  virtual const Result<ProcessResult>& Wait() = 0;
};

}  // namespace hone
