// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/app/builtins.h"
#include "hone/base/clock.h"
#include "hone/eval/worker/worker_pool.h"
#include "hone/server/environments/environment_settings.h"
#include "hone/server/service/service.h"

// What `hone serve`, `hone worker` and `hone eval` share.
namespace hone::app {

// Where the tasks of a service are kept.
struct QueueChoice {
  std::string kind;     // A queue of the builtins; empty: redis if a URL is given, else sqlite.
  QueueAddress server;  // Of redis.
};

// The embedded queue lies beside the store, in a file of its own: results in it expire.
Result<OpenQueue> OpenServiceQueue(const Builtins& builtins, const std::filesystem::path& store,
                                   Clock& clock, const QueueChoice& choice);
std::filesystem::path ServicePath(const std::filesystem::path& store, std::string_view file);

// How this process evaluates.
struct WorkerChoice {
  std::size_t workers = 0;  // 0: as many as the machine has room for.
  std::chrono::milliseconds lease{30'000};
  std::string name;                   // Empty: host and process.
  std::vector<std::string> owners;    // Whose tasks it takes besides everybody's.
  std::vector<std::string> demanded;  // Protections without which nothing is evaluated.
};

// What tasks may ask of this machine: a compiler (cpp), PyTorch (torch), root, its architecture,
// memory. Nothing is started but the Python that would run candidates, to look for its PyTorch.
Capabilities FindCapabilities();

// Two CPUs each, for the judge and what it times; one slot with all there is on a small machine.
std::vector<RunSlot> FindSlots();

// kUnsupported if a demanded protection is missing.
Result<WorkerPool::Settings> WorkerOptions(const WorkerChoice& choice, Clock& clock,
                                           std::function<void(const Error&)> on_failure);

// The domains of this build as the API shows them.
std::vector<server::OfferedDomain> OfferedDomains(const DomainTable& domains);

// Makes these domains for the API's environments; limits are the caller's. The table outlives it.
server::EnvironmentSettings EnvironmentsOf(const DomainTable& domains);

}  // namespace hone::app
