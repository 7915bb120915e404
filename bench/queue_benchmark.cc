// SPDX-License-Identifier: Apache-2.0
// What a task costs in a queue: pushed, taken, settled, awaited. Run it through bench/queue.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/descriptor.h"
#include "hone/base/temp_dir.h"
#include "hone/core/check.h"
#include "hone/eval/memory_queue.h"
#include "hone/eval/sqlite_queue.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

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

// Repeats `step`, each time for itself, and reports the median and the 95th percentile.
template <typename Step>
void Time(benchmark::State& state, Step step) {
  std::vector<double> micros;
  for (auto unused : state) {
    const auto start = std::chrono::steady_clock::now();
    step();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(elapsed.count());
    micros.push_back(elapsed.count() * 1e6);
  }
  std::sort(micros.begin(), micros.end());
  state.counters["p50_us"] = micros[micros.size() / 2];
  state.counters["p95_us"] = micros[micros.size() * 95 / 100];
  state.counters["per_second"] = benchmark::Counter(1e6 / micros[micros.size() / 2]);
}

void TimeCycles(benchmark::State& state, TaskQueue& queue) {
  const Task backlog = MakeTask("");
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    Task task = backlog;
    task.id = "backlog/" + std::to_string(i);
    task.priority = -1;
    HONE_CHECK(queue.Push(task).has_value());
  }
  int count = 0;
  Time(state, [&] {
    const Task task = MakeTask("task/" + std::to_string(count++));
    HONE_CHECK(queue.Push(task).has_value());
    const auto claim = queue.Take({}, 30s, 0s);
    HONE_CHECK(claim && *claim && (*claim)->task.id == task.id);
    HONE_CHECK(queue.Settle((*claim)->lease, MakeEvaluation(task)).has_value());
    HONE_CHECK(queue.Await(task.id, 0s)->has_value());
  });
}

void MemoryQueue(benchmark::State& state) {
  const auto queue = MakeMemoryQueue(SystemClock());
  TimeCycles(state, *queue);
}

Result<TempDir> Folder() { return TempDir::Make("queue-benchmark"); }

void SqliteQueue(benchmark::State& state) {
  const auto folder = Folder();
  const auto queue = MakeSqliteQueue(folder->path() / "hone.db", SystemClock());
  HONE_CHECK(queue.has_value());
  TimeCycles(state, **queue);
}

// What durability alone costs here: a page appended to a file, and on disk.
void PageToDisk(benchmark::State& state) {
  const auto folder = Folder();
  const Descriptor file(::open((folder->path() / "page").c_str(), O_CREAT | O_RDWR, 0600));
  const std::string page(4096, 'x');
  off_t offset = 0;
  Time(state, [&] {
    HONE_CHECK(::pwrite(file.get(), page.data(), page.size(), offset) > 0);
    HONE_CHECK(::fdatasync(file.get()) == 0);
    offset += static_cast<off_t>(page.size());
  });
}

BENCHMARK(MemoryQueue)->ArgName("waiting")->Arg(0)->Arg(1000)->UseManualTime();
BENCHMARK(SqliteQueue)->ArgName("waiting")->Arg(0)->Arg(1000)->UseManualTime();
BENCHMARK(PageToDisk)->UseManualTime();

}  // namespace
}  // namespace hone

BENCHMARK_MAIN();
