// SPDX-License-Identifier: Apache-2.0
#include "hone/app/builtins.h"

#include <utility>

#include "hone/app/kconfig/guest_workload_of.h"
#include "hone/app/plan/campaign_chat.h"
#include "hone/domains/compute/compute_domain.h"
#include "hone/domains/kconfig/kconfig_domain.h"
#include "hone/domains/sysctl/sysctl_domain.h"
#include "hone/domains/toy/toy_domain.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/eval/redis/redis_queue.h"
#include "hone/eval/sqlite/sqlite_queue.h"
#include "hone/learn/ppo_proposer.h"
#include "hone/tune/proposers/bayes.h"
#include "hone/tune/proposers/random_search.h"

namespace hone::app {
namespace {

QueueEntry MemoryQueueEntry() {
  return {"memory", "lives and dies with this process; for tests",
          [](const std::filesystem::path&, Clock& clock) -> Result<std::unique_ptr<TaskQueue>> {
            return MakeMemoryQueue(clock);
          }};
}

QueueEntry SqliteQueueEntry() {
  return {"sqlite", "durable, in the store; for all processes of one machine", MakeSqliteQueue};
}

QueueEntry RedisQueueEntry() {
  return {"redis", "in a Redis server, as durable as that; for many machines",
          [](const std::filesystem::path& url, Clock& clock) -> Result<std::unique_ptr<TaskQueue>> {
            auto address = ParseRedisUrl(url.string());
            if (!address) return address.error();
            RedisSettings settings;
            settings.address = std::move(*address);
            return MakeRedisQueue(settings, clock);
          }};
}

template <typename Table>
void Add(Table& table, typename Table::mapped_type entry) {
  const std::string name = entry.name;
  table.emplace(name, std::move(entry));
}

}  // namespace

Builtins MakeBuiltins(const std::filesystem::path& judge_program) {
  Builtins builtins;
  Add(builtins.domains, ComputeDomainEntry({{}, {}, judge_program}));
  Add(builtins.domains, KconfigDomainEntry(ReadGuestWorkload));
  Add(builtins.domains, SysctlDomainEntry());
  Add(builtins.domains, ToyDomainEntry());

  Add(builtins.queues, MemoryQueueEntry());
  Add(builtins.queues, RedisQueueEntry());
  Add(builtins.queues, SqliteQueueEntry());

  Add(builtins.proposers, tune::BayesEntry());
  Add(builtins.proposers, LlmEntry());
  Add(builtins.proposers, learn::PpoProposerEntry());
  Add(builtins.proposers, tune::RandomSearchEntry());
  return builtins;
}

}  // namespace hone::app
