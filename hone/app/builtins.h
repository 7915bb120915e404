// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/domains/domain.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::app {

// How a queue is found by name. `path` is the file of one in a file and the address of one in a
// server.
struct QueueEntry {
  std::string name;
  std::string summary;
  std::function<Result<std::unique_ptr<TaskQueue>>(const std::filesystem::path& path, Clock& clock)>
      make;
};
using QueueTable = std::map<std::string, QueueEntry>;

// Everything that this build knows by name.
struct Builtins {
  DomainTable domains;
  QueueTable queues;
  tune::ProposerTable proposers;
};

// The composition root: adding a domain, a queue or a proposer is one line in it. `judge_program`
// is that of ComputeSettings.
Builtins MakeBuiltins(const std::filesystem::path& judge_program = {});

// The names in a table, in order.
template <typename Table>
std::vector<std::string> NamesIn(const Table& table) {
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const auto& [name, entry] : table) names.push_back(name);
  return names;
}

}  // namespace hone::app
