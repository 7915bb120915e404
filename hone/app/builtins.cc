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
          [](const QueueAddress&, Clock& clock) -> Result<OpenQueue> {
            return OpenQueue{MakeMemoryQueue(clock), "memory"};
          }};
}

QueueEntry SqliteQueueEntry() {
  return {"sqlite", "durable, in the store; for all processes of one machine",
          [](const QueueAddress& address, Clock& clock) -> Result<OpenQueue> {
            auto queue = MakeSqliteQueue(address.where, clock);
            if (!queue) return queue.error();
            return OpenQueue{std::move(*queue), "sqlite " + address.where};
          }};
}

Result<OpenQueue> OpenRedis(const QueueAddress& address, Clock& clock) {
  auto server = ParseRedisUrl(address.where.empty() ? "redis://127.0.0.1:6379" : address.where);
  if (!server) return server.error();
  auto entry = WithRedisPassword(std::move(*server), address.password_file);
  if (!entry) return entry.error();
  RedisSettings settings;
  settings.address = std::move(*entry);
  settings.address.ca_file = address.ca_file;
  settings.address.certificate_file = address.certificate_file;
  settings.address.key_file = address.key_file;
  settings.name = address.name;
  auto queue = MakeRedisQueue(settings, clock);
  if (!queue) return queue.error();
  return OpenQueue{std::move(*queue), "redis " + settings.address.Name()};
}

QueueEntry RedisQueueEntry() {
  return {"redis", "in a Redis server, as durable as that; for many machines", OpenRedis};
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
