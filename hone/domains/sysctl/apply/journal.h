// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/held_state.h"
#include "hone/domains/sysctl/apply/journal_text.h"

namespace hone::sysctl {

// The journal of a transaction, on disk. Whoever writes or removes it holds the lock of its folder.
class Journal {
 public:
  static std::filesystem::path PathIn(const std::filesystem::path& folder);

  // On return the head is on disk. Never replaces a journal that is there (kStale).
  // kUnavailable: it cannot be written, whatever the reason.
  static Result<Journal> Create(const std::filesystem::path& folder, const HeldState& state);

  // What the folder's journal says; nullopt: there is none. kCorrupt: see ReadJournalText.
  static Result<std::optional<JournalText>> Read(const std::filesystem::path& folder);

  // All of the records or none. They survive the death of this process at once, a power cut after
  // the next Sync.
  Result<void> Append(const std::vector<JournalRecord>& records);
  Result<void> Sync();

  // The folder's journal is gone, durably.
  static Result<void> Remove(const std::filesystem::path& folder);

 private:
  Journal(std::filesystem::path path, Descriptor file, std::size_t records, std::int64_t size);

  std::filesystem::path path_;
  Descriptor file_;
  std::size_t records_;
  std::int64_t size_;
};

// Journals of what was applied to stay, newest first. Keeping renames the journal to one of them.
std::vector<std::filesystem::path> PreviousIn(const std::filesystem::path& folder);
Result<void> KeepAsPrevious(const std::filesystem::path& folder);

// kCorrupt: damaged, or somebody else could have written it. What it says is put back and, of
// services, run by whoever reads it, root at boot.
Result<JournalText> ReadJournalFile(const std::filesystem::path& file);

// Removes a file of the folder, durably; one that is not there is no fault.
Result<void> RemoveDurably(const std::filesystem::path& file);

std::string BootId();        // Of the running kernel.
std::int64_t BootClockMs();  // Goes on while the machine sleeps; starts at 0 with each boot.

}  // namespace hone::sysctl
