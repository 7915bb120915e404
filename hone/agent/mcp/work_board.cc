// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/work_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "hone/base/fresh_number.h"

namespace hone::agent {
namespace {

constexpr std::chrono::milliseconds kMinPause{200};  // Between two calls of one watcher.

std::string FreshHandle() { return fmt::format("w-{:016x}{:016x}", FreshNumber(), FreshNumber()); }

Error NoSuchWork(const std::string& handle) {
  return {Errc::kNotFound, fmt::format("{}: no such handle, or it was forgotten: only the latest "
                                       "results of this server's life are kept",
                                       handle.substr(0, 80))};
}

}  // namespace

std::string_view NameOf(WorkState state) {
  switch (state) {
    case WorkState::kWaiting:
      return "waiting";
    case WorkState::kRunning:
      return "running";
    case WorkState::kDone:
      return "done";
    case WorkState::kFailed:
      return "failed";
    case WorkState::kStopped:
      return "stopped";
  }
  return "";
}

struct WorkBoard::Work {
  WorkView view;  // Protected by mutex_, as what follows.
  std::uint64_t version = 1;
  std::thread thread;
  bool is_thread_over = false;  // It only returns now.

  // Constant.
  Use use;
  ToolCaller caller;
  std::stop_source wrap_up;
  std::stop_source abandon;
};

WorkBoard::WorkBoard(Limits limits, Clock& clock)
    : limits_(limits), clock_(clock), dispatcher_([this] { Dispatch(); }) {}

WorkBoard::~WorkBoard() {
  std::list<std::shared_ptr<Work>> works;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    works = works_;
  }
  changed_.notify_all();
  dispatcher_.join();
  for (const auto& work : works) {
    work->wrap_up.request_stop();
    work->abandon.request_stop();
  }
  for (const auto& work : works) {
    if (work->thread.joinable()) work->thread.join();
  }
}

Result<WorkBoard::Watch> WorkBoard::Start(std::string tool, Use use, ToolCaller caller,
                                          Deadline until, Watcher watcher) {
  const std::lock_guard lock(mutex_);
  const auto waiting =
      static_cast<std::size_t>(std::count_if(works_.begin(), works_.end(), [](const auto& work) {
        return work->view.state == WorkState::kWaiting;
      }));
  if (is_ending_ || waiting >= limits_.waiting) {
    return Error{
        Errc::kUnavailable,
        fmt::format("{}: {} calls wait already; try again when some have ended", tool, waiting)};
  }
  auto work = std::make_shared<Work>();
  work->view.handle = FreshHandle();
  work->view.tool = std::move(tool);
  work->view.created = work->view.updated = clock_.Wall();
  work->use = std::move(use);
  work->caller = std::move(caller);
  works_.push_back(work);
  watching_.push_back({++watches_, work, until, std::move(watcher), work->version, {}});
  has_news_ = true;
  changed_.notify_all();
  return Watch{work->view.handle, watches_};
}

Result<WorkBoard::Watch> WorkBoard::Follow(const std::string& handle, const ToolCaller& caller,
                                           Deadline until, Watcher watcher) {
  const std::lock_guard lock(mutex_);
  auto work = Find(handle, caller);
  if (work == nullptr) return NoSuchWork(handle);
  watching_.push_back({++watches_, work, until, std::move(watcher), work->version, {}});
  has_news_ = true;
  changed_.notify_all();
  return Watch{handle, watches_};
}

Result<WorkView> WorkBoard::Look(const std::string& handle, const ToolCaller& caller) const {
  const std::lock_guard lock(mutex_);
  const auto work = Find(handle, caller);
  if (work == nullptr) return NoSuchWork(handle);
  return work->view;
}

void WorkBoard::Unwatch(const Watch& watch) {
  const std::lock_guard lock(mutex_);
  std::erase_if(watching_, [&](const Watching& one) { return one.number == watch.number; });
}

Result<void> WorkBoard::Stop(const std::string& handle, const ToolCaller& caller, bool now) {
  std::shared_ptr<Work> work;
  {
    const std::lock_guard lock(mutex_);
    work = Find(handle, caller);
    if (work == nullptr) return NoSuchWork(handle);
    if (work->view.state == WorkState::kWaiting) {
      work->view.state = WorkState::kStopped;
      work->view.updated = clock_.Wall();
      ++work->version;
    }
    has_news_ = true;
  }
  changed_.notify_all();
  work->wrap_up.request_stop();
  if (now) work->abandon.request_stop();
  return {};
}

std::vector<WorkView> WorkBoard::List(const ToolCaller& caller) const {
  const std::lock_guard lock(mutex_);
  std::vector<WorkView> views;
  for (auto work = works_.rbegin(); work != works_.rend(); ++work) {
    if (caller.Sees((*work)->caller)) views.push_back((*work)->view);
  }
  return views;
}

std::shared_ptr<WorkBoard::Work> WorkBoard::Find(const std::string& handle,
                                                 const ToolCaller& caller) const {
  const auto found = std::find_if(works_.begin(), works_.end(), [&](const auto& work) {
    return work->view.handle == handle && caller.Sees(work->caller);
  });
  return found == works_.end() ? nullptr : *found;
}

void WorkBoard::Run(const std::shared_ptr<Work>& work) {
  const auto note = [&](const std::function<void(WorkView&)>& change) {
    {
      const std::lock_guard lock(mutex_);
      change(work->view);
      work->view.updated = clock_.Wall();
      ++work->version;
      has_news_ = true;
    }
    changed_.notify_all();
  };
  ToolRun run{work->wrap_up.get_token(), work->abandon.get_token(), nullptr, work->caller};
  run.tell = [&note](std::string status) {
    note([&status](WorkView& view) { view.status = std::move(status); });
  };
  Result<ToolAnswer> answer = Error{Errc::kUnavailable, "it did not come to an end"};
  try {
    answer = work->use(run);
  } catch (const std::exception& problem) {
    answer = Error{Errc::kUnavailable, fmt::format("unexpected: {}", problem.what())};
  }
  note([&](WorkView& view) {
    if (answer) {
      view.state = WorkState::kDone;
      view.answer = std::make_shared<const ToolAnswer>(std::move(*answer));
    } else if (work->wrap_up.stop_requested()) {
      view.state = WorkState::kStopped;
      view.status = answer.error().message;
    } else {
      view.state = WorkState::kFailed;
      view.error = answer.error();
    }
    work->is_thread_over = true;
  });
}

void WorkBoard::StartWaiting() {
  auto running =
      static_cast<std::size_t>(std::count_if(works_.begin(), works_.end(), [](const auto& work) {
        return work->view.state == WorkState::kRunning;
      }));
  for (const auto& work : works_) {
    if (running >= limits_.running) return;
    if (work->view.state != WorkState::kWaiting) continue;
    work->view.state = WorkState::kRunning;
    ++work->version;
    work->thread = std::thread([this, work] { Run(work); });
    ++running;
  }
}

void WorkBoard::Tidy() {
  std::size_t ended = 0;
  for (auto work = works_.end(); work != works_.begin();) {
    --work;
    if (!(*work)->view.HasEnded()) continue;
    if ((*work)->is_thread_over && (*work)->thread.joinable()) (*work)->thread.join();
    const bool is_watched =
        std::any_of(watching_.begin(), watching_.end(),
                    [&](const Watching& watching) { return watching.work == *work; });
    if (++ended > limits_.kept && !is_watched && !(*work)->thread.joinable()) {
      work = works_.erase(work);
    }
  }
}

std::vector<WorkBoard::Due> WorkBoard::CollectDue(Clock::Monotonic now) {
  std::vector<Due> due;
  std::vector<Watching> left;
  for (Watching& watching : watching_) {
    const Work& work = *watching.work;
    const bool is_last = work.view.HasEnded() || (watching.until && *watching.until <= now);
    if (is_last) {
      due.push_back({std::move(watching.watcher), work.view, true});
      continue;
    }
    if (watching.seen != work.version && watching.not_before <= now) {
      watching.seen = work.version;
      watching.not_before = now + kMinPause;
      due.push_back({watching.watcher, work.view, false});
    }
    left.push_back(std::move(watching));
  }
  watching_ = std::move(left);
  return due;
}

WorkBoard::Deadline WorkBoard::NextCall() const {
  Deadline next;
  const auto consider = [&next](Clock::Monotonic time) {
    next = next ? std::min(*next, time) : time;
  };
  for (const Watching& watching : watching_) {
    if (watching.until) consider(*watching.until);
    if (watching.seen != watching.work->version) consider(watching.not_before);
  }
  return next;
}

void WorkBoard::Dispatch() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    has_news_ = false;
    StartWaiting();
    const std::vector<Due> due = CollectDue(clock_.Now());
    Tidy();
    if (!due.empty()) {
      lock.unlock();
      for (const Due& one : due) one.watcher(one.view, one.is_last);
      lock.lock();
      continue;
    }
    const Deadline next = NextCall();
    while (!is_ending_ && !has_news_ && (!next || clock_.Now() < *next)) {
      if (next) {
        clock_.WaitUntil(changed_, lock, *next);
      } else {
        changed_.wait(lock);
      }
    }
  }
}

}  // namespace hone::agent
