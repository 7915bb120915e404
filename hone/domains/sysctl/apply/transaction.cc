// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hone/base/log.h"
#include "hone/base/owner_only.h"
#include "hone/domains/sysctl/apply/crash_recovery.h"
#include "hone/domains/sysctl/apply/files_beside.h"
#include "hone/domains/sysctl/apply/guardian_process.h"
#include "hone/domains/sysctl/apply/held_state.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/restore.h"
#include "hone/domains/sysctl/apply/transaction_begin.h"
#include "hone/domains/sysctl/apply/transaction_lock.h"
#include "hone/domains/sysctl/apply/write_plan.h"
#include "hone/domains/sysctl/kernel/snapshot.h"

namespace hone::sysctl {
namespace {

using Kind = JournalRecord::Kind;

Error AsUnavailable(const Error& error) {
  if (error.code == Errc::kStale || error.code == Errc::kCorrupt) return error;
  return {Errc::kUnavailable, error.message};
}

// Everything that a transaction has besides the parameters themselves. None of it for what
// vanishes.
struct Safety {
  std::optional<TransactionLock> lock;  // Destroyed last.
  std::optional<Journal> journal;
  std::optional<GuardianProcess> guardian;
};

class KernelTransaction final : public ParameterTransaction {
 public:
  KernelTransaction(KernelFiles& files, TransactionSettings settings)
      : kernel_(files),
        files_(files, state_.files),
        settings_(std::move(settings)),
        folders_(FoldersAround(settings_.paths)) {}

  KernelTransaction(const KernelTransaction&) = delete;
  KernelTransaction& operator=(const KernelTransaction&) = delete;

  ~KernelTransaction() override {
    if (has_begun_ && !has_ended_) Finish();
  }

  Result<void> Begin() {
    if (settings_.has_journal) {
      if (auto locked = Lock(); !locked) return AsUnavailable(locked.error());
    }
    auto state = MakeState(files_, settings_);
    if (!state) return state.error();
    state_ = std::move(*state);
    TakeOverUntold();
    for (const std::string& path : settings_.paths) {
      originals_.push_back({path, state_.parameters.at(path).original});
    }
    if (!settings_.has_journal) {
      has_begun_ = true;
      return {};
    }
    SeeAll(files_, folders_, state_);
    return Secure();
  }

  Result<ApplyReport> Apply(const std::vector<Setting>& texts) override {
    if (has_ended_) return Ended();
    const std::vector<Setting> settings = WithFingerprints(texts);
    const auto plan = PlanWrites(state_, settings, asked_);
    if (!plan) return plan.error();
    if (auto guarded = KeepGuarded(); !guarded) return guarded.error();
    if (auto undisturbed = CheckUndisturbed(); !undisturbed) return undisturbed.error();
    if (plan->empty()) return ApplyReport{};
    auto report = Execute(*plan, settings);
    if (!report) return RolledBack(report.error());
    asked_.clear();
    for (const Setting& setting : settings) asked_[setting.path] = setting.text;
    return report;
  }

  Result<void> CheckUndisturbed() override {
    for (const auto& [path, held] : state_.parameters) {
      // What moves with others may belong to the host, which a namespace only shows.
      if (held.is_follower && !settings_.has_journal) continue;
      const auto now = files_.Read(path);
      if (!now && IsFilePath(path)) return OutOfReach(now.error());
      const bool is_as_left =
          now ? now->compare(held.last.value_or("")) == 0 && held.last : !held.last.has_value();
      if (is_as_left) continue;
      return Error{Errc::kStale,
                   fmt::format("{}: somebody else changed it to {} while this hold had \"{}\" in "
                               "force; theirs stays",
                               NameOfPath(path), now ? "\"" + *now + "\"" : "nothing at all",
                               held.last.value_or("(gone)"))};
    }
    return {};
  }

  Result<RestoreReport> Restore() override {
    if (has_ended_) return Ended();
    RestoreReport report = PutBack().report;
    if (settings_.has_journal) report.noticed = UnexplainedChanges(files_, state_);
    return report;
  }

  const std::vector<Setting>& originals() const override { return originals_; }
  const std::map<std::string, HeldFile>& files() const override { return state_.files; }
  const std::optional<RestoreReport>& recovered() const override { return recovered_; }

  std::map<std::string, std::optional<std::string>> InForce() const override {
    std::map<std::string, std::optional<std::string>> texts;
    for (const std::string& path : settings_.paths) texts[path] = state_.parameters.at(path).last;
    return texts;
  }

  Result<void> Commit() override {
    if (has_ended_) return Ended();
    if (safety_.journal) {
      if (auto kept = KeepAsPrevious(settings_.folder); !kept) return kept;
    }
    if (safety_.guardian) safety_.guardian->Withdraw();
    has_ended_ = true;
    return {};
  }

  Result<void> LeaveToConfirm(std::chrono::milliseconds wait_timeout) override {
    if (has_ended_) return Ended();
    if (!safety_.guardian) {
      return Error{Errc::kUnsupported, "kernel parameters: no guardian to wait for a confirmation"};
    }
    const std::int64_t until = BootClockMs() + wait_timeout.count();
    if (auto noted = Record({{Kind::kKeep, "", std::to_string(until)}}, true); !noted) return noted;
    if (auto left = safety_.guardian->LeaveUntil(until); !left) return left;
    has_ended_ = true;
    return {};
  }

 private:
  static Error Ended() {
    return {Errc::kInvalidArgument, "kernel parameters: this hold has ended; take another one"};
  }

  Result<void> Lock() {
    if (auto made = MakePrivateFolder(settings_.folder); !made) return made;
    if (auto ours = CheckOnlyWeWrite(settings_.folder); !ours) return ours;
    auto lock = TransactionLock::Take(settings_.folder);
    if (!lock) return lock.error();
    safety_.lock.emplace(std::move(*lock));
    auto recovered = RestoreJournal(kernel_, settings_.folder);
    if (!recovered) return recovered.error();
    recovered_ = std::move(*recovered);
    return {};
  }

  Result<void> Secure() {
    auto journal = Journal::Create(settings_.folder, state_);
    if (!journal) return journal.error();
    safety_.journal.emplace(std::move(*journal));
    has_begun_ = true;
    return KeepGuarded();
  }

  Result<void> KeepGuarded() {
    if (!settings_.has_journal || !settings_.has_guardian) return {};
    if (safety_.guardian && safety_.guardian->IsAlive()) return {};
    if (safety_.guardian) {
      Log(LogLevel::kWarning, "kernel parameters: the guardian was killed; starting another one");
    }
    safety_.guardian.reset();
    auto guardian = GuardianProcess::Start(settings_.folder, *safety_.lock);
    if (!guardian) return AsUnavailable(guardian.error());
    safety_.guardian.emplace(std::move(*guardian));
    return {};
  }

  // In memory and in the journal.
  Result<void> Record(const std::vector<JournalRecord>& records, bool is_durable = false) {
    for (const JournalRecord& record : records) Follow(state_, record);
    if (!safety_.journal || records.empty()) return {};
    if (auto appended = safety_.journal->Append(records); !appended) return appended;
    return is_durable ? safety_.journal->Sync() : Result<void>();
  }

  std::vector<Setting> WithFingerprints(std::vector<Setting> settings) {
    for (Setting& setting : settings) {
      if (state_.files.contains(setting.path)) {
        setting.text = files_.Know(setting.path, setting.text);
      }
    }
    return settings;
  }

  static Error OutOfReach(const Error& error) {
    return {Errc::kStale, error.message +
                              "; somebody else did that while this hold had it in "
                              "force"};
  }

  JournalRecord LookAtParameter(const std::string& path) {
    auto now = files_.Read(path);
    if (!now) return {Kind::kGone, path, ""};
    return {Kind::kNow, path, std::move(*now)};
  }

  // A file that cannot be read is an Error, and stays pending: what was meant for it is ours when
  // it can be.
  Result<JournalRecord> Look(const std::string& path) {
    if (!IsFilePath(path)) return LookAtParameter(path);
    auto now = files_.Read(path);
    if (!now) return OutOfReach(now.error());
    return JournalRecord{Kind::kNow, path, std::move(*now)};
  }

  // Files come last, because their services are reloaded: that may take seconds, in which others
  // work on this machine. Whatever moves then is not ours.
  Result<ApplyReport> Execute(const std::vector<PlannedWrite>& plan,
                              const std::vector<Setting>& settings) {
    if (auto undone = UndoFollowers(plan); !undone) return undone.error();
    const auto before = state_.parameters;
    const bool is_fresh = IsFresh(plan);
    const Snapshot seen = is_fresh ? Snapshot::Take(files_, folders_) : Snapshot();
    if (auto noted = Record(IntentionsOf(plan), true); !noted) return noted.error();
    const auto [parameters, services] = Parted(plan);
    auto effects = WriteParameters(parameters, settings);
    if (!effects) return effects.error();
    if (auto written = WriteAll(services); !written) return written.error();
    if (auto undisturbed = CheckUndisturbed(); !undisturbed) return undisturbed.error();

    ApplyReport report = ReportOf(plan, before);
    report.side_effects.insert(report.side_effects.end(), effects->begin(), effects->end());
    if (is_fresh) {
      report.noticed = OthersIn(ChangesBetween(seen, Snapshot::Take(files_, folders_)));
      for (const PlannedWrite& write : plan) compared_.insert(write.setting);
    }
    return report;
  }

  static std::vector<JournalRecord> IntentionsOf(const std::vector<PlannedWrite>& plan) {
    std::vector<JournalRecord> intentions;
    intentions.reserve(plan.size());
    for (const PlannedWrite& write : plan) {
      intentions.push_back({Kind::kIntend, write.setting.path, write.setting.text});
    }
    return intentions;
  }

  struct PartedPlan {
    std::vector<PlannedWrite> parameters;
    std::vector<PlannedWrite> services;  // Their files.
  };

  static PartedPlan Parted(const std::vector<PlannedWrite>& plan) {
    PartedPlan parted;
    for (const PlannedWrite& write : plan) {
      (IsFilePath(write.setting.path) ? parted.services : parted.parameters).push_back(write);
    }
    return parted;
  }

  // Gives what nobody had declared and what is held from now on. The looks before and after are at
  // little, so that hardly anybody else can come between.
  Result<std::vector<Change>> WriteParameters(const std::vector<PlannedWrite>& plan,
                                              const std::vector<Setting>& settings) {
    std::vector<std::string> paths;
    for (const PlannedWrite& write : plan) paths.push_back(write.setting.path);
    const Snapshot before = Snapshot::TakeBeside(files_, paths);
    if (auto written = WriteAll(plan); !written) return written.error();
    if (auto righted = PutRight(plan, settings); !righted) return righted.error();
    if (auto settled = SettleFollowers(); !settled) return settled.error();
    const auto changes = ChangesBetween(before, Snapshot::TakeBeside(files_, paths));
    if (auto looked = LookAgain(plan, changes); !looked) return looked.error();
    return FindEffects(plan, changes);
  }

  bool IsFresh(const std::vector<PlannedWrite>& plan) {
    return std::any_of(plan.begin(), plan.end(), [this](const PlannedWrite& write) {
      return !compared_.contains(write.setting);
    });
  }

  Result<void> WriteOne(const Setting& setting) {
    // A write to what it moves with may have been noted since: then this one would be nobody's if
    // we died after it.
    if (!state_.parameters.at(setting.path).is_pending) {
      auto noted = Record({{Kind::kIntend, setting.path, setting.text}});
      if (!noted) return noted;
    }
    if (auto written = files_.Write(setting.path, setting.text); !written) return written;
    if (IsFilePath(setting.path)) {
      state_.parameters.at(setting.path).reload_fault.clear();
      NoteUntold();
    }
    auto looked = Look(setting.path);
    if (!looked) return looked.error();
    std::vector<JournalRecord> records{std::move(*looked)};
    if (const std::string twin = state_.TwinOf(setting.path); !twin.empty()) {
      records.push_back(LookAtParameter(twin));
    }
    for (const std::string& effect : state_.EffectsOf(setting.path)) {
      records.push_back(LookAtParameter(effect));
    }
    return Record(records);
  }

  // What the kernel refuses is tried once more after the others: of a < b, one must move first.
  Result<void> WriteAll(const std::vector<PlannedWrite>& plan) {
    std::vector<Setting> refused;
    for (const PlannedWrite& write : plan) {
      auto written = WriteOne(write.setting);
      if (written) continue;
      // A check or a reload that failed would fail again.
      const bool is_final = IsFilePath(write.setting.path);
      if (is_final || written.error().code != Errc::kInvalidArgument) return written;
      refused.push_back(write.setting);
    }
    for (const Setting& setting : refused) {
      if (auto written = WriteOne(setting); !written) return written;
    }
    return {};
  }

  // What a write moved, or brought back, though it has a text of its own here: it gets that text.
  // An original that the kernel does not take beside what was asked for stays as it was moved.
  Result<void> PutRight(const std::vector<PlannedWrite>& plan,
                        const std::vector<Setting>& settings) {
    std::map<std::string, std::string> asked;
    for (const Setting& setting : settings) asked[setting.path] = setting.text;
    for (const PlannedWrite& write : plan) {
      for (const std::string& path : state_.EffectsOf(write.setting.path)) {
        const HeldParameter& held = state_.parameters.at(path);
        const auto now = files_.Read(path);
        const bool is_asked = asked.contains(path);
        const std::string text = is_asked ? asked[path] : held.original;
        if (held.is_follower || !now || *now == text) continue;
        auto written = WriteOne({path, text});
        if (!written && is_asked) return written;
      }
    }
    return {};
  }

  // What moved with a parameter goes back before that parameter moves again.
  Result<void> UndoFollowers(const std::vector<PlannedWrite>& plan) {
    std::set<std::string> moving;
    for (const PlannedWrite& write : plan) moving.insert(write.setting.path);
    return UndoIf([this, &moving](const std::string& path) {
      const auto causes = CausesOf(path);
      return std::any_of(causes.begin(), causes.end(),
                         [&](const std::string& cause) { return moving.contains(cause); });
    });
  }

  // What moved with parameters that are all back goes back too.
  Result<void> SettleFollowers() {
    return UndoIf([this](const std::string& path) {
      const auto causes = CausesOf(path);
      return std::all_of(causes.begin(), causes.end(), [&](const std::string& cause) {
        const auto held = state_.parameters.find(cause);
        return held == state_.parameters.end() || held->second.last == held->second.original;
      });
    });
  }

  template <typename Condition>
  Result<void> UndoIf(Condition condition) {
    std::vector<JournalRecord> records;
    for (const auto& [path, held] : state_.parameters) {
      if (!held.is_follower || !held.can_undo) continue;
      const auto now = files_.Read(path);
      if (!now || *now == held.original || !condition(path)) continue;
      // Where the kernel refuses, Restore says so.
      [[maybe_unused]] const auto written = files_.Write(path, held.original);
      records.push_back(LookAtParameter(path));
    }
    return Record(records);
  }

  std::set<std::string> CausesOf(const std::string& path) const {
    std::set<std::string> causes;
    if (const auto found = causes_.find(path); found != causes_.end()) causes = found->second;
    for (const Couplings::Effect& effect : state_.couplings.effects) {
      if (effect.effect == path) causes.insert(effect.cause);
    }
    return causes;
  }

  // One write may have moved what an earlier one had set, or what is held and lies beside it.
  Result<void> LookAgain(const std::vector<PlannedWrite>& plan, const std::vector<Change>& beside) {
    std::set<std::string> moved;
    for (const Change& change : beside) moved.insert(change.path);
    for (const PlannedWrite& write : plan) {
      moved.insert({write.setting.path, state_.TwinOf(write.setting.path)});
      moved.merge(FollowersOf(write.setting.path));
    }
    std::vector<JournalRecord> records;
    for (const std::string& path : moved) {
      const auto held = state_.parameters.find(path);
      if (held == state_.parameters.end()) continue;
      JournalRecord record = LookAtParameter(path);
      const auto now =
          record.kind == Kind::kGone ? std::nullopt : std::optional<std::string>(record.text);
      if (now != held->second.last || held->second.is_pending) records.push_back(std::move(record));
    }
    return Record(records);
  }

  // Declared and found ones.
  std::set<std::string> FollowersOf(const std::string& cause) const {
    const std::vector<std::string> declared = state_.EffectsOf(cause);
    std::set<std::string> followers(declared.begin(), declared.end());
    for (const auto& [path, causes] : causes_) {
      if (causes.contains(cause)) followers.insert(path);
    }
    return followers;
  }

  ApplyReport ReportOf(const std::vector<PlannedWrite>& plan,
                       const std::map<std::string, HeldParameter>& before) const {
    ApplyReport report;
    std::set<std::string> written;
    for (const PlannedWrite& write : plan) {
      written.insert(write.setting.path);
      if (!write.is_asked) {
        report.put_back.push_back(write.setting.path);
        continue;
      }
      report.written.push_back(
          {write.setting, state_.parameters.at(write.setting.path).last.value_or("")});
    }
    for (const auto& [path, held] : state_.parameters) {
      const auto was = before.find(path);
      if (was == before.end() || written.contains(path) || held.last == was->second.last) continue;
      report.side_effects.push_back({path, was->second.last.value_or(""), held.last.value_or("")});
    }
    return report;
  }

  // Parameters that nobody declared and that moved beside these writes. From now on they are held.
  Result<std::vector<Change>> FindEffects(const std::vector<PlannedWrite>& plan,
                                          const std::vector<Change>& beside) {
    std::vector<Change> effects;
    std::vector<JournalRecord> records;
    for (const Change& change : beside) {
      if (state_.parameters.contains(change.path) || !MayBeHeld(change)) continue;
      records.push_back({Kind::kMoved, change.path, change.before});
      records.push_back(LookAtParameter(change.path));
      for (const PlannedWrite& write : plan) causes_[change.path].insert(write.setting.path);
      effects.push_back(change);
    }
    if (auto noted = Record(records); !noted) return noted.error();
    return effects;
  }

  // Not what came only now, and so has no original, nor what moved before anything was written.
  bool MayBeHeld(const Change& change) const {
    if (change.before.empty()) return false;
    if (settings_.has_journal && !state_.seen.contains(change.path)) return false;
    return !settings_.is_left_alone || !settings_.is_left_alone(change.path);
  }

  std::vector<Change> OthersIn(std::vector<Change> changes) const {
    std::erase_if(changes,
                  [this](const Change& change) { return state_.parameters.contains(change.path); });
    return changes;
  }

  Restored PutBack() {
    const auto before = state_.parameters;
    Restored restored = RestoreHeld(files_, state_);
    asked_.clear();
    NoteUntold();
    for (const std::string& fault : restored.report.reload_faults) {
      Log(LogLevel::kError, "{}", fault);
    }
    std::vector<JournalRecord> records;
    for (const auto& [path, held] : state_.parameters) {
      // Who reads the journal of one whose service was not told must tell it.
      if (held == before.at(path) || !held.reload_fault.empty()) continue;
      records.push_back(held.last ? JournalRecord{Kind::kNow, path, *held.last}
                                  : JournalRecord{Kind::kGone, path, ""});
    }
    // Without these the journal still tells what is ours.
    [[maybe_unused]] const auto noted = Record(records);
    return restored;
  }

  // Of services that the last transaction could not tell.
  void TakeOverUntold() {
    if (!settings_.untold) return;
    for (const auto& [path, file] : state_.files) {
      state_.parameters.at(path).reload_fault = settings_.untold->FaultOf(path);
    }
  }

  void NoteUntold() {
    if (!settings_.untold) return;
    for (const auto& [path, file] : state_.files) {
      settings_.untold->Note(path, state_.parameters.at(path).reload_fault);
    }
  }

  Error RolledBack(const Error& error) {
    const RestoreReport report = PutBack().report;
    std::string message = error.message;
    for (const std::string& fault : report.reload_faults) message += "; " + fault;
    if (report.IsClean()) return {error.code, message};
    std::string names;
    for (const auto* list : {&report.kept, &report.failed}) {
      for (const Change& change : *list) names += " " + NameOfPath(change.path);
    }
    return {error.code, message + "; not put back:" + names};
  }

  void Finish() {
    const Restored restored = PutBack();
    for (const Change& change : restored.report.kept) {
      Log(LogLevel::kWarning, "{}: somebody else set it to \"{}\"; left so",
          NameOfPath(change.path), change.after);
    }
    for (const Change& change : restored.report.failed) {
      Log(LogLevel::kError, "{}: not put back to \"{}\": in force is {}", NameOfPath(change.path),
          change.before, change.after);
    }
    has_ended_ = true;
    if (!safety_.journal || !restored.is_settled) return;
    if (auto removed = Journal::Remove(settings_.folder); !removed) {
      Log(LogLevel::kError, "{}", removed.error().message);
    }
    if (safety_.guardian) safety_.guardian->Withdraw();
  }

  KernelFiles& kernel_;
  FilesBeside files_;  // Looks at state_.
  const TransactionSettings settings_;
  const std::vector<std::string> folders_;
  std::vector<Setting> originals_;
  std::optional<RestoreReport> recovered_;

  HeldState state_;
  Safety safety_;
  std::map<std::string, std::string> asked_;             // By the last Apply.
  std::map<std::string, std::set<std::string>> causes_;  // Of followers that nobody declared.
  std::set<Setting> compared_;                           // Writes whose effects were looked for.
  bool has_begun_ = false;
  bool has_ended_ = false;
};

}  // namespace

Result<std::unique_ptr<ParameterTransaction>> ParameterTransaction::Take(
    KernelFiles& files, TransactionSettings settings) {
  auto transaction = std::make_unique<KernelTransaction>(files, std::move(settings));
  if (auto begun = transaction->Begin(); !begun) return begun.error();
  return std::unique_ptr<ParameterTransaction>(std::move(transaction));
}

}  // namespace hone::sysctl
