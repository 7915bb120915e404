// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "hone/base/fresh_number.h"
#include "hone/base/log.h"
#include "hone/base/sha256.h"
#include "hone/eval/worker/explain_no_worker.h"

namespace hone::server {
namespace {

constexpr std::chrono::seconds kWorkersStayKnown{1};
constexpr std::chrono::seconds kRejectLease{30};
constexpr std::chrono::milliseconds kNoWait{0};

Error TakenId(const TaskId& task) {
  return {Errc::kConflict,
          fmt::format("task {}: it was submitted with another token; choose another id", task)};
}

}  // namespace

bool IsSameRequest(const Task& known, const Task& task) {
  Task as_known = task;
  as_known.seed = known.seed;
  as_known.priority = known.priority;
  as_known.deadline = known.deadline;
  return as_known == known;
}

Service::Service(TaskQueue& queue, Clock& clock, TaskWaiters& waiters, Stats& stats,
                 OpenTasks& open, ServiceSettings settings)
    : queue_(queue),
      clock_(clock),
      waiters_(waiters),
      stats_(stats),
      settings_(std::move(settings)),
      pulse_(queue),
      open_(open) {}

const OfferedDomain* Service::FindDomain(const std::string& name) const {
  const auto found = std::find_if(settings_.domains.begin(), settings_.domains.end(),
                                  [&](const OfferedDomain& domain) { return domain.name == name; });
  return found == settings_.domains.end() ? nullptr : &*found;
}

Result<Capabilities> Service::Check(const OfferedDomain& domain, const Options& options) const {
  auto needs = domain.needs(options);
  if (!needs || settings_.allows_deviations || !domain.deviations) return needs;
  const std::vector<std::string> deviations = domain.deviations(options);
  if (deviations.empty()) return needs;
  return Error{Errc::kInvalidArgument,
               fmt::format("options: {}: what is judged by name is judged as it says; leave that "
                           "out, or send a problem of your own (an operator can allow it with "
                           "hone serve --allow-deviations)",
                           fmt::join(deviations, "; "))};
}

// What is not settled runs now, which is as fresh as can be.
Result<void> Service::ForgetSettled(const TaskId& task, const Asker& asker) {
  const auto known = queue_.Look(task);
  if (!known && known.error().code == Errc::kNotFound) return {};
  if (!known) return known.error();
  if (known->task.submitter != asker.submitter) return TakenId(task);
  if (known->state != TaskState::kSettled) return {};
  auto forgotten = queue_.Forget(task);
  const bool is_fine = forgotten || forgotten.error().code == Errc::kNotFound ||
                       forgotten.error().code == Errc::kStale;
  return is_fine ? Result<void>() : forgotten;
}

Result<bool> Service::Submit(Task task, bool is_fresh, const Asker& asker) {
  task.submitter = asker.submitter;
  if (is_fresh) {
    if (auto forgotten = ForgetSettled(task.id, asker); !forgotten) return forgotten.error();
  }
  auto pushed = queue_.Push(task);
  if (pushed) {
    open_.Add(task);
    stats_.CountSubmission(true);
    history().NoteSubmitted(task.id);
    LogEvent(LogLevel::kDebug, "submitted",
             {{"task", task.id}, {"domain", task.domain}, {"priority", task.priority}});
    return true;
  }
  if (pushed.error().code != Errc::kConflict) return pushed.error();
  const auto known = queue_.Look(task.id);
  if (!known) return known.error();
  if (known->task.submitter != asker.submitter) return TakenId(task.id);
  if (!IsSameRequest(known->task, task)) return pushed.error();
  if (known->state != TaskState::kSettled) open_.Add(known->task);
  stats_.CountSubmission(false);
  return false;
}

Result<void> Service::Reject(Task task, const std::string& reason, bool is_fresh,
                             const Asker& asker) {
  // An owner that no worker serves, so that nobody else takes it; and of this id alone, so that a
  // client who chooses ids does not get hold of another one's.
  task.owner = "rejected-" + Sha256Of(task.id);
  if (const auto submitted = Submit(task, is_fresh, asker); !submitted) return submitted.error();
  const WorkerIdentity self{"hone serve", task.needs, {task.owner}};
  const auto claim = queue_.Take(self, kRejectLease, kNoWait);
  if (!claim) return claim.error();
  if (!*claim) return {};  // The same request was rejected before.
  Evaluation evaluation;
  evaluation.task = task.id;
  evaluation.outcome = Outcome::kRejected;
  evaluation.reason = reason;
  evaluation.provenance.worker = self.name;
  evaluation.provenance.version = settings_.version;
  evaluation.provenance.started = evaluation.provenance.finished = clock_.Wall();
  return queue_.Settle((*claim)->lease, evaluation);
}

bool Service::OfferAgain(const TaskId& task, const Error& error) {
  if (error.code != Errc::kNotFound) return false;
  const std::optional<Task> lost = open_.Find(task);
  if (!lost || !queue_.Push(*lost)) return false;
  LogEvent(LogLevel::kWarning, "offered again", {{"task", task}, {"reason", "the queue lost it"}});
  return true;
}

Result<TaskView> Service::Look(const TaskId& task, const Asker& asker) {
  Result<TaskView> view = queue_.Look(task);
  if (!view && OfferAgain(task, view.error())) view = queue_.Look(task);
  if (!view || asker.Sees(view->task.submitter)) return view;
  return Error{Errc::kUnsupported,
               fmt::format("task {}: it was submitted with another token; to read or cancel it "
                           "takes that one, or one of the role admin",
                           task)};
}

Result<void> Service::Cancel(const TaskId& task, const Asker& asker) {
  const auto view = Look(task, asker);
  if (!view) return view.error();
  return queue_.Cancel(task);
}

Async<Result<TaskView>> Service::Wait(TaskId task, Clock::Monotonic until, std::stop_token gone,
                                      Asker asker) {
  if (until <= clock_.Now()) co_return Look(task, asker);
  auto waiter = waiters_.Register(task);
  // Await is cheaper than Look for a task that waits: nobody asks how many are ahead.
  const auto before = queue_.Await(task, kNoWait);
  if (!before && !OfferAgain(task, before.error())) co_return before.error();
  const bool is_settled = before && *before;
  while (!is_settled && until > clock_.Now()) {
    const WakeReason woken = co_await waiter->Wait(until, gone);
    if (woken == WakeReason::kClosing) {
      co_return Error{Errc::kUnavailable, "the server is shutting down; ask again later"};
    }
    if (woken != WakeReason::kCall) break;
    waiter = waiters_.Register(task);
    auto view = Look(task, asker);
    if (!view || view->state == TaskState::kSettled) co_return view;
    // The call was for the end of an earlier task of this id, which was asked for anew.
  }
  co_return Look(task, asker);
}

Result<std::string> Service::ExplainNoWorker(const Task& task) {
  {
    const std::lock_guard lock(mutex_);
    const bool is_new = clock_.Now() - workers_seen_ < kWorkersStayKnown;
    if (is_new && hone::ExplainNoWorker(task, workers_).empty()) return std::string();
  }
  auto workers = queue_.Workers();
  if (!workers) return workers.error();
  const std::lock_guard lock(mutex_);
  workers_ = std::move(*workers);
  workers_seen_ = clock_.Now();
  return hone::ExplainNoWorker(task, workers_);
}

}  // namespace hone::server
