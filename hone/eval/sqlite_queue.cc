// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite_queue.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/log.h"
#include "hone/base/records.h"
#include "hone/base/sqlite.h"
#include "hone/eval/bell.h"
#include "hone/eval/eval_schema.h"
#include "hone/eval/queue_records.h"
#include "hone/eval/queue_rules.h"
#include "hone/eval/queue_tables.h"
#include "hone/eval/waiting_room.h"

namespace hone {
namespace {

// How many tasks one transaction ends because of the time; more of them wait for the next.
constexpr std::int64_t kMostSwept = 500;
// How many settled tasks of other processes are heard of at once.
constexpr std::size_t kMostHeard = 1000;

class SqliteQueue final : public TaskQueue {
 public:
  SqliteQueue(Database database, Clock& clock)
      : clock_(clock), room_(clock, mutex_), tables_(std::move(database)) {}

  Result<void> Start(const std::filesystem::path& bell_path) {
    const Result<std::uint64_t> last = tables_.LastSettled();
    if (!last) return last.error();
    heard_ = *last;
    Result<std::unique_ptr<Bell>> bell = HangBell(bell_path, [this] { Hear(); });
    if (!bell) return bell.error();
    bell_ = std::move(*bell);
    return {};
  }

  Result<void> Push(const Task& task) override {
    if (auto fit = CheckTask(task); !fit) return fit;
    const Result<std::string> body = StorableText(ToJson(task), task.id);
    if (!body) return body.error();
    return Write([&](QueueChanges& changes) { return tables_.Add(task, *body, Now(), changes); });
  }

  Result<std::optional<Claim>> Take(const Taker& taker, Duration term, Duration patience,
                                    std::stop_token stop) override {
    return room_.WaitToTake<Claim>(taker.has, patience, stop, [&]() -> Result<Attempt<Claim>> {
      while (true) {
        const Result<Clock::Monotonic> due = Sweep();
        if (!due) return due.error();
        const auto first = tables_.FirstFor(taker.has);
        if (!first) return first.error();
        if (!*first) return Attempt<Claim>{std::nullopt, *due};
        const std::int64_t until = Now() + Micros(term);
        const auto held = Lightly([&] { return tables_.Hold(**first, taker.name, Now(), until); });
        if (!held) return held.error();
        if (!*held) continue;  // Another process was faster.
        Tell({{}, 0, until});
        Result<Task> task = ParseTask((*first)->body);
        if (!task) return task.error();
        const auto generation = static_cast<std::uint64_t>((*first)->generation + 1);
        return Attempt<Claim>{Claim{{task->id, generation}, *task}};
      }
    });
  }

  Result<void> Renew(const Lease& lease, Duration term) override {
    const std::lock_guard lock(mutex_);
    const std::int64_t until = Now() + Micros(term);
    auto renewed = Lightly([&] { return tables_.Renew(lease, Now(), until); });
    if (renewed) Tell({{}, 0, until});
    return renewed;
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
    auto released = Lightly([&] { return tables_.Release(lease, Now()); });
    if (released) Tell({{}, 1, std::nullopt});
    return released;
  }

  Result<void> Cancel(const TaskId& task) override {
    return Write([&](QueueChanges& changes) -> Result<void> {
      if (auto swept = tables_.Sweep(Now(), kMostSwept, changes); !swept) return swept;
      return tables_.Cancel(task, Now(), changes);
    });
  }

  Result<std::optional<Settlement>> Await(const TaskId& task, Duration patience,
                                          std::stop_token stop) override {
    return room_.WaitFor<Settlement>(task, patience, stop, [&]() -> Result<Attempt<Settlement>> {
      const Result<Clock::Monotonic> due = Sweep();
      if (!due) return due.error();
      Result<std::optional<Settlement>> settlement = tables_.SettlementOf(task);
      if (!settlement) return settlement.error();
      return Attempt<Settlement>{std::move(*settlement), *due};
    });
  }

  Result<TaskView> Look(const TaskId& task) override {
    return Read([&] { return tables_.ViewOf(task); });
  }

  Result<QueueCounts> Count() override {
    return Read([&] { return tables_.Counts(); });
  }

  Result<void> Announce(const WorkerCard& card, Duration term) override {
    const std::lock_guard lock(mutex_);
    WorkerCard shown = card;
    shown.seen = clock_.Wall();
    return Lightly([&] { return tables_.Show(shown, Now(), Now() + Micros(term)); });
  }

  Result<void> Dismiss(const std::string& worker) override {
    const std::lock_guard lock(mutex_);
    return Lightly([&] { return tables_.Hide(worker); });
  }

  Result<std::vector<WorkerCard>> Workers() override {
    const std::lock_guard lock(mutex_);
    return tables_.Cards(Now());
  }

  Result<std::vector<Settled>> SettledAfter(std::uint64_t sequence, std::size_t most,
                                            Duration patience, std::stop_token stop) override {
    using Batch = std::vector<Settled>;
    auto batch = room_.WaitForFeed<Batch>(patience, stop, [&]() -> Result<Attempt<Batch>> {
      const Result<Clock::Monotonic> due = Sweep();
      if (!due) return due.error();
      Result<Batch> found = tables_.SettledAfter(sequence, most);
      if (!found) return found.error();
      if (found->empty()) return Attempt<Batch>{std::nullopt, *due};
      return Attempt<Batch>{std::move(*found)};
    });
    if (!batch) return batch.error();
    return std::move(*batch).value_or(Batch{});
  }

  Result<std::uint64_t> LastSettled() override {
    return Read([&] { return tables_.LastSettled(); });
  }

  Result<void> Forget(const TaskId& task) override {
    return Write([&](QueueChanges& changes) -> Result<void> {
      if (auto swept = tables_.Sweep(Now(), kMostSwept, changes); !swept) return swept;
      return tables_.Forget(task);
    });
  }

  Result<std::int64_t> ForgetSettledBefore(WallTime time, std::size_t most) override {
    std::int64_t forgotten = 0;
    auto done = Write([&](QueueChanges&) -> Result<void> {
      const auto count = tables_.ForgetBefore(ToMicroseconds(time), most);
      if (!count) return count.error();
      forgotten = *count;
      return {};
    });
    if (!done) return done.error();
    return forgotten;
  }

  void Wake() override {
    const std::lock_guard lock(mutex_);
    room_.Dismiss();
  }

 private:
  using Step = std::function<Result<void>(QueueChanges&)>;

  static std::int64_t Micros(Duration term) {
    return std::chrono::microseconds(std::min(term, kLongest)).count();
  }
  std::int64_t Now() const { return ToMicroseconds(clock_.Wall()); }

  // In a transaction that is on disk when this returns.
  Result<void> Write(const Step& step) {
    const std::lock_guard lock(mutex_);
    return WriteLocked(step);
  }

  template <typename Question>
  auto Read(Question question) -> decltype(question()) {
    const std::lock_guard lock(mutex_);
    if (auto swept = Sweep(); !swept) return swept.error();
    return question();
  }

  // All of what follows is called with the mutex held.

  Result<void> WriteLocked(const Step& step) {
    QueueChanges changes;
    auto done = tables_.database().Transact([&] { return step(changes); });
    if (done) Tell(changes);
    return done;
  }

  // After a commit: tells everyone here whom it concerns, and other processes.
  void Tell(const QueueChanges& changes) {
    for (const TaskId& task : changes.settled) room_.CallFor(task);
    if (!changes.settled.empty()) room_.CallFeed();
    for (std::int64_t i = 0; i < changes.offered; ++i) room_.CallOneOfEachKind();
    if (changes.due) room_.NoteDue(clock_.Now() + std::chrono::microseconds(*changes.due - Now()));
    bell_->Ring();
  }

  // Somebody rang. Our own rings concern nobody here, who was told already.
  void Hear() {
    const std::lock_guard lock(mutex_);
    const Result<bool> is_news = tables_.HaveOthersWritten();
    if (is_news && !*is_news) return;
    if (!is_news || !TellOfOthers()) room_.CallEveryone();  // Each finds out for himself.
  }

  // Tells those whom the changes of other processes concern.
  Result<void> TellOfOthers() {
    while (true) {
      const auto settled = tables_.SettledAfter(heard_, kMostHeard);
      if (!settled) return settled.error();
      for (const Settled& one : *settled) room_.CallFor(one.task);
      if (!settled->empty()) heard_ = settled->back().sequence;
      if (settled->size() < kMostHeard) break;
    }
    const auto waiting = tables_.CountWaiting(room_.CountTakers());
    if (!waiting) return waiting.error();
    for (std::int64_t i = 0; i < *waiting; ++i) room_.CallOneOfEachKind();
    room_.CallFeed();
    room_.CallKeeper();
    return {};
  }

  // Commits without waiting for the disk. It is for leases and cards only: a power cut that takes
  // one back has ended its holder too, and the task is simply offered again.
  template <typename Operation>
  auto Lightly(Operation operation) -> decltype(operation()) {
    Database& database = tables_.database();
    if (auto set = database.Execute("PRAGMA synchronous=NORMAL"); !set) return set.error();
    auto done = operation();
    if (auto set = database.Execute("PRAGMA synchronous=FULL"); !set) return set.error();
    return done;
  }

  // Does what time alone has brought about, and says when it will bring about something next.
  Result<Clock::Monotonic> Sweep() {
    while (true) {
      const auto due = tables_.NextDue();
      if (!due) return due.error();
      if (!*due) return Clock::Monotonic::max();
      const std::int64_t now = Now();
      if (**due > now) return clock_.Now() + std::chrono::microseconds(**due - now);
      const auto swept = WriteLocked(
          [&](QueueChanges& changes) { return tables_.Sweep(now, kMostSwept, changes); });
      if (!swept) return swept.error();
    }
  }

  Clock& clock_;
  std::mutex mutex_;

  // State below is protected by mutex_.
  WaitingRoom room_;
  QueueTables tables_;
  std::uint64_t heard_ = 0;  // The last of the feed that those who wait here were told of.

  std::unique_ptr<Bell> bell_;  // Last: its thread uses the rest.
};

}  // namespace

Result<std::unique_ptr<TaskQueue>> MakeSqliteQueue(const std::filesystem::path& path,
                                                   Clock& clock) {
  Result<Database> database = Database::Open(path);
  if (!database) return database.error();
  if (auto migrated = MigrateEvalSchema(*database); !migrated) return migrated.error();
  auto queue = std::make_unique<SqliteQueue>(std::move(*database), clock);
  if (auto started = queue->Start(path.string() + ".bell"); !started) return started.error();
  return queue;
}

}  // namespace hone
