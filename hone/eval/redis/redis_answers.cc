// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/redis/redis_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/base/log.h"
#include "hone/eval/queue/queue_records.h"
#include "hone/eval/queue/queue_rules.h"

namespace hone {
namespace {

// A million entries in a millisecond are more than Redis can make.
constexpr int kEntryBits = 20;
constexpr std::uint64_t kMaxEntry = (std::uint64_t{1} << kEntryBits) - 1;
constexpr std::uint64_t kMaxTime = std::uint64_t{1} << (64 - kEntryBits);

template <typename Number>
std::optional<Number> ReadNumber(std::string_view text) {
  Number number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<TaskState> StateInAnswer(std::string_view name) {
  if (name == "waiting") return TaskState::kWaiting;
  if (name == "held") return TaskState::kHeld;
  if (name == "evaluated" || DroppedNamed(name)) return TaskState::kSettled;
  return std::nullopt;
}

}  // namespace

std::string ClassText(const Task& task) {
  return fmt::format("{}{}{} {}", task.priority, task.owner.empty() ? "" : "@", task.owner,
                     Dump(ToJson(task.needs)));
}

Result<RedisClass> ClassIn(std::string_view text) {
  const auto space = std::min(text.find(' '), text.size());
  const std::string_view head = text.substr(0, space);
  const auto sign = std::min(head.find('@'), head.size());
  const auto priority = ReadNumber<int>(head.substr(0, sign));
  if (!priority) return Error{Errc::kCorrupt, "class: it does not begin with a priority"};
  const Result<Json> json = ParseJson(text.substr(space), "class");
  if (!json) return json.error();
  JsonReader reader(*json, "class");
  const std::string owner(head.substr(std::min(sign + 1, head.size())));
  RedisClass found{*priority, owner, ReadCapabilities(reader)};
  if (auto read = reader.Finish(); !read) return read.error();
  return found;
}

std::string SequenceText(std::uint64_t sequence) {
  return fmt::format("{}-{}", sequence >> kEntryBits, sequence & kMaxEntry);
}

Result<std::uint64_t> RedisAnswers::SequenceIn(std::string_view text) const {
  const auto dash = std::min(text.find('-'), text.size());
  const auto time = ReadNumber<std::uint64_t>(text.substr(0, dash));
  const auto entry = ReadNumber<std::uint64_t>(text.substr(std::min(dash + 1, text.size())));
  const bool fits = time && entry && *time < kMaxTime && *entry <= kMaxEntry;
  if (!fits) return Corrupt(caller_.Key("feed"), "it holds an entry with a number that is none");
  return (*time << kEntryBits) | *entry;
}

Error RedisAnswers::Corrupt(std::string_view key, std::string_view fault) const {
  return Error{Errc::kCorrupt,
               fmt::format("{}: key {}: {}", caller_.settings().address.Name(), key, fault)};
}

Result<std::int64_t> RedisAnswers::Number(const Words& words, std::size_t place,
                                          std::string_view name) const {
  const auto number = place < words.size() ? ReadNumber<std::int64_t>(words[place]) : std::nullopt;
  if (!number) return Corrupt(caller_.Key(name), "it does not hold a number where one is expected");
  return *number;
}

Result<Task> RedisAnswers::TaskIn(std::string_view body, const TaskId& id) const {
  Result<Task> task = ParseTask(body);
  if (!task) return Corrupt(TaskKey(id), task.error().message);
  if (task->id != id) return Corrupt(TaskKey(id), fmt::format("it holds task {}", task->id));
  return task;
}

Result<Claim> RedisAnswers::ClaimIn(const Words& words) const {
  if (words.size() != 6) return Corrupt(caller_.Key("line"), "no task was given");
  const TaskId& id = words[3];
  const auto generation = ReadNumber<std::uint64_t>(words[4]);
  if (!generation) return Corrupt(TaskKey(id), "its generation is no number");
  Result<Task> task = TaskIn(words[5], id);
  if (!task) return task.error();
  return Claim{{id, *generation}, std::move(*task)};
}

Result<Settlement> RedisAnswers::SettlementIn(const Words& words, const TaskId& id) const {
  if (words.size() != 6) return Corrupt(TaskKey(id));
  const std::string& state = words[0];
  if (state == "evaluated") {
    Result<Evaluation> evaluation = ParseEvaluation(words[2]);
    if (!evaluation) return Corrupt(TaskKey(id), evaluation.error().message);
    if (evaluation->task != id) return Corrupt(TaskKey(id), "its evaluation is another task's");
    return Settlement{std::move(*evaluation)};
  }
  const std::optional<Dropped> why = DroppedNamed(state);
  const auto attempts = ReadNumber<std::int64_t>(words[1]);
  if (!why || !attempts) return Corrupt(TaskKey(id), "its state is none");
  if (*why == Dropped::kCancelled) {
    return Settlement{Settlement::Drop{*why, std::string(kCancelledReason)}};
  }
  if (*why == Dropped::kExpired) {
    return Settlement{Settlement::Drop{*why, std::string(kExpiredReason)}};
  }
  const bool is_lapsed = words[4] == "1";
  return Settlement{Settlement::Drop{
      *why, AbandonedReason(*attempts, is_lapsed ? LeaseRanOut(words[5]) : words[3])}};
}

Result<TaskView> RedisAnswers::ViewIn(const Words& words, const TaskId& id) const {
  if (words.size() != 12) return Corrupt(TaskKey(id));
  TaskView view;
  Result<Task> task = TaskIn(words[1], id);
  if (!task) return task.error();
  view.task = std::move(*task);
  const auto state = StateInAnswer(words[2]);
  const auto pushed = ReadNumber<std::int64_t>(words[3]);
  const auto attempts = ReadNumber<int>(words[6]);
  const auto ahead = ReadNumber<std::int64_t>(words[8]);
  if (!state || !pushed || !attempts || !ahead) return Corrupt(TaskKey(id));
  view.state = *state;
  view.pushed = FromMicroseconds(*pushed);
  view.attempts = *attempts;
  view.ahead = std::min(*ahead, TaskView::kFarthest);
  view.worker = words[7];
  if (const auto taken = ReadNumber<std::int64_t>(words[4])) view.taken = FromMicroseconds(*taken);
  if (const auto settled = ReadNumber<std::int64_t>(words[5])) {
    view.settled = FromMicroseconds(*settled);
  }
  if (view.state == TaskState::kSettled) {  // The words of an answer to Await.
    Result<Settlement> settlement =
        SettlementIn({words[2], words[6], words[9], words[10], words[11], words[7]}, id);
    if (!settlement) return settlement.error();
    view.settlement = std::make_shared<const Settlement>(std::move(*settlement));
  }
  return view;
}

Result<QueueCounts> RedisAnswers::CountsIn(const Words& words) const {
  const auto held = Number(words, 1, "claims");
  const auto settled = Number(words, 2, "feed");
  if (!held) return held.error();
  if (!settled) return settled.error();
  std::map<int, QueueCounts::Level, std::greater<>> levels;
  for (std::size_t i = 3; i + 2 < words.size(); i += 3) {
    const auto line = ClassIn(words[i]);
    if (!line) return Corrupt(caller_.Key("classes"), line.error().message);
    const auto waiting = Number(words, i + 1, "wait:" + words[i]);
    const auto oldest = Number(words, i + 2, "wait:" + words[i]);
    if (!waiting) return waiting.error();
    if (!oldest) return oldest.error();
    const WallTime pushed = FromMicroseconds(*oldest);
    const QueueCounts::Level first{line->priority, 0, pushed};
    QueueCounts::Level& level = levels.try_emplace(line->priority, first).first->second;
    level.waiting += *waiting;
    level.oldest = std::min(level.oldest, pushed);
  }
  QueueCounts counts{{}, *held, *settled};
  for (const auto& [priority, level] : levels) counts.waiting.push_back(level);
  return counts;
}

// A card that does not parse is left out: the others are worth showing.
Result<std::vector<WorkerCard>> RedisAnswers::CardsIn(const Words& words) const {
  std::vector<WorkerCard> cards;
  for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
    const std::string_view text = words[i + 1];
    const auto space = std::min(text.find(' '), text.size());
    const auto seen = ReadNumber<std::int64_t>(text.substr(0, space));
    Result<WorkerCard> card = ParseWorkerCard(text.substr(std::min(space + 1, text.size())));
    if (!seen || !card || card->name != words[i]) {
      Log(LogLevel::kWarning, "{}",
          Corrupt(caller_.Key("workers"), fmt::format("its field {} is no worker", words[i]))
              .message);
      continue;
    }
    card->seen = FromMicroseconds(*seen);
    cards.push_back(std::move(*card));
  }
  std::sort(cards.begin(), cards.end(),
            [](const auto& one, const auto& other) { return one.name < other.name; });
  return cards;
}

Result<std::vector<Settled>> RedisAnswers::FeedIn(const Words& words) const {
  std::vector<Settled> entries;
  for (std::size_t i = 3; i + 1 < words.size(); i += 2) {
    const auto sequence = SequenceIn(words[i]);
    if (!sequence) return sequence.error();
    entries.push_back({*sequence, words[i + 1]});
  }
  return entries;
}

}  // namespace hone
