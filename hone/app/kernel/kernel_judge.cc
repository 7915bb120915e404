// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kernel/kernel_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <utility>

#include "hone/app/service/service_parts.h"
#include "hone/base/fresh_number.h"
#include "hone/base/log.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/server/service/v1_records.h"

namespace hone::app {
namespace {

// In the queue and the compiler, besides the run itself.
constexpr std::chrono::seconds kMaxJudging{900};
constexpr std::chrono::seconds kKept{600};  // What is settled.

}  // namespace

Result<TaskQueue*> KernelJudge::Open(const Task& task) {
  const std::lock_guard lock(mutex_);
  if (!workers_) {
    WorkerChoice choice;
    choice.workers = max_workers_;
    auto settings = WorkerOptions(choice, clock_, [](const Error& error) {
      Log(LogLevel::kError, "a worker ended: {}", error.message);
    });
    if (!settings) return settings.error();
    has_ = settings->worker.has;
    queue_ = MakeMemoryQueue(clock_);
    workers_ =
        std::make_unique<WorkerPool>(*queue_, clock_, builtins_.domains, std::move(*settings));
  }
  if (has_.Cover(task.needs)) return queue_.get();
  const auto named = task.options.find("problem");
  return Error{
      Errc::kUnsupported,
      fmt::format("{}: it needs {}; hone doctor says what is missing here",
                  named != task.options.end() ? "problem " + named->second : "the given problem",
                  fmt::join(task.needs.names, ", "))};
}

TaskId KernelJudge::Begin(TaskQueue& queue, TaskId id) {
  const std::lock_guard lock(mutex_);
  if (id.empty() || judged_.contains(id) || queue.Look(id))
    id = fmt::format("judge-{:016x}", FreshNumber());
  judged_.insert(id);
  return id;
}

void KernelJudge::End(const TaskId& id) {
  const std::lock_guard lock(mutex_);
  judged_.erase(id);
}

Result<Json> KernelJudge::Judge(Task task, const std::stop_token& stop) {
  auto queue = Open(task);
  if (!queue) return queue.error();
  task.id = Begin(**queue, std::move(task.id));
  auto judged = Await(**queue, task, stop);
  End(task.id);
  return judged;
}

Result<Json> KernelJudge::Await(TaskQueue& queue, const Task& task, const std::stop_token& stop) {
  if (auto pushed = queue.Push(task); !pushed) return pushed.error();
  const auto end = queue.Await(task.id, task.run_timeout + kMaxJudging, stop);
  if (!end || !*end) static_cast<void>(queue.Cancel(task.id));
  auto view = queue.Look(task.id);
  // Not those of now: others have yet to look at theirs.
  static_cast<void>(queue.ForgetSettledBefore(clock_.Wall() - kKept, 100));
  if (!end) return end.error();
  if (!*end) return Error{Errc::kUnavailable, "stopped before the verdict"};
  if (!view) return view.error();
  return server::TaskJson(*view);
}

}  // namespace hone::app
