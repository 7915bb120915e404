// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/restore.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "hone/domains/sysctl/apply/files_beside.h"
#include "hone/domains/sysctl/kernel/snapshot.h"

namespace hone::sysctl {
namespace {

// Enough for every order in which the kernel may want a chain of a < b constraints.
constexpr int kRounds = 8;

constexpr const char* kGone = "(gone)";

class Restoration {
 public:
  Restoration(FilesBeside& files, HeldState& state) : files_(files), state_(state) {}

  Restored Run() {
    for (const auto& [path, held] : state_.parameters) Look(path, held);
    ClaimMoved();
    KeepTwinsOfOthers();
    bool has_moved = true;
    for (int round = 0; has_moved && round < kRounds; ++round) {
      has_moved = RestoreAll(false);
      if (RestoreAll(true)) has_moved = true;
    }
    return Report();
  }

 private:
  // Nothing where the parameter cannot be read any more.
  std::optional<std::string> Now(const std::string& path) {
    auto text = files_.Read(path);
    if (!text && IsFilePath(path)) out_of_reach_[path] = text.error().message;
    return text ? std::optional(std::move(*text)) : std::nullopt;
  }

  void Look(const std::string& path, const HeldParameter& held) {
    const auto now = Now(path);
    start_[path] = now;
    if (IsFilePath(path)) return LookAtFile(path, held);
    if (!now || now == held.original) return;
    const bool is_ours = held.is_pending || !held.last || now == held.last;
    if (!is_ours) foreign_.insert(path);
  }

  // Nothing rounds a file, so that only what we meant to put there is ours. A service that may have
  // read something else than the original must read again, though the original may be back.
  void LookAtFile(const std::string& path, const HeldParameter& held) {
    const auto& now = start_[path];
    if (held.is_pending) files_.DropDraft(path);
    if (!now) return;
    const bool is_original = now == held.original;
    if (!is_original && now != held.last && now != held.intended) {
      foreign_.insert(path);
    } else if (!is_original || held.is_pending || held.last != held.original ||
               !held.reload_fault.empty()) {
      unread_.insert(path);
    }
  }

  // A cause that is back though it was not when we last noted it: a process that died putting it
  // back has moved its effects.
  void ClaimMoved() {
    for (const Couplings::Effect& effect : state_.couplings.effects) {
      const auto cause = state_.parameters.find(effect.cause);
      if (cause == state_.parameters.end()) continue;
      const HeldParameter& held = cause->second;
      const bool is_just_back = held.last != held.original && start_[effect.cause] == held.original;
      if (is_just_back) foreign_.erase(effect.effect);
    }
  }

  // Writing one of a pair would switch off what somebody else wrote to the other.
  void KeepTwinsOfOthers() {
    std::set<std::string> twins;
    for (const std::string& path : foreign_) twins.insert(state_.TwinOf(path));
    for (const std::string& path : twins) {
      if (!path.empty() && start_[path] != state_.parameters.at(path).original) {
        foreign_.insert(path);
      }
      spared_.insert(path);
    }
  }

  // "0" in a pair of twins means that the other one is in force, and cannot be written.
  bool IsRestoredByTwin(const std::string& path) {
    const std::string twin = state_.TwinOf(path);
    if (twin.empty()) return false;
    return state_.parameters.at(path).original == "0" && state_.parameters.at(twin).original != "0";
  }

  void RestoreFile(const std::string& path, const std::string& original) {
    if (!unread_.contains(path)) return;
    if (auto replaced = files_.Replace(path, original); !replaced) {
      faults_[path] = replaced.error().message;
      return;
    }
    faults_.erase(path);
    unread_.erase(path);
    if (auto reloaded = files_.RunReloadOf(path); !reloaded) {
      reload_faults_[path] = fmt::format("{} is back, but its service was not told: {}",
                                         FileOfPath(path), reloaded.error().message);
    }
  }

  bool RestoreOne(const std::string& path, const std::string& original) {
    const auto written = files_.Write(path, original);
    if (written) {
      faults_.erase(path);
    } else {
      faults_[path] = written.error().message;
    }
    return written.has_value();
  }

  // True if anything was written.
  bool RestoreAll(bool is_follower) {
    bool has_written = false;
    for (const auto& [path, held] : state_.parameters) {
      if (held.is_follower != is_follower || foreign_.contains(path) || spared_.contains(path)) {
        continue;
      }
      if (!held.can_undo) continue;
      if (IsFilePath(path)) {
        RestoreFile(path, held.original);
        continue;
      }
      const auto now = Now(path);
      if (!now || now == held.original) continue;
      const std::string through = IsRestoredByTwin(path) ? state_.TwinOf(path) : path;
      has_written |= RestoreOne(through, state_.parameters.at(through).original);
    }
    return has_written;
  }

  // A file that we may have changed, and that stood for a moment where we do not go.
  bool IsOutOfReach(const std::string& path, const HeldParameter& held) const {
    return out_of_reach_.contains(path) && (held.is_pending || held.last != held.original);
  }

  void Judge(const std::string& path, const HeldParameter& held,
             const std::optional<std::string>& now, Restored& restored) {
    const std::string ours = held.last.value_or(kGone);
    const std::string before = start_[path].value_or(kGone);
    if (IsOutOfReach(path, held)) {
      restored.report.failed.push_back(
          {path, held.original, fmt::format("not known ({})", out_of_reach_[path])});
      restored.is_settled = false;
    } else if (now == held.original) {
      if (before != held.original) restored.report.restored.push_back({path, before, *now});
    } else if (!now) {
      // What a device took with it comes back with the device's own values.
      const std::string what = out_of_reach_.contains(path) ? out_of_reach_[path] : kGone;
      if (held.last) restored.report.kept.push_back({path, ours, what});
    } else if (foreign_.contains(path) || spared_.contains(path)) {
      restored.report.kept.push_back({path, ours, *now});
    } else {
      const bool is_refused = faults_.contains(path);
      const std::string why = !held.can_undo ? "the kernel does not let it be written back"
                              : is_refused   ? faults_[path]
                                             : "the kernel keeps this value";
      restored.report.failed.push_back({path, held.original, *now + " (" + why + ")"});
      if (held.can_undo) restored.is_settled = false;
    }
  }

  Restored Report() {
    Restored restored;
    for (const auto& [path, fault] : reload_faults_) restored.report.reload_faults.push_back(fault);
    for (auto& [path, held] : state_.parameters) {
      const auto now = Now(path);
      Judge(path, held, now, restored);
      if (IsOutOfReach(path, held)) continue;  // All of it is still to be done.
      held.is_pending = false;
      held.intended.reset();
      held.reload_fault = reload_faults_.contains(path) ? reload_faults_.at(path) : "";
      // Of what somebody else wrote, our own text stays noted: so it is still theirs next time.
      if (now == held.original || !foreign_.contains(path)) held.last = now;
    }
    return restored;
  }

  FilesBeside& files_;
  HeldState& state_;
  std::map<std::string, std::optional<std::string>> start_;
  std::set<std::string> foreign_;
  std::set<std::string> spared_;  // Twins of foreign ones.
  std::set<std::string> unread_;  // Files whose originals their services must read again.
  std::map<std::string, std::string> out_of_reach_;  // Files, and why they could not be read.
  std::map<std::string, std::string> faults_;
  std::map<std::string, std::string> reload_faults_;  // Tried again when the next Run comes.
};

}  // namespace

Restored RestoreHeld(FilesBeside& files, HeldState& state) {
  return Restoration(files, state).Run();
}

Restored RestoreHeld(KernelFiles& kernel, HeldState& state) {
  FilesBeside files(kernel, state.files);
  return RestoreHeld(files, state);
}

std::vector<Change> UnexplainedChanges(KernelFiles& files, const HeldState& state) {
  std::vector<std::string> paths;
  for (const auto& [path, held] : state.parameters) paths.push_back(path);
  const Snapshot now = Snapshot::Take(files, FoldersAround(paths));
  std::vector<Change> changes;
  for (Change& change : ChangesBetween(Snapshot(state.seen), now)) {
    // What was not seen at the start moves by itself here, or is new.
    if (!state.seen.contains(change.path) || state.parameters.contains(change.path)) continue;
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace hone::sysctl
