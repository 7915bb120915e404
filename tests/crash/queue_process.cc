// SPDX-License-Identifier: Apache-2.0
// A process that uses a SQLite queue until it is killed:
//
//   queue_process push FILE ID      pushes one task
//   queue_process hold FILE         takes one task for a minute and keeps it
//   queue_process work FILE         takes and settles tasks
//   queue_process churn FILE SEED   does everything, in an order that the seed decides
//
// Each line on standard output, "pushed ID", "taken ID" or "settled ID", says what had returned
// successfully before it was written.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>

#include "hone/base/clock.h"
#include "hone/core/rng.h"
#include "hone/eval/sqlite/sqlite_queue.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

// One write, so that a kill cannot tear the line.
void Say(const std::string& word, const TaskId& id) {
  const std::string line = word + " " + id + "\n";
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::exit(3);
}

void Demand(const Result<void>& done) {
  if (done) return;
  std::cerr << done.error().message << "\n";
  std::exit(3);
}

void Push(TaskQueue& queue, const TaskId& id) {
  Task task;
  task.id = id;
  task.order = {Arm::kCandidate};
  Demand(queue.Push(task));
  Say("pushed", id);
}

Claim Take(TaskQueue& queue, TaskQueue::Duration lease_duration, TaskQueue::Duration wait_timeout) {
  const Result<std::optional<Claim>> claim = queue.Take({}, lease_duration, wait_timeout);
  if (!claim) Demand(claim.error());
  if (!*claim) return {};
  Say("taken", (*claim)->task.id);
  return **claim;
}

void Settle(TaskQueue& queue, const Claim& claim) {
  Evaluation evaluation;
  evaluation.task = claim.task.id;
  evaluation.provenance.generation = claim.lease.generation;
  Demand(queue.Settle(claim.lease, evaluation));
  Say("settled", claim.task.id);
}

void Work(TaskQueue& queue) {
  while (true) Settle(queue, Take(queue, 1min, 24h));
}

void Churn(TaskQueue& queue, const std::string& seed) {
  Rng rng(std::stoull(seed));
  for (int i = 0;; ++i) {
    Push(queue, seed + "/" + std::to_string(i));
    if (rng.Below(8) == 0) Demand(queue.Cancel(seed + "/" + std::to_string(i)));
    const Claim claim = Take(queue, 1min, 0s);
    if (claim.task.id.empty()) continue;
    switch (rng.Below(8)) {
      case 0:
        Demand(queue.Return(claim.lease, "a fault"));
        break;
      case 1:
        Demand(queue.Release(claim.lease));
        break;
      case 2:
        break;  // Forgotten: the lease will run out.
      default:
        Demand(queue.Renew(claim.lease, 1min));
        Settle(queue, claim);
    }
  }
}

int Main(int count, char** arguments) {
  if (count < 3) return 2;
  const std::string verb = arguments[1];
  const std::string last = arguments[count - 1];
  const auto queue = MakeSqliteQueue(arguments[2], SystemClock());
  if (!queue) Demand(queue.error());
  if (verb == "push") {
    Push(**queue, last);
  } else if (verb == "hold") {
    Take(**queue, 1min, 0s);
    ::pause();
  } else if (verb == "work") {
    Work(**queue);
  } else if (verb == "churn") {
    Churn(**queue, last);
  }
  return 0;
}

}  // namespace
}  // namespace hone

int main(int count, char** arguments) { return hone::Main(count, arguments); }
