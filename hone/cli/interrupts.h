// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone::cli {

// Tells a signal that came twice in one instant, from `timeout` to the process and to its group,
// from one that a person sent twice.
class SignalEcho {
 public:
  bool IsEcho(int signal, std::chrono::steady_clock::time_point at);

 private:
  int last_ = 0;
  std::chrono::steady_clock::time_point last_at_;
};

// SIGINT and SIGTERM as requests: the first asks to wrap up, the second to abandon, the third ends
// the process as if it were not caught. The same signal twice in one instant is one: `timeout`
// sends its signal to the process and to its group. They do not disturb the thread that made this
// nor those that it starts later, and count also if an older thread gets them. There is one
// Interrupts at a time; a signal that was ignored before stays so.
class Interrupts {
 public:
  // `on_interrupt` is called on a thread of its own with how many signals came.
  static Result<std::unique_ptr<Interrupts>> Watch(std::function<void(int count)> on_interrupt);
  ~Interrupts();

  std::stop_token wrap_up() const { return wrap_up_.get_token(); }
  std::stop_token abandon() const { return abandon_.get_token(); }

  // The same requests from elsewhere, without a call of `on_interrupt`. From any thread.
  void WrapUp() { wrap_up_.request_stop(); }
  void Abandon();

  void AwaitWrapUp() const;  // Blocks until it is requested.

 private:
  Interrupts(Descriptor end, std::function<void(int)> on_interrupt);
  void Listen();
  void Handle(int signal);

  Descriptor end_;  // An eventfd: the thread is to end.
  std::function<void(int)> on_interrupt_;
  std::stop_source wrap_up_;
  std::stop_source abandon_;
  std::array<struct sigaction, 2> before_{};  // What is put back.
  int count_ = 0;                             // Of the thread alone, as what follows.
  SignalEcho echo_;
  std::thread thread_;  // Last, so that what it uses is there.
};

}  // namespace hone::cli
