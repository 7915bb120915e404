// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/explain_no_worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace hone {
namespace {

// What `has` is short of.
std::vector<std::string> MissingIn(const Capabilities& has, const Capabilities& needs) {
  std::vector<std::string> missing;
  for (const std::string& name : needs.names) {
    if (!has.names.contains(name)) missing.push_back(name);
  }
  if (has.memory_mib < needs.memory_mib) {
    missing.push_back(
        fmt::format("{} MiB of memory (it has {})", needs.memory_mib, has.memory_mib));
  }
  return missing;
}

// "gpu", "gpu and root", "gpu, root and torch".
std::string Joined(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

// What none of them has at all.
std::vector<std::string> MissingEverywhere(const Capabilities& needs,
                                           const std::vector<WorkerCard>& workers) {
  Capabilities all;
  for (const WorkerCard& worker : workers) {
    all.names.insert(worker.has.names.begin(), worker.has.names.end());
    all.memory_mib = std::max(all.memory_mib, worker.has.memory_mib);
  }
  std::vector<std::string> missing;
  for (const std::string& name : needs.names) {
    if (!all.names.contains(name)) missing.push_back(name);
  }
  if (all.memory_mib < needs.memory_mib) {
    missing.push_back(fmt::format("{} MiB of memory", needs.memory_mib));
  }
  return missing;
}

// How a worker is started that serves this owner.
std::string StartFor(const std::string& owner) {
  return owner.empty() ? "`hone worker`" : fmt::format("`hone worker --for {}`", owner);
}

std::vector<WorkerCard> Serving(const std::string& owner, std::vector<WorkerCard> workers) {
  std::erase_if(workers, [&](const WorkerCard& card) { return !card.serves.contains(owner); });
  return workers;
}

}  // namespace

std::string ExplainNoWorker(const Task& task, const std::vector<WorkerCard>& all) {
  if (all.empty()) return "there is no worker; start one with " + StartFor(task.owner);
  const std::vector<WorkerCard> workers = Serving(task.owner, all);
  if (workers.empty()) {
    return fmt::format("no worker of {} works for {}; start one with {}", all.size(),
                       task.owner.empty() ? "everybody" : task.owner, StartFor(task.owner));
  }
  const Capabilities& needs = task.needs;
  const WorkerCard* nearest = nullptr;
  std::vector<std::string> min;
  for (const WorkerCard& worker : workers) {
    std::vector<std::string> missing = MissingIn(worker.has, needs);
    if (missing.empty()) return "";
    if (nearest != nullptr && missing.size() >= min.size()) continue;
    nearest = &worker;
    min = std::move(missing);
  }
  const std::vector<std::string> nowhere = MissingEverywhere(needs, workers);
  const std::string what =
      nowhere.empty() ? std::string("no worker has all that the task needs together")
                      : fmt::format("no worker of {} offers {}", workers.size(), Joined(nowhere));
  return fmt::format("{}; the nearest, {} on {}, lacks {}", what, nearest->name, nearest->host,
                     Joined(min));
}

}  // namespace hone
