// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/kernel/kernel_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "hone/agent/chat/logged_model.h"
#include "hone/agent/kernel/kernel_parents.h"
#include "hone/agent/kernel/kernel_record.h"
#include "hone/base/sha256.h"
#include "hone/core/rng.h"

namespace hone::agent {
namespace {

constexpr std::array<std::string_view, 2> kKernelModes = {"refine", "evolve"};

// Which attempt is to be written next in a line.
struct PlannedAttempt {
  std::int64_t number = 0;
  std::int64_t round = 0;
  std::int64_t line = 0;
  std::vector<KernelAttempt> shown = {};

  std::vector<std::int64_t> Parents() const {
    std::vector<std::int64_t> parents;
    for (const KernelAttempt& one : shown) parents.push_back(one.number);
    return parents;
  }
};

Json SettingsRecord(const KernelBrief& brief, const KernelSearchSettings& settings) {
  return {{"problem", brief.problem},
          {"brief", Sha256OfTexts({brief.problem, brief.statement, brief.reference, brief.rules})},
          {"mode", NameOf(settings.mode)},
          {"lines", settings.lines},
          {"max_shown", settings.max_shown},
          {"crossover", settings.crossover},
          {"seed", settings.seed}};
}

class KernelSearcher {
 public:
  KernelSearcher(const KernelBrief& brief, const KernelSearchSettings& settings, ChatModel& model,
                 const KernelJudging& judge, AgentLog& log, const KernelListener& listener,
                 const std::stop_token& stop)
      : brief_(brief),
        settings_(settings),
        asked_(model),
        judge_(judge),
        log_(log),
        listener_(listener),
        stop_(stop) {}

  Result<KernelSearchResult> Run() {
    if (auto opened = ReadLog(); !opened) return opened.error();
    for (std::int64_t round = 0; round < settings_.rounds && !is_over_; ++round) {
      if (stop_.stop_requested()) is_over_ = true;
      if (is_over_) break;
      if (auto made = MakeRound(round); !made) return made.error();
    }
    result_.is_cut_short = is_over_;
    if (result_.attempts.empty() && !stop_.stop_requested()) return last_failure_;
    return std::move(result_);
  }

 private:
  // Attempts that were made before, by number.
  Result<void> ReadLog() {
    const Json own = SettingsRecord(brief_, settings_);
    const auto begun = log_.Next("search");
    if (!begun) return begun.error();
    if (!*begun) {
      model_.emplace(asked_, log_);
      return log_.Append("search", own);
    }
    for (const auto& [key, value] : own.items()) {
      if (!(*begun)->contains(key) || (**begun)[key] != value) {
        return Error{Errc::kInvalidArgument,
                     fmt::format("{}: it is of another search: its {} differs; give another log",
                                 log_.Where(), key)};
      }
    }
    LoggedExchanges exchanges;
    while (!log_.is_at_end()) {
      const bool is_exchange = log_.next_kind() == kExchangeLine;
      const auto record = log_.Next(is_exchange ? kExchangeLine : "attempt");
      if (!record) return record.error();
      if (is_exchange) {
        if (auto added = exchanges.Add(**record, log_.Where()); !added) return added.error();
        continue;
      }
      auto attempt = ParseKernelAttempt(**record, log_.Where());
      if (!attempt) return attempt.error();
      known_.insert_or_assign(attempt->number, std::move(*attempt));
    }
    model_.emplace(asked_, log_, std::move(exchanges));
    return {};
  }

  std::vector<KernelAttempt> LineOf(std::int64_t line) const {
    std::vector<KernelAttempt> attempts;
    for (const KernelAttempt& one : result_.attempts) {
      if (one.line == line) attempts.push_back(one);
    }
    return attempts;
  }

  KernelArchive ArchiveOf(std::int64_t line) const {
    KernelArchive archive;
    for (const KernelAttempt& one : LineOf(line)) archive.Add(one);
    return archive;
  }

  std::vector<KernelAttempt> ParentsOnIsland(std::int64_t line, Rng& rng) const {
    const KernelArchive own = ArchiveOf(line);
    const KernelArchive neighbour = ArchiveOf((line + 1) % settings_.lines);
    std::vector<KernelAttempt> parents;
    if (!own.is_empty()) parents.push_back(own.Draw(rng));
    if (!neighbour.is_empty() && rng.Uniform() < settings_.crossover) {
      const KernelAttempt& other = neighbour.Draw(rng);
      if (parents.empty() || parents[0].number != other.number) parents.push_back(other);
    }
    if (!parents.empty()) return parents;
    const auto tried = LineOf(line);
    return tried.empty() ? tried : std::vector<KernelAttempt>{tried.back()};
  }

  PlannedAttempt Plan(std::int64_t round, std::int64_t line) const {
    PlannedAttempt plan{
        .number = round * settings_.lines + line, .round = round, .line = line, .shown = {}};
    if (settings_.mode == KernelMode::kRefine) {
      plan.shown = BestWindow(LineOf(line), settings_.max_shown);
    } else {
      Rng rng = Rng(settings_.seed).Split(static_cast<std::uint64_t>(plan.number));
      plan.shown = ParentsOnIsland(line, rng);
    }
    return plan;
  }

  // Plans depend on earlier rounds alone, so it does not matter which line is ready first.
  Result<void> MakeRound(std::int64_t round) {
    std::vector<PlannedAttempt> plans;
    for (std::int64_t line = 0; line < settings_.lines; ++line) plans.push_back(Plan(round, line));
    std::vector<std::jthread> writers;
    for (const PlannedAttempt& plan : plans) {
      const auto known = known_.find(plan.number);
      if (known == known_.end()) {
        writers.emplace_back([this, &plan] { Make(plan); });
      } else if (known->second.parents != plan.Parents()) {
        return Error{Errc::kInvalidArgument,
                     fmt::format("{}: attempt {} has other parents than this search gives it",
                                 log_.Where(), plan.number)};
      } else {
        const std::lock_guard lock(mutex_);
        made_.insert_or_assign(plan.number, known->second);
      }
    }
    writers.clear();  // Joins all.
    if (log_failure_) return *log_failure_;
    if (made_.empty()) is_over_ = true;  // The next round would go the same way.
    for (auto& [number, attempt] : made_) result_.attempts.push_back(std::move(attempt));
    made_.clear();
    return {};
  }

  void Make(const PlannedAttempt& plan) {
    ChatRequest request{.messages = KernelMessages(brief_, plan.shown)};
    request.max_tokens = settings_.max_tokens;
    const auto number = static_cast<std::uint64_t>(plan.number);
    // Lines that are shown the same should not answer the same.
    request.seed = Rng(settings_.seed).Split("answer").Split(number).Next() >> 1;
    const auto answer = model_->Ask(request);
    if (!answer) return Lose(plan, answer.error(), answer.error().code == Errc::kUnsupported);
    KernelAttempt attempt{.number = plan.number,
                          .round = plan.round,
                          .line = plan.line,
                          .parents = plan.Parents(),
                          .source = SourceIn(answer->message.text),
                          .verdict = {},
                          .tokens = answer->usage.prompt_tokens + answer->usage.answer_tokens};
    auto verdict = VerdictOn(attempt.source, answer->end);
    if (!verdict) return Lose(plan, verdict.error(), false);
    attempt.verdict = std::move(*verdict);
    Keep(std::move(attempt));
  }

  Result<KernelVerdict> VerdictOn(const std::string& source, ChatEnd end) {
    if (source.empty()) {
      return KernelVerdict{.outcome = Outcome::kRejected,
                           .feedback = end == ChatEnd::kLength
                                           ? "the answer was cut off before its code ended"
                                           : "the answer has no whole code block"};
    }
    // Constant during a round.
    for (const KernelAttempt& earlier : result_.attempts) {
      if (earlier.source != source) continue;
      KernelVerdict same = earlier.verdict;
      same.feedback =
          fmt::format("the same source as attempt {}. {}", earlier.number, same.feedback);
      return same;
    }
    return judge_(source, stop_);
  }

  void Keep(KernelAttempt attempt) {
    const std::lock_guard lock(mutex_);
    if (auto written = log_.Append("attempt", ToJson(attempt)); !written) {
      log_failure_ = written.error();
      return;
    }
    if (listener_) listener_(attempt);
    made_.insert_or_assign(attempt.number, std::move(attempt));
  }

  void Lose(const PlannedAttempt& plan, const Error& error, bool is_last) {
    const std::lock_guard lock(mutex_);
    result_.notes.push_back(fmt::format("attempt {} was lost: {}", plan.number, error.message));
    last_failure_ = error;
    is_over_ = is_over_ || is_last || stop_.stop_requested();
  }

  const KernelBrief& brief_;
  const KernelSearchSettings& settings_;
  ChatModel& asked_;
  const KernelJudging& judge_;
  AgentLog& log_;
  std::optional<LoggedModel> model_;  // Asks that one; an answer without a verdict is not lost.
  const KernelListener& listener_;
  const std::stop_token stop_;

  std::map<std::int64_t, KernelAttempt> known_;  // Of the log.
  KernelSearchResult result_;                    // Its attempts change between rounds alone.
  bool is_over_ = false;                         // This and what follows: mutex_, in a round.
  std::mutex mutex_;
  std::map<std::int64_t, KernelAttempt> made_;
  Error last_failure_{Errc::kUnavailable, "no attempt was made"};
  std::optional<Error> log_failure_;
};

}  // namespace

std::string_view NameOf(KernelMode mode) { return kKernelModes.at(static_cast<std::size_t>(mode)); }

Result<KernelMode> KernelModeNamed(std::string_view name) {
  for (std::size_t i = 0; i < kKernelModes.size(); ++i) {
    if (kKernelModes.at(i) == name) return static_cast<KernelMode>(i);
  }
  return Error{Errc::kInvalidArgument, fmt::format("\"{}\": expected refine or evolve", name)};
}

std::vector<const KernelAttempt*> KernelSearchResult::Ranked() const {
  std::vector<const KernelAttempt*> ranked;
  for (const KernelAttempt& one : attempts) {
    if (one.IsAccepted()) ranked.push_back(&one);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto* one, const auto* other) {
    return one->Worth() > other->Worth();
  });
  return ranked;
}

const KernelAttempt* KernelSearchResult::Best() const {
  const auto ranked = Ranked();
  return ranked.empty() ? nullptr : ranked.front();
}

std::vector<KernelAttempt> KernelSearchResult::LineageOf(const KernelAttempt& attempt) const {
  std::set<std::int64_t> wanted = {attempt.number};
  std::vector<KernelAttempt> lineage;
  for (auto one = attempts.rbegin(); one != attempts.rend(); ++one) {
    if (!wanted.contains(one->number)) continue;
    wanted.insert(one->parents.begin(), one->parents.end());
    lineage.push_back(*one);
  }
  std::reverse(lineage.begin(), lineage.end());
  return lineage;
}

Result<KernelSearchResult> SearchKernel(const KernelBrief& brief,
                                        const KernelSearchSettings& settings, ChatModel& model,
                                        const KernelJudging& judge, AgentLog& log,
                                        const KernelListener& listener,
                                        const std::stop_token& stop) {
  if (settings.lines < 1 || settings.rounds < 1 || settings.max_shown < 1) {
    return Error{Errc::kInvalidArgument, "a search for a kernel needs lines, rounds and attempts"};
  }
  return KernelSearcher(brief, settings, model, judge, log, listener, stop).Run();
}

}  // namespace hone::agent
