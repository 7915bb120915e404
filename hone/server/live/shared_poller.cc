// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/shared_poller.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "hone/base/log.h"
#include "hone/server/http/event_stream.h"

namespace hone::server {
namespace {

// A costly look is taken less often: one part in ten of the time goes into looking.
constexpr int kRest = 9;
constexpr std::chrono::seconds kLongestRest{10};

}  // namespace

// Counts as somebody who watches for as long as it lives.
class SharedPoller::Watcher {
 public:
  Watcher(SharedPoller& poller, std::stop_token stop, Show shown)
      : gone(std::move(stop)), show(std::move(shown)), poller_(poller) {
    const std::lock_guard lock(poller_.mutex_);
    const bool is_new = poller_.looked_ + poller_.poll_interval_.min >= poller_.clock_.Now();
    const bool is_known = poller_.looks_ > 0 && (poller_.watchers_ > 0 || is_new);
    first_look = poller_.looks_ + (is_known ? 0 : 1);
    ++poller_.watchers_;
    if (!is_known) poller_.is_called_ = poller_.has_newcomer_ = true;
    poller_.changed_.notify_all();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() {
    const std::lock_guard lock(poller_.mutex_);
    --poller_.watchers_;
  }

  std::uint64_t first_look = 0;  // The one whose result is new enough to begin with.
  std::uint64_t version = 0;     // Seen so far.
  const std::stop_token gone;
  const Show show;

 private:
  SharedPoller& poller_;
};

SharedPoller::SharedPoller(Clock& clock, TimerQueue& timers, Post post, Look look, Tell tell,
                           PollInterval poll_interval)
    : clock_(clock),
      wakes_(timers, std::move(post)),
      look_(std::move(look)),
      tell_(std::move(tell)),
      poll_interval_(poll_interval),
      thread_([this] { Run(); }) {}

SharedPoller::~SharedPoller() {
  Close();
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void SharedPoller::Call() {
  const std::lock_guard lock(mutex_);
  if (is_called_ || watchers_ == 0) return;
  is_called_ = true;
  changed_.notify_all();
}

void SharedPoller::Close() { wakes_.Close(); }

std::size_t SharedPoller::watchers() const {
  const std::lock_guard lock(mutex_);
  return watchers_;
}

std::uint64_t SharedPoller::looks() const {
  const std::lock_guard lock(mutex_);
  return looks_;
}

Clock::Monotonic SharedPoller::NextLook() const {
  if (watchers_ == 0) return Clock::Monotonic::max();
  return is_called_ ? not_before_ : std::max(not_before_, looked_ + poll_interval_.max);
}

void SharedPoller::Run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    const Clock::Monotonic next = NextLook();
    if (next > clock_.Now()) {
      clock_.WaitUntil(changed_, lock, next);
    } else {
      LookOnce(lock);
    }
  }
}

void SharedPoller::LookOnce(std::unique_lock<std::mutex>& lock) {
  is_called_ = false;
  lock.unlock();
  const Clock::Monotonic begin = clock_.Now();
  Result<VersionedMap::Items> items = Error{Errc::kUnavailable, "the look failed"};
  try {
    items = look_();
  } catch (const std::exception& exception) {
    items = Error{Errc::kUnavailable, exception.what()};
  }
  const Clock::Monotonic end = clock_.Now();
  if (!items) Log(LogLevel::kDebug, "a look for those who watch: {}", items.error().message);
  lock.lock();
  const Clock::Duration rest = std::min<Clock::Duration>(kRest * (end - begin), kLongestRest);
  looked_ = end;
  not_before_ = end + std::max<Clock::Duration>(poll_interval_.min, rest);
  has_failed_ = !items;
  ++looks_;
  bool is_news = std::exchange(has_newcomer_, false) || has_failed_;
  if (items) is_news = versions_.Replace(*items) || is_news;
  if (!is_news) return;
  lock.unlock();
  wakes_.Call();
  lock.lock();
}

std::optional<std::string> SharedPoller::Collect(Watcher& watcher) const {
  VersionedMap::Changes changes;
  {
    const std::lock_guard lock(mutex_);
    if (looks_ < watcher.first_look) return std::string();
    if (has_failed_) return std::nullopt;
    changes = versions_.Since(watcher.version);
  }
  watcher.version = changes.version;
  if (watcher.show) changes = watcher.show(changes);
  return changes.is_empty() ? std::string() : tell_(changes);
}

// The next events, or a comment if there was none for a while; nullopt at the end.
Async<std::optional<std::string>> SharedPoller::NextPiece(std::shared_ptr<Watcher> watcher) {
  const Clock::Monotonic until = clock_.Now() + kHeartbeat;
  while (true) {
    const auto waiter = wakes_.Register();
    std::optional<std::string> text = Collect(*watcher);
    if (!text || !text->empty()) co_return text;
    const WakeReason reason = co_await waiter->Wait(until, watcher->gone);
    if (reason == WakeReason::kGone || reason == WakeReason::kClosing) co_return std::nullopt;
    if (reason == WakeReason::kTimeout) co_return std::string(kSignOfLife);
  }
}

HttpResponse SharedPoller::Watch(const HttpRequest& request, Show show) {
  auto watcher = std::make_shared<Watcher>(*this, request.gone, std::move(show));
  return StreamResponse([this, watcher = std::move(watcher)] { return NextPiece(watcher); });
}

}  // namespace hone::server
