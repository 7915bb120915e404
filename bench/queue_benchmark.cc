// SPDX-License-Identifier: Apache-2.0
// What a task costs in each queue. Run it through bench/queue, which judges what this prints:
// one JSON object a line.
//
//   queue_benchmark [--quick] [--only PART] [QUEUE…]
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "bench/bench_queues.h"
#include "hone/base/clock.h"
#include "hone/base/descriptor.h"
#include "hone/base/json/json.h"
#include "hone/base/temp_dir.h"
#include "hone/core/check.h"

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

struct Sizes {
  int cycles = 300;
  int tasks = 6'000;    // Through producers and workers at the same time.
  int threads = 16;     // Of each.
  int waiters = 2'000;  // Threads that await a task each.
  int kept = 20'000;    // Tasks between two looks at the memory.
  std::vector<int> depths = {10, 1'000, 100'000};
};

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
  HONE_CHECK(queue.Settle(claim.lease, BenchEvaluation(claim.task)).has_value());
}

// One client and one worker, one after the other: push, take, settle, await.
void TimeCycles(const std::string& name, BenchQueue& bench, const Sizes& sizes) {
  TaskQueue& queue = *bench;
  int count = 0;
  const std::int64_t before = syncs;
  const auto micros = TimeEach(sizes.cycles, [&] {
    const Task task = BenchTask("cycle/" + std::to_string(count++));
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
void TimeThroughput(const std::string& name, BenchQueue& bench, const Sizes& sizes) {
  TaskQueue& queue = *bench;
  std::vector<Task> tasks;
  tasks.reserve(static_cast<std::size_t>(sizes.tasks));
  for (int i = 0; i < sizes.tasks; ++i) tasks.push_back(BenchTask("many/" + std::to_string(i)));
  const Evaluation pattern = BenchEvaluation(tasks.front());
  std::atomic<int> next = 0;
  std::atomic<int> settled = 0;
  std::stop_source done;
  const std::int64_t before = syncs;
  const double cpu = CpuMicroseconds();
  const auto used = bench.Used();
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
  const auto use = bench.Used();
  Print({{"what", "throughput"},
         {"queue", name},
         {"cpu_us_a_task", (CpuMicroseconds() - cpu) / sizes.tasks},
         {"server_cpu_us_a_task", (use.server_cpu_us - used.server_cpu_us) / sizes.tasks},
         {"calls_a_task", static_cast<double>(use.calls - used.calls) / sizes.tasks},
         {"threads", 2 * sizes.threads},
         {"tasks_a_second", sizes.tasks / seconds},
         {"operations_a_second", 3 * sizes.tasks / seconds},
         {"syncs_a_task", static_cast<double>(syncs - before) / sizes.tasks}});
}

// How long a take takes with more and more tasks in line.
void TimeTakes(const std::string& name, BenchQueue& bench, const Sizes& sizes) {
  TaskQueue& queue = *bench;
  int filled = 0;
  for (const int depth : sizes.depths) {
    std::atomic<int> next = filled;
    InThreads(64, [&](int) {
      for (int i = next++; i < depth; i = next++) {
        HONE_CHECK(queue.Push(BenchTask("deep/" + std::to_string(i))).has_value());
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

// Returns when every other thread sleeps: when time passes and this process uses none of it.
void AwaitStillness() {
  constexpr std::chrono::milliseconds kSlice{20};
  constexpr double kMaxBusy = 0.05;
  double busy = 1;
  while (busy > kMaxBusy) {
    const double cpu = CpuMicroseconds();
    const double seconds = SecondsOf([&] { std::this_thread::sleep_for(kSlice); });
    busy = (CpuMicroseconds() - cpu) / (1e6 * seconds);
  }
}

// From push to the waking of the one who awaits it, with ever more workers and waiters that the
// task does not concern: whoever is called for nothing costs time here.
void TimeCrowd(const std::string& name, BenchQueue& bench, const Sizes& sizes, int workers,
               int waiters) {
  TaskQueue& queue = *bench;
  std::stop_source done;
  std::vector<std::jthread> crowd;
  crowd.reserve(static_cast<std::size_t>(workers) + static_cast<std::size_t>(waiters));
  for (int i = 0; i < workers; ++i) {
    crowd.emplace_back([&] {
      while (!done.stop_requested()) {
        const auto claim = queue.Take({"w", {}}, 30s, 1h, done.get_token());
        HONE_CHECK(claim.has_value());
        if (*claim) Settle(queue, **claim);
      }
    });
  }
  Task open = BenchTask("");
  open.needs.names = {"what nobody has"};
  for (int i = 0; i < waiters; ++i) {
    open.id = name + "/open/" + std::to_string(i);
    HONE_CHECK(queue.Push(open).has_value());
    crowd.emplace_back([&queue, &done, id = open.id] {
      HONE_CHECK(queue.Await(id, 1h, done.get_token()).has_value());
    });
  }
  AwaitStillness();
  int count = 0;
  const auto micros = TimeEach(sizes.cycles, [&] {
    const TaskId id = "crowd/" + std::to_string(workers + waiters) + "/" + std::to_string(count++);
    HONE_CHECK(queue.Push(BenchTask(id)).has_value());
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

void PrintMemory(const std::string& name, const BenchQueue& bench, int tasks) {
  const auto use = bench.Used();
  Print({{"what", "memory"},
         {"queue", name},
         {"tasks", tasks},
         {"resident_bytes", ResidentBytes()},
         {"server_bytes", use.server_bytes},
         {"file_bytes", use.file_bytes}});
}

// Memory while tasks come and go and all but the last thousand or two are forgotten.
void WatchMemory(const std::string& name, BenchQueue& bench, const Sizes& sizes) {
  constexpr int kLooks = 5;
  constexpr int kStep = 1'000;
  TaskQueue& queue = *bench;
  std::atomic<int> pushed = 0;
  std::atomic<int> settled = 0;
  InThreads(sizes.threads, [&](int) {
    for (int i = pushed++; i < kLooks * sizes.kept; i = pushed++) {
      HONE_CHECK(queue.Push(BenchTask("memory/" + std::to_string(i))).has_value());
      const auto claim = queue.Take({"w", {}}, 30s, 1h);
      HONE_CHECK(claim && *claim);
      Settle(queue, **claim);
      const int count = ++settled;
      if (count % kStep == 0 && count > kStep) {
        HONE_CHECK(queue.ForgetSettledBefore(SystemClock().Wall() + 1h, kStep).has_value());
      }
      if (count % sizes.kept == 0) PrintMemory(name, bench, count);
    }
  });
}

// Each on a queue of its own.
void Measure(const std::string& name, const Sizes& sizes, const std::string& only) {
  const auto part = [&](const std::string& what, const std::function<void(BenchQueue&)>& measure) {
    if (!only.empty() && what != only) return;
    const auto folder = TempDir::Make("queue-benchmark");
    HONE_CHECK(folder.has_value());
    BenchQueue bench(name, folder->path());
    measure(bench);
  };
  part("cycle", [&](BenchQueue& bench) { TimeCycles(name, bench, sizes); });
  part("throughput", [&](BenchQueue& bench) { TimeThroughput(name, bench, sizes); });
  part("take", [&](BenchQueue& bench) { TimeTakes(name, bench, sizes); });
  part("crowd", [&](BenchQueue& bench) { TimeCrowd(name, bench, sizes, 1, 0); });
  part("crowd",
       [&](BenchQueue& bench) { TimeCrowd(name, bench, sizes, sizes.threads, sizes.waiters); });
  part("memory", [&](BenchQueue& bench) { WatchMemory(name, bench, sizes); });
}

int Main(std::vector<std::string> arguments) {
  Sizes sizes;
  if (const auto quick = std::find(arguments.begin(), arguments.end(), "--quick");
      quick != arguments.end()) {
    arguments.erase(quick);
    sizes.cycles = 60;
    sizes.tasks = 1'500;
    sizes.waiters = 200;
    sizes.kept = 1'000;
    sizes.depths = {10, 1'000, 10'000};
  }
  std::string only;
  if (const auto flag = std::find(arguments.begin(), arguments.end(), "--only");
      flag != arguments.end() && flag + 1 != arguments.end()) {
    only = *(flag + 1);
    arguments.erase(flag, flag + 2);
  }
  const auto folder = TempDir::Make("queue-benchmark");
  HONE_CHECK(folder.has_value());
  TimeDisk(folder->path(), sizes);
  for (const std::string& name : BenchQueue::Names()) {
    const bool is_named = std::find(arguments.begin(), arguments.end(), name) != arguments.end();
    if (arguments.empty() || is_named) Measure(name, sizes, only);
  }
  return 0;
}

}  // namespace
}  // namespace hone

int main(int count, char** arguments) { return hone::Main({arguments + 1, arguments + count}); }
