// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include "hone/core/result.h"
#include "hone/sandbox/sandbox.h"

namespace hone {

// A program in a sandbox that runs while we talk to it through the descriptors that it was handed.
// Its output is read all the while, so that it never waits for us. Safe for concurrent use.
class RunningSandbox {
 public:
  // An Error means that there is nothing to start; a program that cannot be executed is seen only
  // in the result of Wait, as an Error.
  static Result<std::unique_ptr<RunningSandbox>> Start(SandboxCommand command);

  // Ends the program and returns when nothing of it is left. The same happens when we die.
  virtual ~RunningSandbox() = default;

  // Becomes readable when the program has ended, however it did, and all its processes with it.
  // Ours to poll, not to close.
  virtual int pidfd() const = 0;

  // The processes and threads inside at this moment, ours not counted.
  virtual int Threads() = 0;

  // Ends it. Returns at once.
  virtual void Kill() = 0;

  // Whether it ended within this time.
  virtual bool WaitFor(std::chrono::milliseconds wait_timeout) = 0;

  // Waits until nothing of it is left. May be called again.
  virtual const Result<SandboxResult>& Wait() = 0;
};

}  // namespace hone
