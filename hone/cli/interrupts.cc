// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/interrupts.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <utility>

#include "hone/base/clock.h"
#include "hone/base/errno_error.h"

namespace hone::cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

// Nobody asks twice within this time.
constexpr std::chrono::milliseconds kOneInstant{50};

// What the handler tells the thread; a pipe takes it whole.
struct Caught {
  int signal = 0;
  std::chrono::steady_clock::time_point at;
};

// From the handler to the thread. Never closed: a handler may still run when the thread has ended.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  int fault = 0;

  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) fault = errno;
  }
};

Pipe& OurPipe() {
  static Pipe pipe;
  return pipe;
}

sigset_t Watched() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : kSignals) ::sigaddset(&set, signal);
  return set;
}

int pipe_end = -1;  // For the handler, which may not ask for OurPipe.

void Catch(int signal) {
  const int number = errno;
  const Caught caught{signal, std::chrono::steady_clock::now()};
  [[maybe_unused]] const auto written = ::write(pipe_end, &caught, sizeof caught);
  errno = number;
}

}  // namespace

bool SignalEcho::IsEcho(int signal, std::chrono::steady_clock::time_point at) {
  const bool is_echo = signal == last_ && at - last_at_ < kOneInstant;
  last_ = signal;
  last_at_ = at;
  return is_echo;
}

Result<std::unique_ptr<Interrupts>> Interrupts::Watch(std::function<void(int count)> on_interrupt) {
  const Pipe& pipe = OurPipe();
  if (pipe.fault != 0) return ErrnoError("pipe", pipe.fault);
  pipe_end = pipe.ends[1];
  Descriptor end(::eventfd(0, EFD_CLOEXEC));
  if (!end.is_open()) return ErrnoError("eventfd", errno);
  return std::unique_ptr<Interrupts>(new Interrupts(std::move(end), std::move(on_interrupt)));
}

Interrupts::Interrupts(Descriptor end, std::function<void(int)> on_interrupt)
    : end_(std::move(end)), on_interrupt_(std::move(on_interrupt)) {
  Caught old;  // Signals from before are not ours.
  while (::read(OurPipe().ends[0], &old, sizeof old) > 0) {
  }
  struct sigaction action {};
  action.sa_handler = Catch;
  action.sa_flags = SA_RESTART;
  action.sa_mask = Watched();  // One after the other, so that they are told in their order.
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
  thread_ = std::thread([this] { Listen(); });
  const sigset_t watched = Watched();
  ::pthread_sigmask(SIG_BLOCK, &watched, nullptr);
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(end_.get(), &one, sizeof one);
  thread_.join();
  const sigset_t watched = Watched();
  ::pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);
}

// Who wraps up sees that it need not conclude.
void Interrupts::Abandon() {
  abandon_.request_stop();
  wrap_up_.request_stop();
}

void Interrupts::AwaitWrapUp() const { AwaitStop(wrap_up()); }

void Interrupts::Listen() {
  const sigset_t watched = Watched();
  ::pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);
  std::array<pollfd, 2> both{{{OurPipe().ends[0], POLLIN, 0}, {end_.get(), POLLIN, 0}}};
  while (true) {
    if (::poll(both.data(), both.size(), -1) < 0 && errno != EINTR) return;
    if (both[1].revents != 0) return;
    Caught caught;
    if (both[0].revents == 0 || ::read(both[0].fd, &caught, sizeof caught) <= 0) continue;
    if (!echo_.IsEcho(caught.signal, caught.at)) Handle(caught.signal);
  }
}

void Interrupts::Handle(int signal) {
  ++count_;
  if (count_ > 2) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  on_interrupt_(count_);
  (count_ == 1 ? wrap_up_ : abandon_).request_stop();
}

}  // namespace hone::cli
