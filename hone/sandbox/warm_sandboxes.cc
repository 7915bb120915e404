// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/warm_sandboxes.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/log.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

bool HasEnded(const WarmSandbox& warm) {
  pollfd wait{warm.sandbox->pidfd(), POLLIN, 0};
  return ::poll(&wait, 1, 0) != 0;
}

// Why a program that should have been ready is not.
Error NotReady(WarmSandbox& warm, const std::string& name, std::string_view what) {
  warm.sandbox->Kill();
  const auto& result = warm.sandbox->Wait();
  if (!result) return result.error();
  constexpr std::size_t kMaxShown = 2000;
  const std::string errors = result->errors.substr(0, kMaxShown);
  return {Errc::kUnavailable, fmt::format("{}: {} before it was ready{}{}", name, what,
                                          errors.empty() ? "" : ": ", errors)};
}

// When it is woken by someone who took a spare, that one should go on first. What it starts is not
// affected.
void StepBack() {
  const sched_param none{};
  ::sched_setscheduler(0, SCHED_BATCH | SCHED_RESET_ON_FORK, &none);
}

class WarmOnes final : public WarmSandboxes {
 public:
  WarmOnes(int count, MakeWarmSandbox make)
      : count_(static_cast<std::size_t>(std::max(count, 0))),
        make_(std::move(make)),
        thread_([this](const std::stop_token& stop) { Replenish(stop); }) {}

  Result<WarmSandbox> Take(std::stop_token stop) override {
    {
      const std::lock_guard lock(mutex_);
      while (!ready_.empty()) {
        WarmSandbox warm = std::move(ready_.front());
        ready_.pop_front();
        wanted_.notify_all();
        if (!HasEnded(warm)) return warm;
      }
    }
    return make_(std::move(stop));
  }

  int Ready() override {
    const std::lock_guard lock(mutex_);
    std::erase_if(ready_, HasEnded);
    wanted_.notify_all();
    return static_cast<int>(ready_.size());
  }

  std::shared_ptr<void> Rest() override {
    std::unique_lock lock(mutex_);
    ++resting_;
    wanted_.wait_for(lock, kMaxRestWait, [this] { return !is_making_; });
    return {this, [](WarmOnes* ones) {
              const std::lock_guard end(ones->mutex_);
              --ones->resting_;
              ones->wanted_.notify_all();
            }};
  }

 private:
  bool IsOneWanted() const { return ready_.size() < count_ && resting_ == 0; }

  // Keeps the shelf full. When none can be made it says so and waits, longer each time, up to a
  // minute: whoever needs one learns the reason from Take.
  void Replenish(const std::stop_token& stop) {
    StepBack();
    milliseconds pause = kFirstPause;
    while (!stop.stop_requested()) {
      {
        std::unique_lock lock(mutex_);
        if (!wanted_.wait(lock, stop, [this] { return IsOneWanted(); })) return;
        is_making_ = true;
      }
      auto warm = make_(stop);
      std::unique_lock lock(mutex_);
      is_making_ = false;
      wanted_.notify_all();
      if (warm) {
        ready_.push_back(*std::move(warm));
        pause = kFirstPause;
        continue;
      }
      if (stop.stop_requested()) return;
      Log(LogLevel::kWarning, "no spare sandbox could be started: {}", warm.error().message);
      wanted_.wait_for(lock, stop, pause, [] { return false; });
      pause = std::min<milliseconds>(2 * pause, std::chrono::minutes{1});
    }
  }

  static constexpr milliseconds kFirstPause{100};
  static constexpr milliseconds kMaxRestWait{10'000};

  const std::size_t count_;
  const MakeWarmSandbox make_;
  std::mutex mutex_;
  std::condition_variable_any wanted_;
  std::deque<WarmSandbox> ready_;  // Protected by mutex_, as are the next two.
  bool is_making_ = false;
  int resting_ = 0;
  std::jthread thread_;  // Last: it uses all the others.
};

}  // namespace

Result<void> AwaitMessage(WarmSandbox& warm, const std::string& name, milliseconds wait_timeout,
                          const std::stop_token& stop) {
  const Descriptor stop_request(::eventfd(0, EFD_CLOEXEC));
  const std::stop_callback on_stop(stop, [&] { ::eventfd_write(stop_request.get(), 1); });
  std::array<pollfd, 3> waits{pollfd{warm.ours[0].get(), POLLIN, 0},
                              pollfd{warm.sandbox->pidfd(), POLLIN, 0},
                              pollfd{stop_request.get(), POLLIN, 0}};
  const auto max =
      static_cast<int>(std::clamp<std::int64_t>(wait_timeout.count(), 0, 1'000'000'000));
  int ready = 0;
  while ((ready = ::poll(waits.data(), waits.size(), max)) < 0 && errno == EINTR) {
  }
  if (waits[2].revents != 0) return NotReady(warm, name, "was stopped");
  if (ready == 0) return NotReady(warm, name, "said nothing for too long");
  char ignored = 0;
  if (::recv(warm.ours[0].get(), &ignored, sizeof ignored, MSG_DONTWAIT) <= 0) {
    return NotReady(warm, name, "ended");
  }
  return {};
}

MakeWarmSandbox ReadyOnFirstMessage(SandboxCommand command, milliseconds wait_timeout,
                                    bool is_silent) {
  return [command = std::move(command), wait_timeout,
          is_silent](const std::stop_token& stop) -> Result<WarmSandbox> {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      return ErrnoError("socket", errno);
    }
    WarmSandbox warm;
    warm.ours.emplace_back(ends[0]);
    const Descriptor theirs(ends[1]);
    SandboxCommand with_socket = command;
    with_socket.descriptors.insert(with_socket.descriptors.begin(), theirs.get());
    auto sandbox = RunningSandbox::Start(std::move(with_socket));
    if (!sandbox) return sandbox.error();
    warm.sandbox = *std::move(sandbox);
    if (is_silent) return warm;
    auto ready = AwaitMessage(warm, command.arguments[0], wait_timeout, stop);
    if (!ready) return ready.error();
    return warm;
  };
}

std::unique_ptr<WarmSandboxes> WarmSandboxes::Make(int count, MakeWarmSandbox make) {
  return std::make_unique<WarmOnes>(count, std::move(make));
}

}  // namespace hone
