// SPDX-License-Identifier: Apache-2.0
#include "hone/server/environments/environment_board.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/base/log.h"
#include "hone/server/service/v1_request.h"

namespace hone::server {
namespace {

constexpr std::size_t kMaxDeparted = 1000;

Error Unknown(std::chrono::milliseconds idle_timeout) {
  return {Errc::kNotFound,
          fmt::format("environment: this token has none of this id. They are in the memory of one "
                      "server: a restart ends them, and {} s without a request; make another one",
                      std::chrono::duration<double>(idle_timeout).count())};
}

// kUnsupported would say that it is the token's fault.
Error NotMade(const Error& error) {
  const bool is_machine = error.code == Errc::kUnsupported;
  return {is_machine ? Errc::kInvalidArgument : error.code, error.message};
}

}  // namespace

EnvironmentBoard::EnvironmentBoard(EnvironmentSettings settings, Service& service,
                                   TimerQueue& timers, Post post)
    : settings_(std::move(settings)), service_(service), timers_(timers), post_(std::move(post)) {}

Result<EnvironmentBoard::Visit> EnvironmentBoard::Open(EnvironmentRequest request,
                                                       const Asker& asker) {
  auto needs = CheckRequest(request, asker);
  if (!needs) return needs.error();
  request.needs = std::move(*needs);
  auto domain = settings_.make(request.domain, request.settings.options);
  if (!domain) return NotMade(domain.error());
  auto id = NewName("environment");
  if (!id) return id.error();
  auto environment = std::make_shared<LiveEnvironment>(
      LiveEnvironment::Identity{std::move(*id), asker.submitter, service_.clock().Wall()},
      std::move(request), std::move(*domain));
  auto task = environment->Open();
  if (!task) return task.error();
  auto visit = Admit(environment);
  if (!visit) return visit.error();
  if (auto pushed = Push(*environment, std::move(*task), asker); !pushed) {
    Remove(*environment, pushed.error().message);
    return pushed.error();
  }
  return visit;
}

// Before anything is made, or read of this machine, for nothing.
Result<Capabilities> EnvironmentBoard::CheckRequest(const EnvironmentRequest& request,
                                                    const Asker& asker) const {
  if (auto may = CheckConsent(request); !may) return may.error();
  {
    const std::lock_guard lock(mutex_);
    if (auto room = CheckRoom(asker.submitter); !room) return room.error();
  }
  auto needs = service_.Check(*service_.FindDomain(request.domain), request.settings.options);
  if (needs) return needs;
  return Error{Errc::kInvalidArgument, needs.error().message};
}

// What reaches beyond the sandbox is read here and done by this host's workers: both take the
// consent of whoever started them.
Result<void> EnvironmentBoard::CheckConsent(const EnvironmentRequest& request) const {
  if (!request.needs_admin || settings_.serves.contains(request.owner)) return {};
  return Error{Errc::kUnsupported,
               fmt::format("domain {}: it changes the machine or names files of it, and its "
                           "parameters are read where the server runs; that takes a `hone serve` "
                           "with workers that was started --for the owner",
                           request.domain)};
}

Result<void> EnvironmentBoard::CheckRoom(const std::string& submitter) const {
  if (is_closed_) {
    return Error{Errc::kUnavailable, "the server is shutting down; ask again later"};
  }
  if (seats_.size() >= settings_.max) {
    return Error{Errc::kUnavailable,
                 fmt::format("environment: the server has {} open, as many as it takes "
                             "(hone serve --environments)",
                             seats_.size())};
  }
  const auto own = std::ranges::count_if(seats_, [&](const auto& seat) {
    return seat.second.environment->identity().submitter == submitter;
  });
  if (static_cast<std::size_t>(own) < settings_.max_per_token) return {};
  return Error{
      Errc::kConflict,
      fmt::format("environment: this token has {} open, as many as it may; DELETE one", own)};
}

Result<EnvironmentBoard::Visit> EnvironmentBoard::Admit(
    std::shared_ptr<LiveEnvironment> environment) {
  const std::lock_guard lock(mutex_);
  if (auto room = CheckRoom(environment->identity().submitter); !room) return room.error();
  seats_[environment->identity().id] = {environment, 1, service_.clock().Now()};
  return Visit(*this, std::move(environment));
}

Result<EnvironmentBoard::Visit> EnvironmentBoard::Find(const std::string& id, const Asker& asker) {
  const std::lock_guard lock(mutex_);
  const auto seat = seats_.find(id);
  if (seat != seats_.end() && seat->second.environment->identity().submitter == asker.submitter) {
    ++seat->second.visits;
    return Visit(*this, seat->second.environment);
  }
  const auto departed = std::ranges::find_if(departed_, [&](const Departed& one) {
    return one.id == id && one.submitter == asker.submitter;
  });
  if (departed == departed_.end()) return Unknown(settings_.idle_timeout);
  return Error{Errc::kNotFound, "environment: it was closed: " + departed->reason};
}

std::vector<std::shared_ptr<LiveEnvironment>> EnvironmentBoard::List(const Asker& asker) {
  std::vector<std::shared_ptr<LiveEnvironment>> own;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, seat] : seats_) {
    if (seat.environment->identity().submitter == asker.submitter) own.push_back(seat.environment);
  }
  return own;
}

Result<void> EnvironmentBoard::Push(LiveEnvironment& environment, Task task, const Asker& asker) {
  const auto runs = static_cast<std::int64_t>(task.order.size());
  task.deadline =
      service_.clock().Wall() + task.run_timeout * runs + service_.settings().max_queued;
  const TaskId id = task.id;
  if (auto pushed = service_.Submit(std::move(task), false, asker); !pushed) {
    environment.Fail(id, pushed.error());
    return pushed.error();
  }
  if (environment.NotePushed(id)) return {};
  return service_.queue().Cancel(id);  // It was closed meanwhile.
}

Async<Result<void>> EnvironmentBoard::Await(LiveEnvironment& environment, TaskId task,
                                            Clock::Monotonic until, std::stop_token gone,
                                            Asker asker) {
  if (environment.AwaitedTask() != task) co_return Result<void>();
  const Result<TaskView> view = co_await service_.Wait(task, until, std::move(gone), asker);
  if (!view && view.error().code != Errc::kNotFound) co_return view.error();
  if (!view) {
    environment.Fail(task, {Errc::kUnavailable, "environment: the queue lost its task"});
  } else if (view->settlement) {
    environment.Conclude(task, *view->settlement);
  }
  co_return Result<void>();
}

void EnvironmentBoard::Remove(LiveEnvironment& environment, const std::string& reason) {
  const LiveEnvironment::Identity& identity = environment.identity();
  {
    const std::lock_guard lock(mutex_);
    seats_.erase(identity.id);
    departed_.push_back({identity.id, identity.submitter, reason});
    if (departed_.size() > kMaxDeparted) departed_.pop_front();
  }
  LogEvent(LogLevel::kDebug, "environment closed",
           {{"environment", identity.id}, {"reason", reason}});
  const auto awaited = environment.Close();
  if (!awaited) return;
  if (const auto cancelled = service_.queue().Cancel(*awaited); !cancelled) {
    Log(LogLevel::kWarning, "environment {}: {}", identity.id, cancelled.error().message);
  }
}

void EnvironmentBoard::Close() {
  std::map<std::string, Seat> seats;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    if (timer_) timers_.Clear(*timer_);
    seats.swap(seats_);
  }
  bool is_there = true;  // A queue that hangs is not waited for once more for each.
  for (const auto& [id, seat] : seats) {
    const auto awaited = seat.environment->Close();
    if (awaited && is_there) is_there = service_.queue().Cancel(*awaited).has_value();
  }
}

std::size_t EnvironmentBoard::size() const {
  const std::lock_guard lock(mutex_);
  return seats_.size();
}

void EnvironmentBoard::Leave(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto seat = seats_.find(id);
  if (seat == seats_.end()) return;
  --seat->second.visits;
  seat->second.left = service_.clock().Now();
  if (!timer_) Arm();
}

// For the one that is idle first, as it looks now.
void EnvironmentBoard::Arm() {
  timer_.reset();
  if (is_closed_) return;
  std::optional<Clock::Monotonic> first;
  for (const auto& [id, seat] : seats_) {
    if (seat.visits == 0) first = std::min(first.value_or(seat.left), seat.left);
  }
  if (first) timer_ = timers_.Set(*first + settings_.idle_timeout, [this] { Ring(); });
}

// In the thread of the timers: what may block is for the pool, which is there until this is closed.
void EnvironmentBoard::Ring() {
  const std::lock_guard lock(mutex_);
  if (!is_closed_) post_([this] { RemoveIdle(); });
}

void EnvironmentBoard::RemoveIdle() {
  const std::string reason =
      fmt::format("no request came for {} s; make another one",
                  std::chrono::duration<double>(settings_.idle_timeout).count());
  for (const auto& environment : TakeIdle()) Remove(*environment, reason);
}

std::vector<std::shared_ptr<LiveEnvironment>> EnvironmentBoard::TakeIdle() {
  std::vector<std::shared_ptr<LiveEnvironment>> idle;
  const std::lock_guard lock(mutex_);
  const Clock::Monotonic latest = service_.clock().Now() - settings_.idle_timeout;
  std::erase_if(seats_, [&](const auto& entry) {
    const Seat& seat = entry.second;
    const bool is_idle = seat.visits == 0 && seat.left <= latest;
    if (is_idle) idle.push_back(seat.environment);
    return is_idle;
  });
  Arm();
  return idle;
}

}  // namespace hone::server
