// SPDX-License-Identifier: Apache-2.0
// A client or a worker of a queue, to be killed at any moment by queue_storm_test:
//
//   queue_storm_process produce QUEUE ADDRESS LOG FIRST COUNT   pushes tasks, then awaits each
//   queue_storm_process work QUEUE ADDRESS LOG NAME SEED        takes and settles until killed
//
// LOG gets a line for whatever had returned successfully before: "pushed ID", "answered ID WORKER",
// "settled ID WORKER".
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/core/rng.h"
#include "tests/crash/named_queue.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

constexpr TaskQueue::Duration kLeaseDuration = 500ms;

[[noreturn]] void Fail(const Error& error) {
  std::cerr << error.message << "\n";
  std::exit(3);
}

// Does it again as long as the queue is merely unavailable.
template <typename Operation>
auto Insist(Operation operation) -> decltype(operation()) {
  while (true) {
    auto done = operation();
    if (done) return done;
    if (done.error().code != Errc::kUnavailable) Fail(done.error());
    std::this_thread::sleep_for(10ms);
  }
}

class Process {
 public:
  Process(TaskQueue& queue, const std::string& log)
      : queue_(queue), log_(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}

  void Produce(int first, int count) {
    for (int i = first; i < first + count; ++i) {
      Task task;
      task.id = "t" + std::to_string(i);
      task.order = {Arm::kCandidate};
      task.priority = i % 3;
      task.max_attempts = 1'000'000;
      if (auto pushed = Insist([&] { return queue_.Push(task); }); !pushed) return;
      Say("pushed " + task.id);
    }
    for (int i = first; i < first + count; ++i) Await("t" + std::to_string(i));
  }

  void Work(const std::string& name, std::uint64_t seed) {
    Rng rng(seed);
    while (true) {
      const auto claim = *Insist([&] { return queue_.Take({name, {}}, kLeaseDuration, 24h); });
      if (!claim) continue;
      std::this_thread::sleep_for(std::chrono::microseconds(rng.Below(3'000)));
      switch (rng.Below(40)) {
        case 0:
          Expect(queue_.Return(claim->lease, "a fault"));
          break;
        case 1:
          Expect(queue_.Release(claim->lease));
          break;
        case 2:  // Comes back from the dead, and may only find that it lost.
          std::this_thread::sleep_for(kLeaseDuration * 2);
          Settle(name, claim->lease);
          break;
        case 3:
          Expect(queue_.Renew(claim->lease, kLeaseDuration));
          [[fallthrough]];
        default:
          Settle(name, claim->lease);
      }
    }
  }

 private:
  void Settle(const std::string& name, const Lease& lease) {
    Evaluation evaluation;
    evaluation.task = lease.task;
    evaluation.provenance.worker = name;
    evaluation.provenance.generation = lease.generation;
    const auto settled = queue_.Settle(lease, evaluation);
    if (settled) Say("settled " + lease.task + " " + name);
    Expect(settled);
  }

  void Await(const TaskId& id) {
    while (true) {
      const auto settled = *Insist([&] { return queue_.Await(id, 24h); });
      if (!settled) continue;
      const auto* evaluation = std::get_if<Evaluation>(&settled->end);
      if (evaluation == nullptr) Fail({Errc::kCorrupt, id + " was dropped"});
      return Say("answered " + id + " " + evaluation->provenance.worker);
    }
  }

  // A lease may be lost in all this, and a queue may be away; nothing else may happen.
  static void Expect(const Result<void>& done) {
    const bool is_fine =
        done || done.error().code == Errc::kStale || done.error().code == Errc::kUnavailable;
    if (!is_fine) Fail(done.error());
  }

  // One write, so that a kill cannot tear the line.
  void Say(std::string line) {
    line += "\n";
    if (::write(log_.get(), line.data(), line.size()) < 0) std::exit(4);
  }

  TaskQueue& queue_;
  Descriptor log_;
};

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() != 6) return 2;
  const auto queue = OpenNamedQueue(arguments[1], arguments[2]);
  if (!queue) {
    std::cerr << queue.error().message << "\n";
    return 3;
  }
  Process process(**queue, arguments[3]);
  if (arguments[0] == "produce") process.Produce(std::stoi(arguments[4]), std::stoi(arguments[5]));
  if (arguments[0] == "work") process.Work(arguments[4], std::stoull(arguments[5]));
  return 0;
}

}  // namespace
}  // namespace hone

int main(int count, char** arguments) { return hone::Main({arguments + 1, arguments + count}); }
