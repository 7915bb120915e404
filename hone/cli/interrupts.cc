// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/interrupts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "hone/base/errno_error.h"

namespace hone {
namespace {

sigset_t Watched() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Result<std::unique_ptr<Interrupts>> Interrupts::Watch(std::function<void(int count)> on_interrupt) {
  const sigset_t watched = Watched();
  Descriptor signals(::signalfd(-1, &watched, SFD_CLOEXEC));
  if (!signals.is_open()) return ErrnoError("signalfd", errno);
  Descriptor end(::eventfd(0, EFD_CLOEXEC));
  if (!end.is_open()) return ErrnoError("eventfd", errno);
  ::pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  return std::unique_ptr<Interrupts>(
      new Interrupts(std::move(signals), std::move(end), std::move(on_interrupt)));
}

Interrupts::Interrupts(Descriptor signals, Descriptor end, std::function<void(int)> on_interrupt)
    : signals_(std::move(signals)),
      end_(std::move(end)),
      on_interrupt_(std::move(on_interrupt)),
      thread_([this] { Listen(); }) {}

Interrupts::~Interrupts() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(end_.get(), &one, sizeof one);
  thread_.join();
  const sigset_t watched = Watched();
  ::pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);
}

void Interrupts::Abandon() {
  wrap_up_.request_stop();
  abandon_.request_stop();
}

void Interrupts::AwaitWrapUp() const {
  std::mutex mutex;
  std::condition_variable_any asked;
  std::unique_lock lock(mutex);
  asked.wait(lock, wrap_up(), [] { return false; });
}

void Interrupts::Listen() {
  std::array<pollfd, 2> both{{{signals_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}}};
  while (true) {
    if (::poll(both.data(), both.size(), -1) < 0 && errno != EINTR) return;
    if (both[1].revents != 0) return;
    signalfd_siginfo caught{};
    if (both[0].revents == 0 || ::read(signals_.get(), &caught, sizeof caught) <= 0) continue;
    Handle(static_cast<int>(caught.ssi_signo));
  }
}

void Interrupts::Handle(int signal) {
  ++count_;
  if (count_ > 2) {
    const sigset_t watched = Watched();
    ::signal(signal, SIG_DFL);
    ::pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);
    ::raise(signal);
  }
  on_interrupt_(count_);
  (count_ == 1 ? wrap_up_ : abandon_).request_stop();
}

}  // namespace hone
