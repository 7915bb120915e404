// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_runs.h"

#include <fmt/format.h>

#include <utility>

namespace hone::tune {

WatchRuns::WatchRuns(const WatchSubject& subject, const WatchSettings& settings,
                     const WatchHooks& hooks)
    : subject_(subject), settings_(settings), hooks_(hooks), rng_(settings.seed) {}

Task WatchRuns::TaskFor(const Candidate& candidate) const {
  Task task;
  task.id = fmt::format("watch/{}", position_);
  task.domain = subject_.domain;
  task.options = subject_.options;
  task.candidate = candidate;
  task.order = {Arm::kCandidate};
  task.seed = rng_.Split("run").Split(static_cast<std::uint64_t>(position_)).Next();
  task.position = position_;
  task.run_timeout = subject_.run_timeout;
  task.needs = subject_.needs;
  return task;
}

Result<WatchRun> WatchRuns::Lose(const Error& error) {
  in_force_.reset();
  WatchRun run;
  if (hooks_.is_over()) return run;
  if (error.code == Errc::kStale) return error;
  ++lost_;
  if (++lost_in_a_row_ >= settings_.max_failures) {
    return Error{error.code, fmt::format("{} runs in a row could not be made; the last: {}",
                                         lost_in_a_row_, error.message)};
  }
  run.reason = error.message;
  return run;
}

Result<void> WatchRuns::Record(const Task& task, const Evaluation& evaluation, std::int64_t round) {
  WatchEvent event;
  event.kind = WatchEvent::Kind::kRun;
  event.round = round;
  event.what = task.id;
  event.candidate = task.candidate;
  event.in_force = task.candidate;
  event.reason = evaluation.reason;
  if (!evaluation.samples.empty()) {
    for (const auto& [name, reading] : evaluation.samples.front().metrics) {
      event.metrics[name] = reading.value;
    }
  }
  return hooks_.record(event);
}

Result<WatchRun> WatchRuns::Make(const Candidate& candidate, std::int64_t round) {
  if (hooks_.is_over()) return WatchRun{};
  const Task task = TaskFor(candidate);
  ++position_;
  auto evaluation = hooks_.measure(task);
  if (!evaluation) return Lose(evaluation.error());
  if (auto recorded = Record(task, *evaluation, round); !recorded) return recorded.error();
  lost_in_a_row_ = 0;
  in_force_ = candidate;
  suspicions_.Add(*evaluation);
  WatchRun run;
  if (evaluation->outcome == Outcome::kAccepted && !evaluation->samples.empty()) {
    run.end = WatchRun::End::kMeasured;
    run.sample = std::move(evaluation->samples.front());
    return run;
  }
  run.end = WatchRun::End::kFailed;
  run.reason = fmt::format("the run was {}: {}", NameOf(evaluation->outcome), evaluation->reason);
  run.evidence = std::move(evaluation->evidence);
  return run;
}

Result<Compared> WatchRuns::Compare(const Candidate& reference, const Candidate& challenger,
                                    ChallengerJudge challenger_judge, std::int64_t round) {
  Compared compared;
  Rng order = rng_.Split("order").Split(static_cast<std::uint64_t>(position_));
  bool is_reference_next = order.Coin();
  for (int made = 0; compared.ruling == Ruling::kMore; ++made) {
    if (made % 2 == 0 && made > 0) is_reference_next = order.Coin();
    auto run = Make(is_reference_next ? reference : challenger, round);
    if (!run) return run.error();
    compared.reason = run->reason;
    if (run->end == WatchRun::End::kLost) return compared;
    if (run->end == WatchRun::End::kFailed) {
      compared.ruling = is_reference_next ? Ruling::kReferenceBroken : Ruling::kHarm;
      compared.has_failed = true;
      compared.evidence = std::move(run->evidence);
      break;
    }
    auto& runs = is_reference_next ? compared.reference_runs : compared.challenger_runs;
    runs.push_back(run->sample);
    compared.ruling = is_reference_next ? challenger_judge.AddReference(run->sample)
                                        : challenger_judge.AddChallenger(run->sample);
    compared.reason = challenger_judge.reason();
    is_reference_next = !is_reference_next;
  }
  if (challenger_judge.Pairs() > 0) compared.gain = challenger_judge.Gain();
  compared.ratios = challenger_judge.Ratios();
  return compared;
}

}  // namespace hone::tune
