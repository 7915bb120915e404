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

}  // namespace

std::string ExplainNoWorker(const Capabilities& needs, const std::vector<WorkerCard>& workers) {
  if (workers.empty()) return "there is no worker; start one with `hone worker`";
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
