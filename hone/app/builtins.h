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

// Which queue is meant, and what opens it.
struct QueueAddress {
  std::string where = {};  // The file of one in a file; the URL of a server, empty for the usual.
  // The rest is of a queue in a server only.
  std::string name = "hone";  // A server can have several.
  std::filesystem::path password_file = {};
  std::filesystem::path ca_file = {};  // Under TLS, as in RedisAddress.
  std::filesystem::path certificate_file = {};
  std::filesystem::path key_file = {};
};

struct OpenQueue {
  std::unique_ptr<TaskQueue> queue;
  std::string name;  // For people: "sqlite /var/lib/…/service.db".
};

// How a queue is found by name.
struct QueueEntry {
  std::string name;
  std::string summary;
  std::function<Result<OpenQueue>(const QueueAddress& address, Clock& clock)> make;
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
