// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/server/http/async.h"
#include "hone/server/live/task_waiters.h"
#include "hone/server/service/asker.h"
#include "hone/server/service/open_tasks.h"
#include "hone/server/service/pulse.h"
#include "hone/server/service/stats.h"

namespace hone::server {

struct OfferedOption {
  std::string name;
  std::string default_value;
  std::string description;
};

// A domain as the API shows it. The server knows none by itself.
struct OfferedDomain {
  std::string name;
  std::string summary;
  std::vector<OfferedOption> options;
  bool needs_admin = false;  // Its tasks change the worker's machine, or name files of it.

  // What a worker must have for a task with these options; an Error says what is wrong with them.
  std::function<Result<Capabilities>(const Options& options)> needs;

  // In what a verdict under these options would not be the one that a name in them stands for, a
  // sentence each. Empty: in nothing.
  std::function<std::vector<std::string>(const Options& options)> deviations = {};
};

struct ServiceSettings {
  std::string version = {};
  std::chrono::milliseconds max_queued{3'600'000};  // Waiting for a worker, before a task expires.
  std::vector<OfferedDomain> domains = {};
  bool allows_deviations = false;  // From problems by name, on the asker's word; verdicts say so.

  // Of KernelGYM's requests.
  std::map<std::string, std::string> backends = {};  // That are judged as another one.
  std::vector<std::string> expected_backends =
      {};                         // Without a worker for one of these, /health says so.
  bool refuses_unserved = false;  // What no worker could take now, instead of letting it wait.
  std::string tolerance = "reference";  // Where a request says none.
};

// What all handlers of the API work with. Its calls block as the queue's do; waiting does not.
// Safe for concurrent use.
class Service {
 public:
  // What is passed by reference outlives it.
  Service(TaskQueue& queue, Clock& clock, TaskWaiters& waiters, Stats& stats, OpenTasks& open,
          ServiceSettings settings);

  TaskQueue& queue() { return queue_; }
  Clock& clock() { return clock_; }
  TaskWaiters& waiters() { return waiters_; }
  Stats& stats() { return stats_; }
  Pulse& pulse() { return pulse_; }
  ServiceHistory& history() { return stats_.history(); }
  const ServiceSettings& settings() const { return settings_; }

  const OfferedDomain* FindDomain(const std::string& name) const;

  // What a worker must have for the task; kInvalidArgument if its options are wrong, or would make
  // the verdict another one than the problem's own where that is not allowed.
  Result<Capabilities> Check(const OfferedDomain& domain, const Options& options) const;

  // Pushes the task as this asker's. The same request again, whatever its seed, priority and
  // deadline, finds the task that it made before: false. kConflict: another request has this id, or
  // another submitter's. With `is_fresh` a settled task of this id is forgotten and runs again.
  Result<bool> Submit(Task task, bool is_fresh, const Asker& asker);

  // Submits a task that can be seen to be wrong without running it, and settles it as rejected:
  // whoever looks for it, at any server of this queue, finds the reason.
  Result<void> Reject(Task task, const std::string& reason, bool is_fresh, const Asker& asker);

  // The queue's Look. A task that this server had put into it and that it has lost is put into it
  // again. kUnsupported: it is not this asker's.
  Result<TaskView> Look(const TaskId& task, const Asker& asker);

  // Like Look, but waits until the task is settled, the client is gone, the server closes, or
  // `until` comes. What is not this asker's is only told at the end.
  Async<Result<TaskView>> Wait(TaskId task, Clock::Monotonic until, std::stop_token gone,
                               Asker asker);

  // Settles the task as cancelled; one that is settled stays so. Errors as those of Look.
  Result<void> Cancel(const TaskId& task, const Asker& asker);

  // One sentence if no worker that is known now could take the task.
  Result<std::string> ExplainNoWorker(const Task& task);

 private:
  Result<void> ForgetSettled(const TaskId& task, const Asker& asker);
  bool OfferAgain(const TaskId& task, const Error& error);

  TaskQueue& queue_;
  Clock& clock_;
  TaskWaiters& waiters_;
  Stats& stats_;
  const ServiceSettings settings_;
  Pulse pulse_;
  OpenTasks& open_;  // Whoever hears of settled tasks takes them out.

  std::mutex mutex_;
  std::vector<WorkerCard> workers_;  // As they were seen last. Protected by mutex_.
  Clock::Monotonic workers_seen_;    // Likewise.
};

// True if the two ask for the same thing, for the same submitter. How soon it is wanted, by
// priority and deadline, and the seed are not part of it.
bool IsSameRequest(const Task& known, const Task& task);

}  // namespace hone::server
