// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/base/log.h"

namespace hone::sysctl {

Slot::Slot(const World& world, std::unique_ptr<Hold> hold, std::unique_ptr<WorkloadRunner> runner)
    : world_(world), hold_(std::move(hold)), runner_(std::move(runner)) {}

Result<std::unique_ptr<Slot>> Slot::Open(const World& world, KernelFiles& files, HoldSettings hold,
                                         Stage stage) {
  hold.paths = PathsOf(world.tunables);
  hold.couplings = world.tunables.couplings;
  auto taken = Hold::Take(files, std::move(hold));
  if (!taken) return taken.error();
  auto runner = WorkloadRunner::Open(world.options.workload, std::move(stage));
  if (!runner) return runner.error();
  return std::unique_ptr<Slot>(new Slot(world, std::move(*taken), std::move(*runner)));
}

bool Slot::HasSticky(const ApplyReport& report) const {
  return std::any_of(report.written.begin(), report.written.end(), [&](const auto& written) {
    const auto& all = world_.tunables.tunables;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Tunable& tunable) {
      return tunable.path == written.asked.path;
    });
    return found != all.end() && found->risk == Risk::kSticky;
  });
}

std::vector<Evidence> Slot::EvidenceOf(const ApplyReport& report) {
  std::vector<Evidence> evidence;
  const auto add = [&](const char* what, std::string text) {
    if (told_.insert(text).second) evidence.push_back({what, std::move(text)});
  };
  for (const auto& written : report.written) {
    if (written.in_force == written.asked.text) continue;
    add("value in force",
        fmt::format("{}: asked for {}, the kernel made it {}", NameOfPath(written.asked.path),
                    written.asked.text, written.in_force));
  }
  for (const Change& change : report.side_effects) {
    add("side effect", fmt::format("{}: {} became {}, though nobody wrote it",
                                   NameOfPath(change.path), change.before, change.after));
  }
  return evidence;
}

void Slot::PutBack(const std::string& why) {
  const std::lock_guard lock(mutex_);
  const auto restored = hold_->Restore();
  if (!restored) Log(LogLevel::kError, "after \"{}\": {}", why, restored.error().message);
}

Result<RunResult> Slot::Run(const RunOrder& order) {
  const auto settings = SettingsFor(world_.tunables, order.candidate.assignment);
  Result<ApplyReport> applied = [&] {
    const std::lock_guard lock(mutex_);
    return hold_->Apply(settings);
  }();
  if (!applied) {
    if (applied.error().code != Errc::kInvalidArgument) return applied.error();
    return RunResult{Outcome::kRejected, applied.error().message, {}, {}};
  }
  WorkloadRun run;
  run.has_sticky_change = HasSticky(*applied);
  run.watched_paths = PathsOf(world_.tunables);
  run.limit = order.limit;
  run.stop = order.stop;
  run.on_trip = [this](const std::string& why) { PutBack(why); };
  auto result = runner_->Run(run);
  if (!result) return result;
  result->sample.arm = order.arm;
  const std::lock_guard lock(mutex_);
  if (auto undisturbed = hold_->CheckUndisturbed(); !undisturbed) return undisturbed.error();
  for (Evidence& evidence : EvidenceOf(*applied)) result->evidence.push_back(std::move(evidence));
  const auto stability = result->sample.observations.find(kStability);
  if (stability != result->sample.observations.end()) {
    result->sample.metrics.try_emplace(kStability, Reading{.value = stability->second});
  }
  return result;
}

}  // namespace hone::sysctl
