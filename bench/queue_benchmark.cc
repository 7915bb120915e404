// SPDX-License-Identifier: Apache-2.0
// What a task costs in each queue. Run it through bench/queue, which judges what this prints:
// one JSON object a line.
//
//   queue_benchmark [--quick] [QUEUE…]
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/descriptor.h"
#include "hone/base/json.h"
#include "hone/base/temp_dir.h"
#include "hone/base/test_redis.h"
#include "hone/core/check.h"
#include "hone/eval/memory_queue.h"
#include "hone/eval/redis_queue.h"
#include "hone/eval/sqlite_queue.h"

namespace {
std::atomic<std::int64_t> syncs = 0;
}

// Every library's waits for the disk are counted on their way to the kernel.
extern "C" int fdatasync(int file) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}
extern "C" int fsync(int file) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace hone {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""h;
using Stopwatch = std::chrono::steady_clock;

struct QueueMaker {
  std::string name;
  std::function<std::unique_ptr<TaskQueue>(const std::filesystem::path& folder)> make;
};

// A Redis over loopback that writes its file once a second; a new one for each queue.
std::unique_ptr<TaskQueue> MakeRedis(const std::filesystem::path& folder) {
  static std::unique_ptr<TestRedis> redis;
  redis.reset();
  RedisSettings settings;
  settings.address.port = FreePort();
  redis = std::move(TestRedis::Start(folder, {"port", std::to_string(settings.address.port),
                                              "appendonly", "yes", "appendfsync", "everysec"})
                        .value());
  return std::move(MakeRedisQueue(settings, SystemClock()).value());
}

// A queue is added here, and in bench/queue with its bar.
std::vector<QueueMaker> Queues() {
  std::vector<QueueMaker> queues = {
      {"memory", [](const auto&) { return MakeMemoryQueue(SystemClock()); }},
      {"sqlite",
       [](const auto& folder) {
         return std::move(MakeSqliteQueue(folder / "hone.db", SystemClock()).value());
       }},
  };
  if (::access("/usr/bin/redis-server", X_OK) == 0) {
    queues.push_back({"redis", MakeRedis});
  } else {
    std::cerr << "redis is left out: there is no /usr/bin/redis-server\n";
  }
  return queues;
}

struct Sizes {
  int cycles = 300;
  int tasks = 6'000;    // Through producers and workers at the same time.
  int threads = 16;     // Of each.
  int waiters = 2'000;  // Threads that await a task each.
  std::vector<int> depths = {10, 1'000, 100'000};
};

// As long as that of a real campaign: 20 parameters, five pairs.
Task MakeTask(const TaskId& id) {
  Task task;
  task.id = id;
  task.domain = "toy";
  for (int i = 0; i < 20; ++i) task.candidate.assignment["parameter" + std::to_string(i)] = i / 7.0;
  task.baseline = task.candidate;
  for (int i = 0; i < 5; ++i) {
    task.order.insert(task.order.end(), {Arm::kBaseline, Arm::kCandidate});
  }
  return task;
}

Evaluation MakeEvaluation(const Task& task) {
  Evaluation evaluation;
  evaluation.task = task.id;
  for (const Arm arm : task.order) {
    Sample sample;
    sample.arm = arm;
    sample.metrics = {{"throughput", {1234.5, 1.5, 100}}, {"p99_ms", {17.25, 0.5, 100}}};
    for (int i = 0; i < 10; ++i) sample.observations["counter" + std::to_string(i)] = i / 3.0;
    evaluation.samples.push_back(sample);
  }
  evaluation.metrics = {{"throughput", "1/s", 1234.5, 1.5, 5}, {"p99_ms", "ms", 17.25, 0.5, 5}};
  return evaluation;
}

double SecondsOf(const std::function<void()>& work) {
  const auto start = Stopwatch::now();
  work();
  return std::chrono::duration<double>(Stopwatch::now() - start).count();
}

// Microseconds of each of `count` calls, sorted.
std::vector<double> TimeEach(int count, const std::function<void()>& step) {
  std::vector<double> micros;
  micros.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) micros.push_back(SecondsOf(step) * 1e6);
  std::sort(micros.begin(), micros.end());
  return micros;
}

void Print(const Json& row) { std::cout << Dump(row) << std::endl; }

void InThreads(int count, const std::function<void(int)>& work) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
}

void Settle(TaskQueue& queue, const Claim& claim) {
  HONE_CHECK(queue.Settle(claim.lease, MakeEvaluation(claim.task)).has_value());
}

// One client and one worker, one after the other: push, take, settle, await.
void TimeCycles(const std::string& name, TaskQueue& queue, const Sizes& sizes) {
  int count = 0;
  const std::int64_t before = syncs;
  const auto micros = TimeEach(sizes.cycles, [&] {
    const Task task = MakeTask("cycle/" + std::to_string(count++));
    HONE_CHECK(queue.Push(task).has_value());
    const auto claim = queue.Take({"w", {}}, 30s, 0s);
    HONE_CHECK(claim && *claim && (*claim)->task.id == task.id);
    Settle(queue, **claim);
    HONE_CHECK(queue.Await(task.id, 0s)->has_value());
  });
  Print({{"what", "cycle"},
         {"queue", name},
         {"p50_us", micros[micros.size() / 2]},
         {"p95_us", micros[micros.size() * 95 / 100]},
         {"syncs_a_task", static_cast<double>(syncs - before) / sizes.cycles}});
}

// Many producers and many workers at the same time. Tasks and evaluations are made before: what is
// timed is the queue.
void TimeThroughput(const std::string& name, TaskQueue& queue, const Sizes& sizes) {
  std::vector<Task> tasks;
  tasks.reserve(static_cast<std::size_t>(sizes.tasks));
  for (int i = 0; i < sizes.tasks; ++i) tasks.push_back(MakeTask("many/" + std::to_string(i)));
  const Evaluation pattern = MakeEvaluation(tasks.front());
  std::atomic<int> next = 0;
  std::atomic<int> settled = 0;
  std::stop_source done;
  const std::int64_t before = syncs;
  const double seconds = SecondsOf([&] {
    InThreads(2 * sizes.threads, [&](int thread) {
      if (thread % 2 == 0) {
        for (int i = next++; i < sizes.tasks; i = next++) {
          HONE_CHECK(queue.Push(tasks[static_cast<std::size_t>(i)]).has_value());
        }
        return;
      }
      Evaluation evaluation = pattern;
      while (!done.stop_requested()) {
        const auto claim = queue.Take({"w", {}}, 30s, 1h, done.get_token());
        HONE_CHECK(claim.has_value());
        if (!*claim) continue;
        evaluation.task = (*claim)->task.id;
        HONE_CHECK(queue.Settle((*claim)->lease, evaluation).has_value());
        if (++settled == sizes.tasks) done.request_stop();
      }
    });
  });
  Print({{"what", "throughput"},
         {"queue", name},
         {"threads", 2 * sizes.threads},
         {"tasks_a_second", sizes.tasks / seconds},
         {"operations_a_second", 3 * sizes.tasks / seconds},
         {"syncs_a_task", static_cast<double>(syncs - before) / sizes.tasks}});
}

// How long a take takes with more and more tasks in line.
void TimeTakes(const std::string& name, TaskQueue& queue, const Sizes& sizes) {
  int filled = 0;
  for (const int depth : sizes.depths) {
    std::atomic<int> next = filled;
    InThreads(64, [&](int) {
      for (int i = next++; i < depth; i = next++) {
        HONE_CHECK(queue.Push(MakeTask("deep/" + std::to_string(i))).has_value());
      }
    });
    filled = depth;
    Claim claim;
    std::vector<double> micros;
    for (int i = 0; i < sizes.cycles; ++i) {
      micros.push_back(1e6 * SecondsOf([&] { claim = **queue.Take({"w", {}}, 1h, 0s); }));
      HONE_CHECK(queue.Release(claim.lease).has_value());
    }
    std::sort(micros.begin(), micros.end());
    Print({{"what", "take"},
           {"queue", name},
           {"depth", depth},
           {"p50_us", micros[micros.size() / 2]}});
  }
}

// From push to the waking of the one who awaits it, with ever more workers and waiters that the
// task does not concern: whoever is called for nothing costs time here.
void TimeCrowd(const std::string& name, TaskQueue& queue, const Sizes& sizes, int workers,
               int waiters) {
  std::stop_source done;
  std::vector<std::jthread> crowd;
  crowd.reserve(static_cast<std::size_t>(workers + waiters));
  for (int i = 0; i < workers; ++i) {
    crowd.emplace_back([&] {
      while (!done.stop_requested()) {
        const auto claim = queue.Take({"w", {}}, 30s, 1h, done.get_token());
        HONE_CHECK(claim.has_value());
        if (*claim) Settle(queue, **claim);
      }
    });
  }
  Task open = MakeTask("");
  open.needs.names = {"what nobody has"};
  for (int i = 0; i < waiters; ++i) {
    open.id = name + "/open/" + std::to_string(i);
    HONE_CHECK(queue.Push(open).has_value());
    crowd.emplace_back([&queue, &done, id = open.id] {
      HONE_CHECK(queue.Await(id, 1h, done.get_token()).has_value());
    });
  }
  std::this_thread::sleep_for(1s);  // All of them wait now.
  int count = 0;
  const auto micros = TimeEach(sizes.cycles, [&] {
    const TaskId id = "crowd/" + std::to_string(workers + waiters) + "/" + std::to_string(count++);
    HONE_CHECK(queue.Push(MakeTask(id)).has_value());
    HONE_CHECK(queue.Await(id, 1h)->has_value());
  });
  done.request_stop();
  crowd.clear();
  Print({{"what", "crowd"},
         {"queue", name},
         {"workers", workers},
         {"waiters", waiters},
         {"p50_us", micros[micros.size() / 2]}});
}

// What durability alone costs here: a page appended to a file, and on disk.
void TimeDisk(const std::filesystem::path& folder, const Sizes& sizes) {
  const Descriptor file(::open((folder / "page").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  const std::string page(4096, 'x');
  off_t offset = 0;
  const auto micros = TimeEach(sizes.cycles, [&] {
    HONE_CHECK(::pwrite(file.get(), page.data(), page.size(), offset) > 0);
    HONE_CHECK(::fdatasync(file.get()) == 0);
    offset += static_cast<off_t>(page.size());
  });
  Print({{"what", "disk"}, {"queue", "none"}, {"p50_us", micros[micros.size() / 2]}});
}

void Measure(const QueueMaker& maker, const Sizes& sizes) {
  const auto with_queue = [&](const std::function<void(TaskQueue&)>& measure) {
    const auto folder = TempDir::Make("queue-benchmark");
    HONE_CHECK(folder.has_value());
    const auto queue = maker.make(folder->path());
    measure(*queue);
  };
  with_queue([&](TaskQueue& queue) { TimeCycles(maker.name, queue, sizes); });
  with_queue([&](TaskQueue& queue) { TimeThroughput(maker.name, queue, sizes); });
  with_queue([&](TaskQueue& queue) { TimeTakes(maker.name, queue, sizes); });
  with_queue([&](TaskQueue& queue) { TimeCrowd(maker.name, queue, sizes, 1, 0); });
  with_queue(
      [&](TaskQueue& queue) { TimeCrowd(maker.name, queue, sizes, sizes.threads, sizes.waiters); });
}

int Main(std::vector<std::string> arguments) {
  Sizes sizes;
  if (const auto quick = std::find(arguments.begin(), arguments.end(), "--quick");
      quick != arguments.end()) {
    arguments.erase(quick);
    sizes.cycles = 60;
    sizes.tasks = 1'500;
    sizes.waiters = 200;
    sizes.depths = {10, 1'000, 10'000};
  }
  const auto folder = TempDir::Make("queue-benchmark");
  HONE_CHECK(folder.has_value());
  TimeDisk(folder->path(), sizes);
  for (const QueueMaker& maker : Queues()) {
    const bool is_named =
        std::find(arguments.begin(), arguments.end(), maker.name) != arguments.end();
    if (arguments.empty() || is_named) Measure(maker, sizes);
  }
  return 0;
}

}  // namespace
}  // namespace hone

int main(int count, char** arguments) { return hone::Main({arguments + 1, arguments + count}); }
