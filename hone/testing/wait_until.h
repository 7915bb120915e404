// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

namespace hone {

// Far beyond what anything in a test takes, also on a busy machine under a sanitizer.
inline constexpr std::chrono::seconds kTestTimeout{60};

// For what a test can see but cannot be woken by. Returns once `holds` is true, which is asked
// again every few milliseconds. Throws after `timeout` with a sentence that names `what`, which
// ends the test as a failed one: WaitUntil([&] { return queue.size() == 2; }, "both tasks are in
// the queue").
void WaitUntil(const std::function<bool()>& holds, const std::string& what,
               std::chrono::milliseconds timeout = kTestTimeout);

// Whether a thread of this process sleeps: in a lock, for example.
bool IsAsleep(pid_t thread);

// Returns once `stop` is asked for; for what a test runs until it is stopped. Throws as WaitUntil.
void WaitForStop(const std::stop_token& stop, std::chrono::milliseconds timeout = kTestTimeout);

}  // namespace hone
