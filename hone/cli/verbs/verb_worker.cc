// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <ostream>

#include "hone/app/service/service_parts.h"
#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/log.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/service_flags.h"

namespace hone::cli {
namespace {

struct WorkerArguments {
  app::QueueChoice queue;
  app::WorkerChoice worker_options;
  LogChoice log;
};

// Blocks until the process is interrupted or the last worker has ended.
void AwaitStopOrEnd(const std::stop_token& stop, const std::stop_token& ended) {
  std::mutex mutex;
  std::condition_variable_any changed;
  const std::stop_callback rouse(ended, [&] {
    const std::lock_guard lock(mutex);
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, stop, [&] { return ended.stop_requested(); });
}

Result<ExitCode> Work(Shell& shell, WorkerArguments& arguments) {
  UseLog(shell, arguments.log);
  if (arguments.queue.kind == "memory") {
    return Error{Errc::kInvalidArgument,
                 "--queue: a queue in memory belongs to one process; use sqlite or redis"};
  }
  if (auto made = MakeFolder(shell.store.parent_path()); !made) return made.error();
  auto interrupts = Interrupts::Watch([&shell](int) {
    shell.console.err << "hone worker: stopping; what it holds is given back\n";
  });
  if (!interrupts) return interrupts.error();
  auto queue = app::OpenServiceQueue(shell.builtins, shell.store, shell.clock, arguments.queue);
  if (!queue) return queue.error();
  std::stop_source ended;
  std::atomic<std::size_t> left = 0;
  auto settings =
      app::WorkerOptions(arguments.worker_options, shell.clock, [&](const Error& error) {
        Log(LogLevel::kError, "a worker ended: {}", error.message);
        if (--left == 0) ended.request_stop();
      });
  if (!settings) return settings.error();
  left = settings->workers;
  if (!shell.is_quiet) {
    shell.console.err << fmt::format("hone worker: {} · queue: {} · {} {} ({})\n",
                                     settings->worker.name, queue->name, settings->workers,
                                     settings->workers == 1 ? "worker" : "workers",
                                     fmt::join(settings->worker.has.names, ", "));
  }
  if (shell.wants_json) {
    shell.console.out << Dump({{"name", settings->worker.name}, {"workers", settings->workers}})
                      << '\n';
    shell.console.out.flush();
  }
  WorkerPool worker_options(*queue->queue, shell.clock, shell.builtins.domains,
                            std::move(*settings));
  AwaitStopOrEnd((*interrupts)->wrap_up(), ended.get_token());
  if (auto stopped = worker_options.Stop(); !stopped) return stopped.error();
  return ExitCode::kYes;
}

}  // namespace

Verb MakeWorkerVerb() {
  const auto arguments = std::make_shared<WorkerArguments>();
  Verb verb;
  verb.name = "worker";
  verb.summary = "evaluates tasks of a service, on this or another machine";
  verb.description =
      "Takes tasks from the queue of `hone serve` and evaluates what this machine can: C++\n"
      "if it has a compiler, PyTorch if it has that, each in a sandbox. With --redis the\n"
      "server may be another machine; without, it is the one of this store.\n"
      "\n"
      "What changes this machine (the domain sysctl) is done only for owners named by --for.\n"
      "\n"
      "A worker that dies loses nothing: its task is offered again when its lease runs out.\n"
      "Ctrl-C gives back what it holds at once.";
  for (auto&& flags : {QueueFlags(arguments->queue), WorkerFlags(arguments->worker_options),
                       LogFlags(arguments->log)}) {
    verb.flags.insert(verb.flags.end(), flags.begin(), flags.end());
  }
  verb.flags.push_back({.names = "--name",
                        .value = "NAME",
                        .help = "How it is called in provenance and lists (host and process).",
                        .set = Store(arguments->worker_options.name)});
  verb.examples = {
      {"hone worker --redis redis://db:6379", "Works for the server that uses it."},
      {"hone worker --workers 4 --demand all", "Four at a time, and only in a complete sandbox."}};
  verb.run = [arguments](Shell& shell) { return Work(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli
