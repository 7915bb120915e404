// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/queue/queue_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {
namespace {

constexpr std::size_t kMaxOwnerBytes = 100;
constexpr std::string_view kAbandonedAfter = "abandoned after ";
constexpr std::string_view kTheLast = "; the last: ";

bool IsOfOwner(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

Result<void> CheckOwner(std::string_view owner) {
  if (owner.size() <= kMaxOwnerBytes && std::all_of(owner.begin(), owner.end(), IsOfOwner)) {
    return {};
  }
  return Error{
      Errc::kInvalidArgument,
      fmt::format("owner: expected at most {} letters, digits, \".\", \"_\" or \"-\", found "
                  "\"{:.40}\"",
                  kMaxOwnerBytes, owner)};
}

Result<void> CheckTask(const Task& task) {
  if (task.id.empty()) return Error{Errc::kInvalidArgument, "task: it has no id"};
  if (task.max_attempts < 1) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("task {}: most_attempts is {}, and a task needs at least one", task.id,
                             task.max_attempts)};
  }
  const bool runs_baseline =
      std::find(task.order.begin(), task.order.end(), Arm::kBaseline) != task.order.end();
  if (runs_baseline && !task.baseline) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("task {}: its order names the baseline, but it has none", task.id)};
  }
  if (auto owner = CheckOwner(task.owner); !owner) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("task {}: {}", task.id, owner.error().message)};
  }
  return {};
}

Result<void> CheckSettles(const Lease& lease, const Evaluation& evaluation) {
  if (evaluation.task == lease.task) return {};
  return Error{Errc::kInvalidArgument,
               fmt::format("task {}: it cannot be settled with an evaluation of task {}",
                           lease.task, evaluation.task)};
}

Error LostLease(const Lease& lease) {
  return {Errc::kStale, fmt::format("task {}: the lease of generation {} was lost", lease.task,
                                    lease.generation)};
}

Error UnknownTask(const TaskId& task) {
  return {Errc::kNotFound, fmt::format("task {}: it was never pushed, or is forgotten", task)};
}

Error OtherBody(const TaskId& task) {
  return {Errc::kConflict,
          fmt::format("task {}: another task has this id; choose a new one", task)};
}

Error NotSettled(const TaskId& task) {
  return {Errc::kStale,
          fmt::format("task {}: it is not settled yet; cancel it, or wait for it", task)};
}

std::string LeaseRanOut(std::string_view worker) {
  return fmt::format("its worker {} let the lease run out", worker);
}

std::string AbandonedReason(std::int64_t attempts, std::string_view last_reason) {
  return fmt::format("{}{} {}{}{}", kAbandonedAfter, attempts,
                     attempts == 1 ? "attempt" : "attempts", kTheLast, last_reason);
}

std::string_view LastReasonIn(std::string_view reason) {
  const auto last = reason.find(kTheLast);
  if (!reason.starts_with(kAbandonedAfter) || last == reason.npos) return reason;
  return reason.substr(last + kTheLast.size());
}

}  // namespace hone
