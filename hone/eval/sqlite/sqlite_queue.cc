// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite/sqlite_queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/json/records.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/eval/queue/queue_records.h"
#include "hone/eval/queue/queue_rules.h"
#include "hone/eval/queue/waiting_room.h"
#include "hone/eval/sqlite/change_signal.h"
#include "hone/eval/sqlite/eval_schema.h"
#include "hone/eval/sqlite/queue_tables.h"
#include "hone/eval/sqlite/shared_sync.h"

namespace hone {
namespace {

// How many tasks one transaction ends because of the time; more of them wait for the next.
constexpr std::int64_t kMaxSwept = 500;
// A commit is in the log, which survives the process; MakeDurable brings the log to the disk. A
// larger log than usual is copied back less often.
constexpr std::string_view kLightCommits =
    "PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4000";
// How many settled tasks of other processes are heard of at once.
constexpr std::size_t kMaxHeard = 1000;

class SqliteQueue final : public TaskQueue {
 public:
  SqliteQueue(Database database, Clock& clock)
      : clock_(clock),
        room_(clock, mutex_),
        tables_(std::move(database)),
        sync_([this] { return SyncLog(); }) {}

  Result<void> Start(const std::filesystem::path& path) {
    if (auto set = tables_.database().Execute(kLightCommits); !set) return set.error();
    const Result<std::uint64_t> last = tables_.LastSettled();
    if (!last) return last.error();
    heard_ = *last;
    const std::string log_path = path.string() + "-wal";
    log_ = Descriptor(::open(log_path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!log_.is_open()) return ErrnoError(log_path, errno);
    Result<std::unique_ptr<ChangeSignal>> change_signal =
        WatchChanges(ChangeSignalOf(path), [this] { Hear(); });
    if (!change_signal) return change_signal.error();
    change_signal_ = std::move(*change_signal);
    return {};
  }

  Result<void> Push(const Task& task) override {
    if (auto fit = CheckTask(task); !fit) return fit;
    const Result<std::string> body = StorableText(ToJson(task), task.id);
    if (!body) return body.error();
    return Write([&](QueueChanges& changes) { return tables_.Add(task, *body, Now(), changes); });
  }

  Result<std::optional<Claim>> Take(const WorkerIdentity& identity, Duration lease_duration,
                                    Duration wait_timeout, std::stop_token stop) override {
    return room_.WaitToTake<Claim>(identity, wait_timeout, stop, [&]() -> Result<Attempt<Claim>> {
      while (true) {
        const Result<Clock::Monotonic> due = Sweep();
        if (!due) return due.error();
        const auto first = tables_.FirstFor(identity);
        if (!first) return first.error();
        if (!*first) return Attempt<Claim>{std::nullopt, *due};
        const std::int64_t until = Now() + Micros(lease_duration);
        const auto held = tables_.Hold(**first, identity.name, Now(), until);
        if (!held) return held.error();
        if (!*held) continue;  // Another process was faster.
        ++written_;
        Tell({{}, 0, until});
        Result<Task> task = QueueTables::TaskIn((*first)->body, (*first)->owner);
        if (!task) return task.error();
        const auto generation = static_cast<std::uint64_t>((*first)->generation + 1);
        return Attempt<Claim>{Claim{{task->id, generation}, *task}};
      }
    });
  }

  Result<void> Renew(const Lease& lease, Duration lease_duration) override {
    const std::lock_guard lock(mutex_);
    const std::int64_t until = Now() + Micros(lease_duration);
    auto renewed = tables_.Renew(lease, Now(), until);
    if (!renewed) return renewed;
    ++written_;
    Tell({{}, 0, until});
    return {};
  }

  Result<void> Settle(const Lease& lease, const Evaluation& evaluation) override {
    if (auto fit = CheckSettles(lease, evaluation); !fit) return fit;
    const Result<std::string> body = StorableText(ToJson(evaluation), lease.task);
    if (!body) return body.error();
    return Write([&](QueueChanges& changes) {
      return tables_.Settle(lease, evaluation, *body, Now(), changes);
    });
  }

  Result<void> Return(const Lease& lease, const std::string& reason) override {
    return Write(
        [&](QueueChanges& changes) { return tables_.Return(lease, reason, Now(), changes); });
  }

  Result<void> Release(const Lease& lease) override {
    const std::lock_guard lock(mutex_);
    auto released = tables_.Release(lease, Now());
    if (!released) return released;
    ++written_;
    Tell({{}, 1, std::nullopt});
    return {};
  }

  Result<void> Cancel(const TaskId& task) override {
    return Write([&](QueueChanges& changes) -> Result<void> {
      if (auto swept = tables_.Sweep(Now(), kMaxSwept, changes); !swept) return swept;
      return tables_.Cancel(task, Now(), changes);
    });
  }

  Result<std::optional<Settlement>> Await(const TaskId& task, Duration wait_timeout,
                                          std::stop_token stop) override {
    return OnDisk(
        room_.WaitFor<Settlement>(task, wait_timeout, stop, [&]() -> Result<Attempt<Settlement>> {
          const Result<Clock::Monotonic> due = Sweep();
          if (!due) return due.error();
          Result<std::optional<Settlement>> settlement = tables_.SettlementOf(task);
          if (!settlement) return settlement.error();
          return Attempt<Settlement>{std::move(*settlement), *due};
        }));
  }

  Result<TaskView> Look(const TaskId& task) override {
    auto view = Read([&] { return tables_.ViewOf(task); });
    if (!view || !view->settlement) return view;
    if (auto synced = MakeDurable(); !synced) return synced.error();
    return view;
  }

  Result<QueueCounts> Count() override {
    return Read([&] { return tables_.Counts(); });
  }

  Result<void> Announce(const WorkerCard& card, Duration lease_duration) override {
    const std::lock_guard lock(mutex_);
    WorkerCard shown = card;
    shown.seen = clock_.Wall();
    return tables_.Show(shown, Now(), Now() + Micros(lease_duration));
  }

  Result<void> Withdraw(const std::string& worker) override {
    const std::lock_guard lock(mutex_);
    return tables_.Hide(worker);
  }

  Result<std::vector<WorkerCard>> Workers() override {
    const std::lock_guard lock(mutex_);
    return tables_.Cards(Now());
  }

  Result<std::vector<Settled>> SettledAfter(std::uint64_t sequence, std::size_t max,
                                            Duration wait_timeout, std::stop_token stop) override {
    using Batch = std::vector<Settled>;
    auto batch =
        OnDisk(room_.WaitForFeed<Batch>(wait_timeout, stop, [&]() -> Result<Attempt<Batch>> {
          const Result<Clock::Monotonic> due = Sweep();
          if (!due) return due.error();
          Result<Batch> found = tables_.SettledAfter(sequence, max);
          if (!found) return found.error();
          if (found->empty()) return Attempt<Batch>{std::nullopt, *due};
          return Attempt<Batch>{std::move(*found)};
        }));
    if (!batch) return batch.error();
    return std::move(*batch).value_or(Batch{});
  }

  Result<std::vector<Settled>> SettledBefore(std::uint64_t sequence, std::size_t max) override {
    auto found = Read([&] { return tables_.SettledBefore(sequence, max); });
    if (!found || found->empty()) return found;
    if (auto synced = MakeDurable(); !synced) return synced.error();
    return found;
  }

  Result<std::uint64_t> LastSettled() override {
    return Read([&] { return tables_.LastSettled(); });
  }

  Result<void> Forget(const TaskId& task) override {
    return Write([&](QueueChanges& changes) -> Result<void> {
      if (auto swept = tables_.Sweep(Now(), kMaxSwept, changes); !swept) return swept;
      return tables_.Forget(task);
    });
  }

  Result<std::int64_t> ForgetSettledBefore(WallTime time, std::size_t max) override {
    std::int64_t forgotten = 0;
    auto done = Write([&](QueueChanges&) -> Result<void> {
      const auto count = tables_.ForgetBefore(ToMicroseconds(time), max);
      if (!count) return count.error();
      forgotten = *count;
      return {};
    });
    if (!done) return done.error();
    return forgotten;
  }

  void Wake() override {
    const std::lock_guard lock(mutex_);
    room_.Withdraw();
  }

 private:
  using Step = std::function<Result<void>(QueueChanges&)>;

  static std::int64_t Micros(Duration lease_duration) {
    return std::chrono::microseconds(std::min(lease_duration, kLongest)).count();
  }
  std::int64_t Now() const { return ToMicroseconds(clock_.Wall()); }

  // In a transaction that is on disk when this returns. It is committed first, without waiting for
  // the disk and so without keeping anyone else from the tables; whoever waits for the disk then
  // does so together with all others.
  Result<void> Write(const Step& step) {
    QueueChanges changes;
    {
      const std::lock_guard lock(mutex_);
      if (auto done = Transact(step, changes); !done) return done;
    }
    Result<void> synced = MakeDurable();
    const std::lock_guard lock(mutex_);
    Tell(changes);
    return synced;
  }

  // Nobody is told of an end that a power cut could take back.
  template <typename T>
  Result<std::optional<T>> OnDisk(Result<std::optional<T>> found) {
    if (!found || !*found) return found;
    if (auto synced = MakeDurable(); !synced) return synced.error();
    return found;
  }

  Result<void> MakeDurable() {
    {
      const std::lock_guard lock(mutex_);
      const Result<std::int64_t> others = tables_.OthersVersion();
      if (others && written_ == synced_ && *others == synced_others_) return {};
    }
    return sync_.Wait();
  }

  Result<void> SyncLog() {
    std::unique_lock lock(mutex_);
    const std::uint64_t written = written_;
    const Result<std::int64_t> others = tables_.OthersVersion();
    lock.unlock();
    if (::fdatasync(log_.get()) != 0) return ErrnoError(tables_.database().path(), errno);
    lock.lock();
    synced_ = written;
    if (others) synced_others_ = *others;
    return {};
  }

  template <typename Question>
  auto Read(Question question) -> decltype(question()) {
    const std::lock_guard lock(mutex_);
    if (auto swept = Sweep(); !swept) return swept.error();
    return question();
  }

  // All of what follows is called with the mutex held.

  Result<void> Transact(const Step& step, QueueChanges& changes) {
    auto done = tables_.database().Transact([&] { return step(changes); });
    if (done) ++written_;
    return done;
  }

  // After a commit: tells everyone here whom it concerns, and other processes.
  void Tell(const QueueChanges& changes) {
    for (const TaskId& task : changes.settled) room_.CallFor(task);
    if (!changes.settled.empty()) room_.CallFeed();
    for (std::int64_t i = 0; i < changes.offered; ++i) room_.CallOneOfEachKind();
    if (changes.due) room_.NoteDue(clock_.Now() + std::chrono::microseconds(*changes.due - Now()));
    change_signal_->Ring();
  }

  // Somebody rang. Our own rings concern nobody here, who was told already.
  void Hear() {
    const std::lock_guard lock(mutex_);
    const Result<std::int64_t> others = tables_.OthersVersion();
    if (others && std::exchange(heard_others_, *others) == *others) return;
    if (!others || !TellOfOthers()) room_.CallEveryone();  // Each finds out for himself.
  }

  // Tells those whom the changes of other processes concern.
  Result<void> TellOfOthers() {
    while (true) {
      const auto settled = tables_.SettledAfter(heard_, kMaxHeard);
      if (!settled) return settled.error();
      for (const Settled& one : *settled) room_.CallFor(one.task);
      if (!settled->empty()) heard_ = settled->back().sequence;
      if (settled->size() < kMaxHeard) break;
    }
    const auto waiting = tables_.CountWaiting(room_.CountTakers());
    if (!waiting) return waiting.error();
    for (std::int64_t i = 0; i < *waiting; ++i) room_.CallOneOfEachKind();
    room_.CallFeed();
    room_.WakeTimerWaiter();
    return {};
  }

  // Does what time alone has brought about, and says when it will bring about something next.
  Result<Clock::Monotonic> Sweep() {
    while (true) {
      const auto due = tables_.NextDue();
      if (!due) return due.error();
      if (!*due) return Clock::Monotonic::max();
      const std::int64_t now = Now();
      if (**due > now) return clock_.Now() + std::chrono::microseconds(**due - now);
      QueueChanges changes;
      const auto swept = Transact(
          [&](QueueChanges& swept_away) { return tables_.Sweep(now, kMaxSwept, swept_away); },
          changes);
      if (!swept) return swept.error();
      Tell(changes);
    }
  }

  Clock& clock_;
  std::mutex mutex_;

  // State below is protected by mutex_.
  WaitingRoom room_;
  QueueTables tables_;
  std::uint64_t heard_ = 0;         // The last of the feed that those who wait here were told of.
  std::int64_t heard_others_ = 0;   // OthersVersion when we last heard of them.
  std::uint64_t written_ = 0;       // Commits of ours,
  std::uint64_t synced_ = 0;        // of which so many are on disk,
  std::int64_t synced_others_ = 0;  // and what others had written by this version.

  Descriptor log_;  // Constant after Start.
  SharedSync sync_;
  std::unique_ptr<ChangeSignal> change_signal_;  // Last: its thread uses the rest.
};

}  // namespace

Result<std::unique_ptr<TaskQueue>> MakeSqliteQueue(const std::filesystem::path& path,
                                                   Clock& clock) {
  Result<Database> database = Database::Open(path);
  if (!database) return database.error();
  if (auto migrated = MigrateEvalSchema(*database); !migrated) return migrated.error();
  auto queue = std::make_unique<SqliteQueue>(std::move(*database), clock);
  if (auto started = queue->Start(path); !started) return started.error();
  return queue;
}

Result<std::int64_t> ForgetTasksOf(const std::filesystem::path& path, const std::string& owner,
                                   Clock& clock) {
  auto database = Database::Open(path);
  if (!database) return database.error();
  if (auto migrated = MigrateEvalSchema(*database); !migrated) return migrated.error();
  QueueTables tables(std::move(*database));
  std::int64_t forgotten = 0;
  QueueChanges changes;
  auto done = tables.database().Transact([&]() -> Result<void> {
    const auto count = tables.ForgetOwned(owner, ToMicroseconds(clock.Wall()), changes);
    if (!count) return count.error();
    forgotten = *count;
    return {};
  });
  if (!done) return done.error();
  return forgotten;
}

}  // namespace hone
