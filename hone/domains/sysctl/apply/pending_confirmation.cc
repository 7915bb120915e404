// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/pending_confirmation.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "hone/base/file.h"
#include "hone/domains/sysctl/apply/crash_recovery.h"
#include "hone/domains/sysctl/apply/files_beside.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/requests.h"
#include "hone/domains/sysctl/apply/transaction_lock.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kWaitTimeout{10};
constexpr std::chrono::milliseconds kConfirmationPoll{5};

Error NothingWaits(const fs::path& folder) {
  return {Errc::kNotFound, fmt::format("{}: nothing waits to be confirmed", folder.native())};
}

Error TooLate(const fs::path& folder) {
  return {Errc::kStale,
          fmt::format("{}: too late to confirm; what was in force before is in force again",
                      folder.native())};
}

// The transaction in the folder that waits for a confirmation.
Result<HeldState> WaitingIn(const fs::path& folder) {
  auto journal = Journal::Read(folder);
  if (!journal) return journal.error();
  if (!*journal) return NothingWaits(folder);
  HeldState& state = (*journal)->state;
  if (!state.keep_until_ms) {
    return Error{Errc::kStale,
                 fmt::format("{}: process {} ({}) holds the parameters, and does not wait to be "
                             "confirmed",
                             folder.native(), state.pid, state.reason)};
  }
  return std::move(state);
}

bool WasKept(const fs::path& folder, const std::string& id) {
  for (const fs::path& file : PreviousIn(folder)) {
    const auto journal = ReadJournalFile(file);
    if (journal && journal->state.id == id) return true;
  }
  return false;
}

// Nobody waits any more: both the holder and its guardian are gone.
Result<void> ConfirmDead(KernelFiles& files, const fs::path& folder, const HeldState& state) {
  const bool is_in_time = state.boot == BootId() && BootClockMs() < *state.keep_until_ms;
  if (is_in_time) return KeepAsPrevious(folder);
  const auto report = RestoreJournal(files, folder);
  if (!report) return report.error();
  return TooLate(folder);
}

// Waits until the guardian has let go of the folder.
Result<TransactionLock> AwaitLock(const fs::path& folder) {
  const auto end = Clock::now() + kWaitTimeout;
  while (true) {
    auto lock = TransactionLock::Take(folder, std::chrono::milliseconds(0));
    if (lock || lock.error().code != Errc::kStale || Clock::now() >= end) return lock;
    std::this_thread::sleep_for(kConfirmationPoll);
  }
}

}  // namespace

Result<void> ConfirmKept(KernelFiles& files, const fs::path& folder) {
  auto state = WaitingIn(folder);
  if (!state) return state.error();
  if (const auto lock = TransactionLock::Take(folder, std::chrono::milliseconds(0)); lock) {
    // Between the two looks the guardian may have ended.
    state = WaitingIn(folder);
    if (!state) return TooLate(folder);
    return ConfirmDead(files, folder, *state);
  }
  if (auto asked = WriteRequest(folder, KeepRequest::kConfirm, state->id); !asked) return asked;
  const auto lock = AwaitLock(folder);
  if (!lock) return lock.error();
  [[maybe_unused]] const auto removed = RemoveDurably(RequestPathIn(folder));
  if (!WasKept(folder, state->id)) return TooLate(folder);
  return {};
}

Result<std::optional<RestoreReport>> RevertKept(KernelFiles& files, const fs::path& folder) {
  const auto state = WaitingIn(folder);
  if (!state && state.error().code == Errc::kNotFound) return std::optional<RestoreReport>();
  if (!state) return state.error();
  RestoreReport report;
  FilesBeside beside(files, state->files);
  for (const auto& [path, held] : state->parameters) {
    const auto now = beside.Read(path);
    if (now && *now != held.original) report.restored.push_back({path, *now, held.original});
  }
  if (auto asked = WriteRequest(folder, KeepRequest::kRevert, state->id); !asked) {
    return asked.error();
  }
  const auto lock = AwaitLock(folder);
  if (!lock) return lock.error();
  [[maybe_unused]] const auto removed = RemoveDurably(RequestPathIn(folder));
  // Where no guardian was left to do it.
  auto ours = RestoreJournal(files, folder);
  if (!ours || *ours) return ours;
  std::erase_if(report.restored, [&beside](const Change& change) {
    return beside.Read(change.path).value_or("") != change.after;
  });
  return std::optional<RestoreReport>(std::move(report));
}

Result<std::optional<AppliedToStay>> NewestApplied(KernelFiles& files, const fs::path& folder) {
  const auto kept = PreviousIn(folder);
  if (kept.empty()) return std::optional<AppliedToStay>();
  const auto journal = ReadJournalFile(kept.front());
  if (!journal) return journal.error();
  const HeldState& state = journal->state;
  AppliedToStay applied{state.reason, journal->started, {}};
  FilesBeside beside(files, state.files);
  for (const auto& [path, held] : state.parameters) {
    const auto now = beside.Read(path);
    if (!now || *now == held.original || *now != held.last) continue;
    applied.changes.push_back({path, *now, held.original});
  }
  return std::optional(std::move(applied));
}

Result<std::optional<RestoreReport>> RestorePrevious(KernelFiles& files, const fs::path& folder) {
  if (PreviousIn(folder).empty()) return std::optional<RestoreReport>();
  const auto lock = TransactionLock::Take(folder);
  if (!lock) return lock.error();
  const auto kept = PreviousIn(folder);
  if (kept.empty()) return std::optional<RestoreReport>();
  auto report = RestoreFromFile(files, kept.front());
  if (!report) return report.error();
  return std::optional<RestoreReport>(std::move(*report));
}

std::string LastGuardianNote(const fs::path& folder) {
  return ReadFile(NotePathIn(folder)).value_or("");
}

}  // namespace hone::sysctl
