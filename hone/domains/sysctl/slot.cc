// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/base/log.h"
#include "hone/domains/sysctl/knowledge/known_file.h"

namespace hone::sysctl {

Slot::Slot(const SysctlContext& context, std::unique_ptr<ParameterTransaction> transaction,
           std::unique_ptr<WorkloadRunner> runner)
    : context_(context), transaction_(std::move(transaction)), runner_(std::move(runner)) {}

Result<std::unique_ptr<Slot>> Slot::Open(const SysctlContext& context, KernelFiles& files,
                                         TransactionSettings transaction, WorkloadStage stage) {
  const Services& services = context.options.workload.service_files;
  transaction.paths = WrittenPaths(services, PathsOf(context.tunables));
  transaction.files = FilesOf(services, PathsOf(context.tunables));
  transaction.couplings = context.tunables.couplings;
  transaction.is_left_alone = [&files](const std::string& path) {
    return IsLeftAlone(files, Knowledge::Builtin(), path);
  };
  transaction.untold = context.untold;
  auto taken = ParameterTransaction::Take(files, std::move(transaction));
  if (!taken) return taken.error();
  auto runner = WorkloadRunner::Open(context.options.workload, std::move(stage));
  if (!runner) return runner.error();
  return std::unique_ptr<Slot>(new Slot(context, std::move(*taken), std::move(*runner)));
}

bool Slot::IsSticky(const std::string& path) const {
  const auto& all = context_.tunables.tunables;
  return IsFilePath(path) || std::any_of(all.begin(), all.end(), [&](const Tunable& tunable) {
           return tunable.path == path && tunable.risk == Risk::kSticky;
         });
}

Slot::StickyTexts Slot::StickyInForce() const {
  StickyTexts texts = transaction_->InForce();
  std::erase_if(texts, [this](const auto& one) { return !IsSticky(one.first); });
  return texts;
}

Result<Slot::InForce> Slot::PutInForce(const Assignment& assignment) {
  const std::lock_guard lock(mutex_);
  const auto settings =
      AsFileSettings(context_.options.workload.service_files,
                     SettingsFor(context_.tunables, assignment), transaction_->files());
  if (!settings) return settings.error();
  auto report = transaction_->Apply(*settings);
  if (!report) return report.error();
  return InForce{std::move(*report), StickyInForce()};
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
  for (const Change& change : report.noticed) {
    add("seen beside it", fmt::format("{}: {} became {}, perhaps by somebody else; left so",
                                      NameOfPath(change.path), change.before, change.after));
  }
  return evidence;
}

// What is not back then is said at the end, when all of it is compared, services that could not be
// told among it.
void Slot::PutBack(const std::string& why) {
  const std::lock_guard lock(mutex_);
  const auto restored = transaction_->Restore();
  if (!restored) Log(LogLevel::kError, "after \"{}\": {}", why, restored.error().message);
}

// A service that was started with a candidate's file or limits must not serve the baseline, however
// the originals came back: by the next run, a tripwire, or a value that was refused.
Result<RunResult> Slot::Run(const RunOrder& order) {
  const Result<InForce> applied = PutInForce(order.candidate.assignment);
  if (!applied) {
    if (applied.error().code != Errc::kInvalidArgument) return applied.error();
    return RunResult{Outcome::kRejected, applied.error().message, {}, {}};
  }
  WorkloadRun run;
  run.has_sticky_change = applied->sticky != served_;
  run.watched_paths = FilesThatCanBeOpened(KernelPathsOf(context_.tunables));
  run.limit = order.limit;
  run.stop = order.stop;
  run.on_trip = [this](const std::string& why) { PutBack(why); };
  served_.reset();
  auto result = runner_->Run(run);
  if (!result) return result;
  served_ = applied->sticky;
  result->sample.arm = order.arm;
  const std::lock_guard lock(mutex_);
  if (auto undisturbed = transaction_->CheckUndisturbed(); !undisturbed) return undisturbed.error();
  for (Evidence& evidence : EvidenceOf(applied->report))
    result->evidence.push_back(std::move(evidence));
  const auto stability = result->sample.observations.find(kStability);
  if (stability != result->sample.observations.end()) {
    result->sample.metrics.try_emplace(kStability, Reading{.value = stability->second});
  }
  return result;
}

}  // namespace hone::sysctl
