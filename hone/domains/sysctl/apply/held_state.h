// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hone/domains/sysctl/apply/held_file.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {

// What is known of one parameter under a transaction.
struct HeldParameter {
  std::string original;
  // What was in force when we last looked. Nothing: it vanished with something that we wrote, as
  // the parameters of an I/O scheduler do.
  std::optional<std::string> last;
  // A write to it, or to what it moves with, was begun and its result was not noted: whatever is
  // in force is ours.
  bool is_pending = false;
  // What that write was to put there. Of a file exactly this or `last` is ours: nothing rounds it.
  std::optional<std::string> intended = std::nullopt;
  // We never ask for it; it moves with others.
  bool is_follower = false;
  bool can_undo = true;
  // Of a file that is back: why its service could not be told. It must be told before anything is
  // measured. Not in the journal, which goes on saying that the file is to be put back.
  std::string reload_fault{};

  bool operator==(const HeldParameter&) const = default;
};

// All that a transaction knows: in memory, and, record by record, in its journal.
struct HeldState {
  std::string id;    // Of this transaction, among all others.
  std::string boot;  // Of the kernel that it was taken under.
  std::int64_t pid = 0;
  std::string reason;
  std::map<std::string, HeldParameter> parameters;  // By path.
  std::map<std::string, HeldFile> files;            // Of those of `parameters` that are files.
  Couplings couplings;
  std::map<std::string, std::string> seen;  // All other writable parameters, at the start.
  // Reverted at this moment of the boot clock unless confirmed.
  std::optional<std::int64_t> keep_until_ms;

  bool operator==(const HeldState&) const = default;

  // Marks the parameter and all that is known to move with it as pending.
  void Intend(const std::string& path, const std::string& text);
  void Note(const std::string& path, std::optional<std::string> text);

  // For a kernel that was started since: no write of ours is under way in it, and nothing in it
  // vanished with one. Files outlive a restart, and so does what is known of them but for the
  // numbers of devices.
  void ForgetUnfinished();

  // The other of a pair of twins; empty if there is none, or if it is not held.
  std::string TwinOf(const std::string& path) const;
  std::vector<std::string> EffectsOf(const std::string& path) const;
};

}  // namespace hone::sysctl
