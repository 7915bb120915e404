// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/redis/redis_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/base/log.h"
#include "hone/eval/queue/queue_records.h"
#include "hone/eval/queue/queue_rules.h"
#include "hone/eval/queue/waiting_room.h"
#include "hone/eval/redis/redis_answers.h"
#include "hone/eval/redis/redis_caller.h"
#include "hone/eval/redis/redis_listener.h"

namespace hone {
namespace {

using Words = std::vector<std::string>;

// A Redis must not be kept from others for long by one script.
constexpr std::size_t kMaxOfFeed = 10'000;
constexpr std::size_t kMaxForgotten = 500;

// Times that a double holds exactly, as zsets and Lua need.
constexpr std::int64_t kFarTime = 8'000'000'000'000'000;

std::string Micros(TaskQueue::Duration lease_duration) {
  return std::to_string(std::chrono::microseconds(std::min(lease_duration, kLongest)).count());
}

std::string DeadlineOf(const Task& task) {
  if (!task.deadline) return "";
  return std::to_string(std::clamp(ToMicroseconds(*task.deadline), -kFarTime, kFarTime));
}

// Calls to Redis are made without the mutex, so that one who waits for a reply holds up nobody.
// What is announced meanwhile is noted in the flight: the reply may be older than it.
struct Flight {
  enum class Topic { kTake, kTask, kFeed };
  Topic topic;
  TaskId task;
  bool has_news = false;
};

class RedisQueue final : public TaskQueue {
 public:
  RedisQueue(std::unique_ptr<RedisCaller> caller, Clock& clock)
      : clock_(clock), caller_(std::move(caller)), answers_(*caller_), room_(clock, mutex_) {}

  Result<void> Start() {
    auto listener =
        Listen(*caller_, [this](std::string_view change_signal) { Hear(change_signal); });
    if (!listener) return listener.error();
    listener_ = std::move(*listener);
    return {};
  }

  Result<void> Push(const Task& task) override {
    if (auto fit = CheckTask(task); !fit) return fit;
    const Result<std::string> body = StorableText(ToJson(task), task.id);
    if (!body) return body.error();
    const auto words =
        Ask(RedisScript::kPush,
            {task.id, *body, ClassText(task), std::to_string(task.max_attempts), DeadlineOf(task)});
    if (!words) return words.error();
    if (words->front() != "known") return {};
    const Result<Task> known = answers_.TaskIn(words->back(), task.id);
    if (!known) return known.error();
    if (*known != task) return OtherBody(task.id);  // Else only the spelling differs.
    return {};
  }

  Result<std::optional<Claim>> Take(const WorkerIdentity& identity, Duration lease_duration,
                                    Duration wait_timeout, std::stop_token stop) override {
    Words arguments{Micros(lease_duration), identity.name, std::to_string(identity.has.memory_mib),
                    ""};
    for (const std::string& owner : identity.serves) arguments.back() += owner + ",";
    arguments.insert(arguments.end(), identity.has.names.begin(), identity.has.names.end());
    const Journey journey{LastOf(wait_timeout), stop};
    return room_.WaitToTake<Claim>(identity, wait_timeout, stop, [&] {
      return Fly<Claim>({Flight::Topic::kTake, {}}, journey,
                        [&] { return TakeOnce(arguments, stop); });
    });
  }

  Result<void> Renew(const Lease& lease, Duration lease_duration) override {
    return AskHolding(lease, RedisScript::kRenew, {Micros(lease_duration)});
  }

  Result<void> Settle(const Lease& lease, const Evaluation& evaluation) override {
    if (auto fit = CheckSettles(lease, evaluation); !fit) return fit;
    const Result<std::string> body = StorableText(ToJson(evaluation), lease.task);
    if (!body) return body.error();
    return AskHolding(lease, RedisScript::kSettle, {*body});
  }

  Result<void> Return(const Lease& lease, const std::string& reason) override {
    return AskHolding(lease, RedisScript::kReturn, {reason});
  }

  Result<void> Release(const Lease& lease) override {
    return AskHolding(lease, RedisScript::kRelease, {});
  }

  Result<void> Cancel(const TaskId& task) override {
    const auto words = AskAbout(task, RedisScript::kCancel);
    if (!words) return words.error();
    return {};
  }

  Result<std::optional<Settlement>> Await(const TaskId& task, Duration wait_timeout,
                                          std::stop_token stop) override {
    const Journey journey{LastOf(wait_timeout), stop};
    return room_.WaitFor<Settlement>(task, wait_timeout, stop, [&] {
      return Fly<Settlement>({Flight::Topic::kTask, task}, journey,
                             [&] { return AwaitOnce(task, stop); });
    });
  }

  Result<TaskView> Look(const TaskId& task) override {
    const auto words = AskAbout(task, RedisScript::kLook);
    if (!words) return words.error();
    return answers_.ViewIn(*words, task);
  }

  Result<QueueCounts> Count() override {
    const auto words = AskNow(RedisScript::kCount);
    if (!words) return words.error();
    return answers_.CountsIn(*words);
  }

  Result<void> Announce(const WorkerCard& card, Duration lease_duration) override {
    return Done(
        Ask(RedisScript::kAnnounce, {card.name, Dump(ToJson(card)), Micros(lease_duration)}));
  }

  Result<void> Withdraw(const std::string& worker) override {
    return Done(Ask(RedisScript::kWithdraw, {worker}));
  }

  Result<std::vector<WorkerCard>> Workers() override {
    const auto words = AskNow(RedisScript::kWorkers);
    if (!words) return words.error();
    return answers_.CardsIn(*words);
  }

  Result<std::vector<Settled>> SettledAfter(std::uint64_t sequence, std::size_t max,
                                            Duration wait_timeout, std::stop_token stop) override {
    using Entries = std::vector<Settled>;
    const Words arguments = FeedArguments(sequence, max);
    const Journey journey{LastOf(wait_timeout), stop};
    auto entries = room_.WaitForFeed<Entries>(wait_timeout, stop, [&] {
      return Fly<Entries>({Flight::Topic::kFeed, {}}, journey,
                          [&] { return FeedOnce(arguments, stop); });
    });
    if (!entries) return entries.error();
    return std::move(*entries).value_or(Entries{});
  }

  Result<std::vector<Settled>> SettledBefore(std::uint64_t sequence, std::size_t max) override {
    if (sequence == 0) return std::vector<Settled>{};  // Redis refuses what nothing can be before.
    const auto words = Ask(RedisScript::kFeedBack, FeedArguments(sequence, max));
    if (!words) return words.error();
    return answers_.FeedIn(*words);
  }

  Result<std::uint64_t> LastSettled() override {
    const auto words = Ask(RedisScript::kLastSettled, {});
    if (!words) return words.error();
    return answers_.SequenceIn(words->back());
  }

  Result<void> Forget(const TaskId& task) override {
    const auto answer = caller_->Run(RedisScript::kForget, {task});
    if (!answer) return answer.error();
    const std::string& word = answer->words.front();
    if (word == "stale") return NotSettled(task);
    // A call that was made twice does not find what it has forgotten.
    if (word == "unknown" && !answer->is_repeated) return UnknownTask(task);
    return {};
  }

  Result<std::int64_t> ForgetSettledBefore(WallTime time, std::size_t max) override {
    const std::string before =
        std::to_string(std::clamp(ToMicroseconds(time), -kFarTime, kFarTime));
    std::int64_t total = 0;
    while (max > 0) {
      const std::size_t step = std::min(max, kMaxForgotten);
      const auto words = Ask(RedisScript::kForgetOld, {before, std::to_string(step)});
      if (!words) return words.error();
      const auto count = answers_.Number(*words, 1, "feed");
      if (!count) return count.error();
      total += *count;
      if (*count < static_cast<std::int64_t>(step)) break;
      max -= step;
    }
    return total;
  }

  void Wake() override {
    const std::lock_guard lock(mutex_);
    ++wakes_;
    room_.Withdraw();
  }

 private:
  struct Journey {
    Clock::Monotonic last;
    std::stop_token stop;
  };

  Clock::Monotonic LastOf(Duration wait_timeout) const {
    return clock_.Now() + std::min(wait_timeout, kLongest);
  }

  Result<Words> Ask(RedisScript script, Words arguments, const std::stop_token& stop = {}) {
    return WordsOf(caller_->Run(script, std::move(arguments), stop));
  }

  // Of how things stand: that Redis is away is an answer too, and wanted soon.
  Result<Words> AskNow(RedisScript script) { return WordsOf(caller_->RunNow(script, {})); }

  Result<Words> WordsOf(Result<RedisCaller::Answer> answer) const {
    if (!answer) return answer.error();
    if (answer->words.front() == "corrupt") return answers_.Corrupt(answer->words.back());
    return std::move(answer->words);
  }

  static Result<void> Done(const Result<Words>& words) {
    if (!words) return words.error();
    return {};
  }

  Result<Words> AskAbout(const TaskId& task, RedisScript script, const std::stop_token& stop = {}) {
    Result<Words> words = Ask(script, {task}, stop);
    if (words && words->front() == "unknown") return UnknownTask(task);
    return words;
  }

  Result<void> AskHolding(const Lease& lease, RedisScript script, Words more) {
    Words arguments{lease.task, std::to_string(lease.generation)};
    arguments.insert(arguments.end(), std::make_move_iterator(more.begin()),
                     std::make_move_iterator(more.end()));
    const Result<Words> words = Ask(script, std::move(arguments));
    if (!words) return words.error();
    if (words->front() == "stale") return LostLease(lease);
    return {};
  }

  // When time alone will change something, by what a script said of it; `start` is when it was
  // called. Early by the time of the call, never late.
  Clock::Monotonic DueIn(const Words& words, Clock::Monotonic start) const {
    if (words.size() < 3 || words[2].empty()) return Clock::Monotonic::max();
    const auto now = answers_.Number(words, 1, "due");
    const auto due = answers_.Number(words, 2, "due");
    if (!now || !due) return Clock::Monotonic::max();
    return start + std::chrono::microseconds(std::clamp<std::int64_t>(*due - *now, 0, kFarTime));
  }

  Result<Attempt<Claim>> TakeOnce(const Words& arguments, const std::stop_token& stop) {
    while (true) {
      const auto start = clock_.Now();
      const Result<Words> words = Ask(RedisScript::kTake, arguments, stop);
      if (!words) return words.error();
      if (words->front() == "none") {
        const auto due = DueIn(*words, start);
        if (due <= start) continue;  // A script does only so much of what is due.
        return Attempt<Claim>{std::nullopt, due};
      }
      Result<Claim> claim = answers_.ClaimIn(*words);
      if (claim) return Attempt<Claim>{std::move(*claim)};
      if (words->size() < 6) return claim.error();
      Log(LogLevel::kError, "{}", claim.error().message);
      const auto dropped =
          Ask(RedisScript::kDrop, {(*words)[3], (*words)[4], "its stored form is damaged"});
      if (!dropped) return dropped.error();
    }
  }

  Result<Attempt<Settlement>> AwaitOnce(const TaskId& task, const std::stop_token& stop) {
    const auto start = clock_.Now();
    const Result<Words> words = AskAbout(task, RedisScript::kAwait, stop);
    if (!words) return words.error();
    if (words->front() == "open") return Attempt<Settlement>{std::nullopt, DueIn(*words, start)};
    Result<Settlement> settlement = answers_.SettlementIn(*words, task);
    if (!settlement) return settlement.error();
    return Attempt<Settlement>{std::move(*settlement)};
  }

  static Words FeedArguments(std::uint64_t sequence, std::size_t max) {
    return {SequenceText(sequence), std::to_string(std::clamp<std::size_t>(max, 1, kMaxOfFeed))};
  }

  Result<Attempt<std::vector<Settled>>> FeedOnce(const Words& arguments,
                                                 const std::stop_token& stop) {
    const auto start = clock_.Now();
    const Result<Words> words = Ask(RedisScript::kFeed, arguments, stop);
    if (!words) return words.error();
    Result<std::vector<Settled>> entries = answers_.FeedIn(*words);
    if (!entries) return entries.error();
    Attempt<std::vector<Settled>> attempt{std::nullopt, DueIn(*words, start)};
    if (!entries->empty()) attempt.found = std::move(*entries);
    return attempt;
  }

  // All of what follows is called with the mutex held.

  // Makes a try without the mutex, and another if meanwhile something was announced that it may
  // have missed.
  template <typename T, typename Once>
  Result<Attempt<T>> Fly(Flight flight, const Journey& journey, Once once) {
    const std::uint64_t wakes = wakes_;
    while (true) {
      flight.has_news = false;
      flights_.insert(&flight);
      mutex_.unlock();
      Result<Attempt<T>> tried = once();
      mutex_.lock();
      flights_.erase(&flight);
      const bool is_stopped = journey.stop.stop_requested();
      if (!tried && is_stopped && tried.error().code == Errc::kUnavailable) return Attempt<T>{};
      const bool is_over = is_stopped || wakes != wakes_ || clock_.Now() >= journey.last;
      if (!tried || tried->found || !flight.has_news || is_over) return tried;
    }
  }

  template <typename Concerns>
  void Note(Concerns concerns) {
    for (Flight* flight : flights_) {
      if (concerns(*flight)) flight->has_news = true;
    }
  }

  // What the scripts announce: "w" and a class: such a task waits; "s" and an id: it is settled;
  // "d": something will be due sooner; "*": whatever may have been missed.
  void Hear(std::string_view change_signal) {
    const std::lock_guard lock(mutex_);
    const std::string_view rest =
        change_signal.substr(std::min<std::size_t>(1, change_signal.size()));
    if (change_signal.starts_with('w')) {
      Note([](const Flight& flight) { return flight.topic == Flight::Topic::kTake; });
      CallTakers(rest);
    } else if (change_signal.starts_with('s')) {
      Note([rest](const Flight& flight) {
        return flight.topic == Flight::Topic::kFeed || flight.task == rest;
      });
      room_.CallFor(TaskId(rest));
      room_.CallFeed();
    } else {
      Note([](const Flight&) { return true; });
      change_signal.starts_with('d') ? room_.WakeTimerWaiter() : room_.CallEveryone();
    }
  }

  void CallTakers(std::string_view class_text) {
    const auto line = ClassIn(class_text);
    line ? room_.CallOneFor(line->owner, line->needs) : room_.CallOneOfEachKind();
  }

  Clock& clock_;
  std::unique_ptr<RedisCaller> caller_;
  RedisAnswers answers_;
  std::mutex mutex_;

  // State below is protected by mutex_.
  WaitingRoom room_;
  std::set<Flight*> flights_;
  std::uint64_t wakes_ = 0;

  std::unique_ptr<RedisListener> listener_;  // Last: its thread uses the rest.
};

}  // namespace

Result<std::unique_ptr<TaskQueue>> MakeRedisQueue(const RedisSettings& settings, Clock& clock) {
  Result<std::unique_ptr<RedisCaller>> caller = RedisCaller::Open(settings, clock);
  if (!caller) return caller.error();
  auto queue = std::make_unique<RedisQueue>(std::move(*caller), clock);
  if (auto started = queue->Start(); !started) return started.error();
  return queue;
}

}  // namespace hone
