// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/held_file.h"
#include "hone/domains/sysctl/apply/restore.h"
#include "hone/domains/sysctl/apply/untold_services.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {

struct TransactionSettings {
  std::vector<std::string> paths;  // All that may be written under this transaction.
  Couplings couplings;
  std::map<std::string, HeldFile> files;  // How services take up those of `paths` that are files;
                                          // the originals are read when it is taken.
  std::filesystem::path
      folder;               // For the journal and the lock; DefaultTransactionFolder() on the host.
  bool has_journal = true;  // False for what vanishes with us, a namespace: no lock, no guardian.
  bool has_guardian = true;  // It works on the host's own files, whatever `files` is.
  // What is left alone though it moves with a write, unless `couplings` has it. Empty: nothing.
  std::function<bool(const std::string& path)> is_left_alone;
  std::string reason;  // Who holds and why, for the journal: "hone tune memory, run 12".
  std::shared_ptr<UntoldServices> untold;  // What an earlier transaction left, and this one leaves;
                                           // may be null.
};

// What one Apply did.
struct ApplyReport {
  struct Written {
    Setting asked;
    std::string in_force;  // What the kernel made of it: rounded, clamped.
  };
  std::vector<Written> written;       // Only what had to change.
  std::vector<std::string> put_back;  // Paths that went back to their originals.
  std::vector<Change> side_effects;   // Parameters that moved with it though nobody wrote them.
  std::vector<Change> noticed;        // Moved meanwhile too, perhaps by somebody else; left alone.
};

// The transaction on a set of kernel parameters: a journal of the originals on disk before the
// first write, a guardian that puts them back if this process dies, and a lock against a second
// tuner. The destructor restores. Not safe for concurrent use.
class ParameterTransaction {
 public:
  // Restores first what an earlier transaction, now dead, left behind in the folder.
  // kStale: another process holds the folder; the message names its pid and its reason.
  // kUnavailable: the journal cannot be written (full or read-only disk); nothing was touched.
  static Result<std::unique_ptr<ParameterTransaction>> Take(KernelFiles& files,
                                                            TransactionSettings settings);

  virtual ~ParameterTransaction() = default;

  // From whatever is in force under this transaction to the originals with `settings` on top; all
  // of them or, where one is refused, none (the originals with nothing on top are then in force).
  // The text for a file is all that it is to hold; the files come after the kernel's parameters.
  // kInvalidArgument: the kernel refused a value; the message names parameter, text and errno.
  // kStale: somebody else changed a parameter under us. Nothing was written; theirs stays.
  virtual Result<ApplyReport> Apply(const std::vector<Setting>& settings) = 0;

  // kStale as in Apply. Cheap: reads what was written, writes nothing.
  virtual Result<void> CheckUndisturbed() = 0;

  // Puts all back and compares. May be called again, and Apply after it: a service that could not
  // be told is told then, or the Apply fails.
  virtual Result<RestoreReport> Restore() = 0;

  // Of a file: its fingerprint.
  virtual const std::vector<Setting>& originals() const = 0;
  virtual const std::map<std::string, HeldFile>& files() const = 0;  // By path.

  // Of what may be written, by path, when this transaction looked last; nothing where it is gone.
  virtual std::map<std::string, std::optional<std::string>> InForce() const = 0;

  // What this transaction put back of a dead one when it was taken; nullopt: there was nothing.
  virtual const std::optional<RestoreReport>& recovered() const = 0;

  // What is in force stays. The journal is kept as a record of what was before, for
  // RestorePrevious (pending_confirmation.h). The transaction ends: it can only be destroyed now.
  virtual Result<void> Commit() = 0;

  // Leaves what is in force to the guardian, which puts everything back after `wait_timeout` unless
  // ConfirmKept (pending_confirmation.h) comes first. The transaction ends, and this process may
  // too. kUnsupported: there is no guardian.
  virtual Result<void> LeaveToConfirm(std::chrono::milliseconds wait_timeout) = 0;
};

// $HONE_STATE/sysctl, or /var/lib/hone/sysctl for root, or ~/.local/state/hone/sysctl.
std::filesystem::path DefaultTransactionFolder();

// What a dead transaction left in the folder is put back. nullopt: there was nothing.
// kStale: it is not dead.
Result<std::optional<RestoreReport>> RestoreAfterCrash(KernelFiles& files,
                                                       const std::filesystem::path& folder);

}  // namespace hone::sysctl
