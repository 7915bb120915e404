// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/sysctl_sessions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "hone/domains/sysctl/apply/host_lock.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/network/network_pair.h"
#include "hone/domains/sysctl/slot.h"

namespace hone::sysctl {
namespace {

RunResult Checked(const SysctlContext& context, const Candidate& candidate) {
  if (!candidate.source.empty()) {
    return {Outcome::kRejected, "sysctl: a candidate has parameters, not a source text", {}, {}};
  }
  if (const auto valid = context.space.Validate(candidate.assignment); !valid) {
    return {Outcome::kRejected, valid.error().message, {}, {}};
  }
  return {};
}

class HostSession final : public Session {
 public:
  HostSession(const SysctlContext& context, std::optional<FileLock> lock,
              std::unique_ptr<KernelFiles> files, std::unique_ptr<Slot> slot)
      : context_(context),
        lock_(std::move(lock)),
        files_(std::move(files)),
        slot_(std::move(slot)) {}

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& /*stop*/) override {
    return Checked(context_, candidate);
  }
  Result<RunResult> Run(const RunOrder& order) override { return slot_->Run(order); }

 private:
  const SysctlContext& context_;
  std::optional<FileLock> lock_;  // Given up last.
  std::unique_ptr<KernelFiles> files_;
  std::unique_ptr<Slot> slot_;  // Uses files_.
};

// A pair of namespaces with a slot in it.
struct Lane {
  std::unique_ptr<NetworkPair> network;
  std::unique_ptr<Slot> slot;  // Uses the network.
};

// Each lane on a processor of its own, where there are enough: client and server on one processor
// vary less than on two.
std::vector<int> CpusOfLane(int lane) {
  const int count = static_cast<int>(std::thread::hardware_concurrency());
  if (count < 2) return {};
  return {lane % count};
}

Result<Lane> OpenLane(const SysctlContext& context, int number) {
  Lane lane;
  auto network = NetworkPair::Make();
  if (!network) return network.error();
  lane.network = std::move(*network);
  TransactionSettings transaction;
  transaction.has_journal = false;
  transaction.has_guardian = false;
  transaction.reason = context.options.workload.name;
  auto slot = Slot::Open(context, lane.network->files(), std::move(transaction),
                         StageIn(*lane.network, number));
  if (!slot) return slot.error();
  lane.slot = std::move(*slot);
  return lane;
}

class NamespaceSession final : public Session {
 public:
  NamespaceSession(const SysctlContext& context, std::array<Lane, 2> lanes)
      : context_(context), lanes_(std::move(lanes)) {}

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& /*stop*/) override {
    return Checked(context_, candidate);
  }

  Result<RunResult> Run(const RunOrder& order) override { return lanes_[0].slot->Run(order); }

  Result<std::pair<RunResult, RunResult>> RunTogether(const RunOrder& first,
                                                      const RunOrder& second) override {
    auto other = std::async(std::launch::async, [&] { return lanes_[1].slot->Run(second); });
    auto one = lanes_[0].slot->Run(first);
    auto two = other.get();
    if (!one) return one.error();
    if (!two) return two.error();
    return std::pair{std::move(*one), std::move(*two)};
  }

 private:
  const SysctlContext& context_;
  std::array<Lane, 2> lanes_;
};

}  // namespace

WorkloadStage StageIn(const NetworkPair& network, int lane) {
  WorkloadStage stage;
  stage.service_prefix = network.server_prefix();
  stage.benchmark_prefix = network.client_prefix();
  stage.cpus = CpusOfLane(lane);
  stage.network_namespace = network.client_namespace();
  stage.variables["address"] = network.server_address();
  return stage;
}

Result<std::unique_ptr<Session>> OpenHostSession(const SysctlContext& context) {
  auto lock = LockHost();
  if (!lock) return lock.error();
  auto files = MakeHostFiles();
  TransactionSettings transaction;
  transaction.folder = DefaultTransactionFolder();
  transaction.reason =
      fmt::format("hone tune {} (pid {})", context.options.workload.name, ::getpid());
  auto slot = Slot::Open(context, *files, std::move(transaction), {});
  if (!slot) return slot.error();
  return std::make_unique<HostSession>(context, std::move(*lock), std::move(files),
                                       std::move(*slot));
}

Result<std::unique_ptr<Session>> OpenNamespaceSession(const SysctlContext& context) {
  std::array<Lane, 2> lanes;
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    auto lane = OpenLane(context, static_cast<int>(k));
    if (!lane) return lane.error();
    lanes[k] = std::move(*lane);
  }
  return std::make_unique<NamespaceSession>(context, std::move(lanes));
}

}  // namespace hone::sysctl
