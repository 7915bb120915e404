// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/local_campaign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "hone/app/plan/campaign_chat.h"
#include "hone/app/plan/earlier_effects.h"
#include "hone/app/version.h"
#include "hone/base/errno_error.h"
#include "hone/base/host.h"
#include "hone/base/owner_only.h"
#include "hone/core/nearest.h"
#include "hone/eval/queue/abandonable_queue.h"
#include "hone/eval/worker/run_watch.h"
#include "hone/eval/worker/worker_pool.h"
#include "hone/measure/machine_facts.h"
#include "hone/measure/program_counters.h"
#include "hone/tune/campaign/campaign.h"
#include "hone/tune/campaign/counter_changes.h"

namespace hone::app {
namespace {

constexpr const char* kQueue = "sqlite";

// The first parameter at which the spaces differ: "net.ipv4.tcp_wmem".
std::string DifferenceOf(const Space& before, const Space& now) {
  for (const Parameter& parameter : now.parameters()) {
    const auto index = before.IndexOf(parameter.name);
    if (!index || before.parameters()[*index] != parameter) return parameter.name;
  }
  for (const Parameter& parameter : before.parameters()) {
    if (!now.IndexOf(parameter.name)) return parameter.name;
  }
  return "their constraints";
}

// What of the counters that explain a verdict cannot be had here, and why.
std::string NotCounted(const MachineWatch& machine) {
  std::string text = MissingCounters();
  if (!machine.Read().pressure.contains("cpu")) {
    text += fmt::format("{}waiting: /proc/pressure cannot be read, boot with psi=1",
                        text.empty() ? "" : "; ");
  }
  return text;
}

// A stored campaign goes on only with the domain that it began with.
Result<std::unique_ptr<Domain>> DomainOf(const tune::CampaignStart& start,
                                         const DomainTable& domains) {
  auto domain = MakeDomain(domains, start.spec.domain, start.spec.options);
  if (!domain || (*domain)->SearchSpace() == start.space) return domain;
  return Error{Errc::kUnsupported,
               fmt::format("domain {}: its parameters are no longer those with which the campaign "
                           "began (by hone {}): {} has another value or range now; put that back, "
                           "or start a new campaign",
                           start.spec.domain, start.version,
                           DifferenceOf(start.space, (*domain)->SearchSpace()))};
}

// Workers of this campaign and of no other: what another left in the store is not theirs to take.
WorkerPool::Settings PoolSettings(const std::string& campaign, const LocalSettings& settings,
                                  Clock& clock, AbandonableQueue& queue) {
  WorkerPool::Settings pool;
  pool.workers = settings.workers;
  pool.worker.name = fmt::format("local-{}", ::getpid());
  pool.worker.version = Version();
  pool.worker.has = LocalCapabilities();
  pool.worker.serves = {campaign};
  pool.worker.lease_duration = settings.lease;
  pool.worker.gate = settings.gate;
  pool.make_watch = [&clock] { return MakeMachineRunWatch(clock); };
  pool.on_failure = [&queue](const Error& error) { queue.Abandon(error); };
  return pool;
}

// Hands on every step, and the gate's report as soon as the ledger has it.
tune::ProgressSink Announcing(const LocalSettings& settings, const tune::Ledger& ledger) {
  return [&settings, &ledger, is_announced = false](const tune::Progress& progress) mutable {
    if (settings.on_progress) settings.on_progress(progress);
    if (is_announced || !settings.on_gate) return;
    if (const auto gate = tune::FindGate(ledger.decisions())) {
      is_announced = true;
      settings.on_gate(*gate);
    }
  };
}

tune::ProposerTable ProposersFor(const std::string& id, const tune::ProposerTable& table,
                                 Clock& clock, const LocalSettings& settings) {
  if (settings.asks_nobody) return WithoutChat(table);
  return WithCampaignChat(table,
                          {.store = settings.store,
                           .campaign = id,
                           .instead = settings.chat,
                           .abandon = settings.abandon},
                          clock);
}

// What stands in a store is run: benchmarks, and commands of services.
Result<void> CheckStoreIsOurs(const std::filesystem::path& store) {
  std::error_code fault;
  const std::string file = std::filesystem::canonical(store, fault);
  if (fault) return ErrnoError(store.native(), fault.value());
  for (const char* const end : {"", "-wal", "-shm", "-journal"}) {
    KeepForOwner(file + end);  // Made by an older version, others could write to it.
    auto ours = CheckOnlyWeWrite(file + end);
    if (!ours && ours.error().code != Errc::kNotFound) return ours;
  }
  return {};
}

Result<tune::Verdict> Work(const tune::StoredCampaign& campaign, tune::CampaignStore& store,
                           const Builtins& builtins, Clock& clock, const LocalSettings& settings) {
  const tune::CampaignStart& start = campaign.start;
  auto opened = builtins.queues.at(kQueue).make({.where = settings.store.string()}, clock);
  if (!opened) return opened.error();
  TaskQueue& queue = *opened->queue;
  auto proposer =
      MakeProposer(ProposersFor(campaign.id, builtins.proposers, clock, settings), start);
  if (!proposer) return proposer.error();
  auto ledger = store.OpenLedger(campaign.id);
  if (!ledger) return ledger.error();

  AbandonableQueue abandonable(queue);
  const std::stop_callback on_abandon(settings.abandon, [&abandonable] {
    abandonable.Abandon({Errc::kUnavailable, "interrupted before the verdict"});
  });
  WorkerPool pool(queue, clock, builtins.domains,
                  PoolSettings(campaign.id, settings, clock, abandonable));
  return tune::RunCampaign(
      {.id = campaign.id,
       .spec = start.spec,
       .space = start.space,
       .baseline = start.baseline,
       .needs = start.needs,
       .proposer = **proposer,
       .queue = abandonable,
       .ledger = *ledger,
       .progress = Announcing(settings, *ledger),
       .wrap_up = settings.wrap_up,
       .abandon = settings.abandon,
       .keep_learnt =
           [&](const std::string& learnt) { return store.KeepPolicy(campaign.id, learnt); },
       .has_prices = !start.prices.empty()});
}

}  // namespace

Capabilities LocalCapabilities() {
  Capabilities has;
  if (::geteuid() == 0) has.names.insert("root");
  has.memory_mib = MachineMemoryMib();
  return has;
}

std::string WhatIsMissing(const Capabilities& needs, const Capabilities& has) {
  std::vector<std::string> missing;
  for (const std::string& name : needs.names) {
    if (!has.names.contains(name)) missing.push_back(name);
  }
  if (needs.memory_mib > has.memory_mib) {
    missing.push_back(fmt::format("{} MiB of memory (here: {})", needs.memory_mib, has.memory_mib));
  }
  return missing.empty() ? "" : fmt::format("it needs {}", fmt::join(missing, ", "));
}

Result<std::string> CreateCampaign(tune::CampaignStore& store, const TunePlan& plan,
                                   const std::filesystem::path& file, Clock& clock,
                                   const std::string& submitter) {
  tune::CampaignStart start;
  start.submitter = submitter;
  start.spec = plan.spec;
  start.space = plan.domain->SearchSpace();
  start.baseline = plan.baseline.value_or(plan.domain->Baseline());
  start.needs = plan.domain->Facts().needs;
  const MachineWatch machine;
  start.machine = machine.facts();
  const std::string not_counted = NotCounted(machine);
  if (!not_counted.empty()) start.machine[tune::kNotCountedFact] = not_counted;
  start.version = Version();
  auto prices = plan.domain->PricesOfChanges();
  if (!prices) return prices.error();
  start.prices = std::move(*prices);
  if (plan.workload) start.name = plan.workload->name;
  if (auto kept = KeepEarlier(store, start); !kept) return kept.error();
  auto id = store.Create(start);
  if (!id) return id;
  if (auto kept = KeepReading(plan, {.store = file, .campaign = *id}, clock); !kept) {
    return kept.error();
  }
  return id;
}

Result<std::unique_ptr<tune::Proposer>> MakeProposer(const tune::ProposerTable& table,
                                                     const tune::CampaignStart& start) {
  const std::string& name = start.spec.search.proposer;
  const auto found = table.find(name);
  if (found == table.end()) return Error{Errc::kNotFound, NoSuch("engine", name, NamesIn(table))};
  return found->second.make({.space = start.space,
                             .baseline = start.baseline,
                             .seed = start.spec.seed,
                             .planned_trials = start.spec.search.max_trials,
                             .wants_front = start.spec.wants_front,
                             .options = start.spec.search.options,
                             .prices = start.prices});
}

Result<tune::Verdict> RunLocally(const std::string& id, tune::CampaignStore& store,
                                 const Builtins& builtins, Clock& clock,
                                 const LocalSettings& settings) {
  if (auto ours = CheckStoreIsOurs(settings.store); !ours) return ours.error();
  const auto lock = store.Lock(id);
  if (!lock) return lock.error();
  auto campaign = store.Find(id);
  if (!campaign) return campaign.error();
  if (campaign->verdict) return *campaign->verdict;
  const auto domain = DomainOf(campaign->start, builtins.domains);
  if (!domain) return domain.error();
  const std::string missing = WhatIsMissing(campaign->start.needs, LocalCapabilities());
  if (!missing.empty()) {
    return Error{Errc::kUnsupported,
                 fmt::format("domain {}: {}", campaign->start.spec.domain, missing)};
  }
  auto verdict = Work(*campaign, store, builtins, clock, settings);
  const std::string restore_text = (*domain)->DescribeRestore();
  if (!restore_text.empty()) {
    if (auto noted = store.NoteRestore(id, restore_text); !noted) return noted.error();
  }
  if (!verdict) {
    // Where the store itself has failed there is nowhere to note that; the Error still says so.
    static_cast<void>(store.NoteError(id, verdict.error().message));
    const std::string ending = restore_text.empty() ? "" : "\n" + restore_text;
    return Error{verdict.error().code, verdict.error().message + ending};
  }
  if (auto finished = store.Finish(id, *verdict); !finished) return finished.error();
  return verdict;
}

}  // namespace hone::app
