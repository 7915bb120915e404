// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"
#include "hone/sandbox/running_sandbox.h"

namespace hone {

// A started sandbox that nobody has used yet, and our ends of what its program was handed.
struct WarmSandbox {
  std::unique_ptr<RunningSandbox> sandbox;
  std::vector<Descriptor> ours;
};

// Starts one and returns when its program is ready to be talked to. Should give up when stopped.
using MakeWarmSandbox = std::function<Result<WarmSandbox>(std::stop_token stop)>;

// The usual one: descriptor 3 of the program, before those of the command, is a SOCK_SEQPACKET
// socket, `ours[0]` its other end. Ready when the program has sent its first message, which is
// thrown away, or when it has nothing to say (`is_silent`). kUnavailable if it ended or was silent
// for `wait_timeout` instead, with what it wrote to its standard error.
MakeWarmSandbox ReadyOnFirstMessage(
    SandboxCommand command, std::chrono::milliseconds wait_timeout = std::chrono::seconds{60},
    bool is_silent = false);

// Awaits its next message and throws it away; the errors are the same.
Result<void> AwaitMessage(WarmSandbox& warm, const std::string& name,
                          std::chrono::milliseconds wait_timeout, const std::stop_token& stop);

// Keeps sandboxes of one recipe ready, so that starting one costs nothing when a task arrives. Safe
// for concurrent use.
class WarmSandboxes {
 public:
  static std::unique_ptr<WarmSandboxes> Make(int count, MakeWarmSandbox make);

  // Stops making and ends those that are waiting.
  virtual ~WarmSandboxes() = default;

  // One that was alive a moment ago; another is started in the background. Makes one on the spot if
  // none is ready, so its Error is that of `make`. kUnavailable if `stop` came first.
  virtual Result<WarmSandbox> Take(std::stop_token stop = {}) = 0;

  // How many could be taken at once.
  virtual int Ready() = 0;

  // As long as the result lives, none is started in the background; one that is being started is
  // waited for, a while. For whoever measures, where starting one is work. Must not outlive this.
  [[nodiscard]] virtual std::shared_ptr<void> Rest() = 0;
};

}  // namespace hone
