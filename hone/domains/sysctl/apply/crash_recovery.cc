// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/crash_recovery.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/restore.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/apply/transaction_lock.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;

Error NotPutBack(const fs::path& file, const RestoreReport& report) {
  const Change& first = report.failed.front();
  if (IsFilePath(first.path)) {
    return {
        Errc::kUnavailable,
        fmt::format("{0}: {1} could not be put back; in force is {2}. The journal stays and has "
                    "the original bytes: put things right and run hone sysctl restore again, "
                    "or take them out by hand (docs/formats/journal.md) and remove {0}",
                    file.native(), FileOfPath(first.path), first.after)};
  }
  return {Errc::kUnavailable,
          fmt::format("{}: {} could not be put back to \"{}\"; in force is {}. The journal stays: "
                      "run hone sysctl restore again, or put it back by hand and remove the file",
                      file.native(), NameOfPath(first.path), first.before, first.after)};
}

bool Exists(const fs::path& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0;
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<RestoreReport> RestoreFromFile(KernelFiles& files, const fs::path& file) {
  auto journal = ReadJournalFile(file);
  if (!journal) return journal.error();
  if (journal->state.boot != BootId()) journal->state.ForgetUnfinished();
  Restored restored = RestoreHeld(files, journal->state);
  restored.report.noticed = UnexplainedChanges(files, journal->state);
  if (!restored.is_settled) return NotPutBack(file, restored.report);
  if (auto removed = RemoveDurably(file); !removed) {
    return Error{Errc::kUnavailable,
                 fmt::format("{}: everything is put back, but the journal cannot be removed: {}",
                             file.native(), removed.error().message)};
  }
  return std::move(restored.report);
}

Result<std::optional<RestoreReport>> RestoreJournal(KernelFiles& files, const fs::path& folder) {
  const fs::path file = Journal::PathIn(folder);
  if (!Exists(file)) return std::optional<RestoreReport>();
  auto report = RestoreFromFile(files, file);
  if (!report) return report.error();
  return std::optional<RestoreReport>(std::move(*report));
}

Result<std::optional<RestoreReport>> RestoreAfterCrash(KernelFiles& files, const fs::path& folder) {
  if (!Exists(Journal::PathIn(folder))) return std::optional<RestoreReport>();
  const auto lock = TransactionLock::Take(folder);
  if (!lock) return lock.error();
  return RestoreJournal(files, folder);
}

fs::path DefaultTransactionFolder() {
  if (const std::string state = Variable("HONE_STATE"); !state.empty()) {
    return fs::path(state) / "sysctl";
  }
  if (::geteuid() == 0) return "/var/lib/hone/sysctl";
  const std::string home = Variable("HOME");
  return fs::path(home.empty() ? "/tmp" : home) / ".local/state/hone/sysctl";
}

}  // namespace hone::sysctl
