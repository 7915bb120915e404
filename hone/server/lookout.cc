// SPDX-License-Identifier: Apache-2.0
#include "hone/server/lookout.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "hone/base/log.h"
#include "hone/server/event_stream.h"

namespace hone {
namespace {

// A costly look is taken less often: one part in ten of the time goes into looking.
constexpr int kRest = 9;
constexpr std::chrono::seconds kLongestRest{10};

}  // namespace

// Counts as somebody who watches for as long as it lives.
class Lookout::Watcher {
 public:
  Watcher(Lookout& lookout, std::stop_token stop) : gone(std::move(stop)), lookout_(lookout) {
    const std::lock_guard lock(lookout_.mutex_);
    const bool is_new = lookout_.looked_ + lookout_.pace_.least >= lookout_.clock_.Now();
    const bool is_known = lookout_.looks_ > 0 && (lookout_.watchers_ > 0 || is_new);
    first_look = lookout_.looks_ + (is_known ? 0 : 1);
    ++lookout_.watchers_;
    if (!is_known) lookout_.is_called_ = lookout_.has_newcomer_ = true;
    lookout_.changed_.notify_all();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() {
    const std::lock_guard lock(lookout_.mutex_);
    --lookout_.watchers_;
  }

  std::uint64_t first_look = 0;  // The one whose result is new enough to begin with.
  std::uint64_t edition = 0;     // Seen so far.
  const std::stop_token gone;

 private:
  Lookout& lookout_;
};

Lookout::Lookout(Clock& clock, Alarms& alarms, Post post, Look look, Tell tell, Pace pace)
    : clock_(clock),
      wakes_(alarms, std::move(post)),
      look_(std::move(look)),
      tell_(std::move(tell)),
      pace_(pace),
      thread_([this] { Run(); }) {}

Lookout::~Lookout() {
  Close();
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Lookout::Call() {
  const std::lock_guard lock(mutex_);
  if (is_called_ || watchers_ == 0) return;
  is_called_ = true;
  changed_.notify_all();
}

void Lookout::Close() { wakes_.Close(); }

std::size_t Lookout::watchers() const {
  const std::lock_guard lock(mutex_);
  return watchers_;
}

std::uint64_t Lookout::looks() const {
  const std::lock_guard lock(mutex_);
  return looks_;
}

Clock::Monotonic Lookout::NextLook() const {
  if (watchers_ == 0) return Clock::Monotonic::max();
  return is_called_ ? not_before_ : std::max(not_before_, looked_ + pace_.most);
}

void Lookout::Run() {
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

void Lookout::LookOnce(std::unique_lock<std::mutex>& lock) {
  is_called_ = false;
  lock.unlock();
  const Clock::Monotonic begin = clock_.Now();
  Result<Bulletin::Items> items = Error{Errc::kUnavailable, "the look failed"};
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
  not_before_ = end + std::max<Clock::Duration>(pace_.least, rest);
  has_failed_ = !items;
  ++looks_;
  bool is_news = std::exchange(has_newcomer_, false) || has_failed_;
  if (items) is_news = bulletin_.Replace(*items) || is_news;
  if (!is_news) return;
  lock.unlock();
  wakes_.CallAll();
  lock.lock();
}

std::optional<std::string> Lookout::Collect(Watcher& watcher) const {
  Bulletin::Changes changes;
  {
    const std::lock_guard lock(mutex_);
    if (looks_ < watcher.first_look) return std::string();
    if (has_failed_) return std::nullopt;
    changes = bulletin_.Since(watcher.edition);
  }
  watcher.edition = changes.edition;
  return changes.is_empty() ? std::string() : tell_(changes);
}

// The next events, or a comment if there was none for a while; nullopt at the end.
Async<std::optional<std::string>> Lookout::NextPiece(std::shared_ptr<Watcher> watcher) {
  const Clock::Monotonic until = clock_.Now() + kHeartbeat;
  while (true) {
    const auto ticket = wakes_.Enter();
    std::optional<std::string> text = Collect(*watcher);
    if (!text || !text->empty()) co_return text;
    const WakeReason reason = co_await ticket->Wait(until, watcher->gone);
    if (reason == WakeReason::kGone || reason == WakeReason::kClosing) co_return std::nullopt;
    if (reason == WakeReason::kTimeout) co_return std::string(kSignOfLife);
  }
}

HttpResponse Lookout::Watch(const HttpRequest& request) {
  auto watcher = std::make_shared<Watcher>(*this, request.gone);
  return StreamResponse([this, watcher = std::move(watcher)] { return NextPiece(watcher); });
}

}  // namespace hone
