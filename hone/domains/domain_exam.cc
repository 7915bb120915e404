// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/domain_exam.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include "hone/core/rng.h"

namespace hone {
namespace {

using Complaints = std::vector<std::string>;

constexpr int kRunsCompared = 5;

Result<std::unique_ptr<Domain>> MakeSubject(const DomainExam& exam, const Options& more = {}) {
  Options options = exam.options;
  for (const auto& [name, text] : more) options[name] = text;
  return MakeDomain({{exam.entry.name, exam.entry}}, exam.entry.name, options);
}

// A domain with an open session, or why there is none.
struct Subject {
  std::unique_ptr<Domain> domain;
  std::unique_ptr<Session> session;
};

Result<Subject> OpenSubject(const DomainExam& exam, const Options& more = {}) {
  auto domain = MakeSubject(exam, more);
  if (!domain) return domain.error();
  auto session = (*domain)->Open();
  if (!session) return session.error();
  return Subject{std::move(*domain), std::move(*session)};
}

RunOrder OrderFor(const DomainExam& exam, const Candidate& candidate, std::int64_t position) {
  return {Arm::kCandidate, candidate, exam.seed, position, exam.run_timeout, {}};
}

// Prepares, and runs what was accepted.
Result<RunResult> Try(Session& session, const RunOrder& order) {
  auto prepared = session.Prepare(order.candidate);
  if (!prepared || prepared->outcome != Outcome::kAccepted) return prepared;
  return session.Run(order);
}

std::vector<Candidate> RandomCandidates(const DomainExam& exam, const Domain& domain) {
  Rng rng = Rng(exam.seed).Split("exam");
  const Space& space = domain.SearchSpace();
  std::vector<Candidate> candidates;
  for (int i = 0; i < exam.candidates && space.UnitSize() > 0; ++i) {
    std::vector<double> unit(space.UnitSize());
    for (double& coordinate : unit) coordinate = rng.Uniform();
    candidates.push_back({space.FromUnit(unit), domain.Baseline().source});
  }
  for (const std::string& source : exam.sources) candidates.push_back({{}, source});
  return candidates;
}

Complaints AboutMetrics(const DomainFacts& facts, const Sample& sample) {
  Complaints complaints;
  for (const MetricFacts& metric : facts.metrics) {
    const auto found = sample.metrics.find(metric.name);
    if (found == sample.metrics.end()) {
      complaints.push_back(
          fmt::format("metric {}: declared, but a run did not report it", metric.name));
    } else if (!std::isfinite(found->second.value) || !(found->second.spread >= 0) ||
               found->second.count < 1) {
      complaints.push_back(fmt::format("metric {}: {} (spread {}, count {}) is not a reading",
                                       metric.name, found->second.value, found->second.spread,
                                       found->second.count));
    }
  }
  for (const auto& [name, reading] : sample.metrics) {
    bool is_declared = false;
    for (const MetricFacts& metric : facts.metrics) is_declared |= metric.name == name;
    if (!is_declared)
      complaints.push_back(fmt::format("metric {}: reported, but not declared", name));
  }
  return complaints;
}

// What must be the same when a run is made again; times are not.
bool IsSameMeasurement(const RunResult& a, const RunResult& b) {
  return a.outcome == b.outcome && a.sample.metrics == b.sample.metrics &&
         a.sample.observations == b.sample.observations;
}

Complaints AboutFacts(const DomainExam& exam) {
  const auto domain = MakeSubject(exam);
  if (!domain) return {domain.error().message};
  const DomainFacts& facts = (*domain)->Facts();
  Complaints complaints;
  if (facts.name != exam.entry.name) {
    complaints.push_back(
        fmt::format("the domain calls itself {}, its entry {}", facts.name, exam.entry.name));
  }
  if (facts.summary.empty() || exam.entry.summary.empty()) complaints.push_back("no summary");
  if (facts.changes_host && !exam.entry.changes_host) {
    complaints.push_back("the domain changes the host, and its entry does not say so");
  }
  if (exam.entry.check) {
    const auto needs = exam.entry.check(exam.options);
    if (!needs) complaints.push_back("the entry's check: " + needs.error().message);
    if (needs && !(*needs == facts.needs)) {
      complaints.push_back("the entry's check and the facts differ in what is needed");
    }
  }
  if (facts.metrics.empty()) complaints.push_back("no metric is declared");
  std::set<std::string> names;
  for (const MetricFacts& metric : facts.metrics) {
    if (metric.name.empty()) complaints.push_back("a metric has no name");
    if (!names.insert(metric.name).second)
      complaints.push_back(fmt::format("metric {}: twice", metric.name));
    if (metric.unit.empty()) complaints.push_back(fmt::format("metric {}: no unit", metric.name));
    if (metric.description.empty())
      complaints.push_back(fmt::format("metric {}: no description", metric.name));
  }
  names.clear();
  for (const OptionFacts& option : exam.entry.options) {
    if (!names.insert(option.name).second)
      complaints.push_back(fmt::format("option {}: twice", option.name));
    if (option.description.empty())
      complaints.push_back(fmt::format("option {}: no description", option.name));
  }
  return complaints;
}

Complaints AboutSpace(const DomainExam& exam) {
  const auto domain = MakeSubject(exam);
  if (!domain) return {domain.error().message};
  const Space& space = (*domain)->SearchSpace();
  Complaints complaints;
  for (const Parameter& parameter : space.parameters()) {
    if (parameter.description.empty()) {
      complaints.push_back(fmt::format("parameter {}: no description", parameter.name));
    }
  }
  if (const auto valid = space.Validate((*domain)->Baseline().assignment); !valid) {
    complaints.push_back(fmt::format("the baseline is not valid: {}", valid.error().message));
  }
  return complaints;
}

Complaints AboutDefaults(const DomainExam& exam) {
  Options defaults;
  for (const OptionFacts& option : exam.entry.options) defaults[option.name] = option.default_value;
  for (const auto& [name, text] : exam.options) defaults[name] = text;
  DomainExam explicit_exam = exam;
  explicit_exam.options = defaults;
  const auto domain = MakeSubject(explicit_exam);
  if (!domain) return {"the declared defaults are refused: " + domain.error().message};
  return {};
}

Complaints AboutUnknownOption(const DomainExam& exam) {
  const auto domain = MakeSubject(exam, {{"no_such_option", "1"}});
  if (domain) return {"an unknown option was accepted"};
  Complaints complaints;
  if (domain.error().code != Errc::kInvalidArgument) {
    complaints.push_back(
        fmt::format("the code is not kInvalidArgument: {}", domain.error().message));
  }
  for (const OptionFacts& option : exam.entry.options) {
    if (domain.error().message.find(option.name) == std::string::npos) {
      complaints.push_back(
          fmt::format("the message does not list {}: {}", option.name, domain.error().message));
    }
  }
  return complaints;
}

Complaints AboutBaseline(const DomainExam& exam) {
  const auto subject = OpenSubject(exam);
  if (!subject) return {subject.error().message};
  const Candidate baseline = subject->domain->Baseline();
  Complaints complaints;
  for (int i = 0; i < kRunsCompared; ++i) {
    for (const Arm arm : {Arm::kBaseline, Arm::kCandidate}) {
      RunOrder order = OrderFor(exam, baseline, i);
      order.arm = arm;
      const auto result = Try(*subject->session, order);
      if (!result) return {"running the baseline: " + result.error().message};
      if (result->outcome != Outcome::kAccepted) {
        return {fmt::format("the baseline was {}: {}", NameOf(result->outcome), result->reason)};
      }
      for (auto& complaint : AboutMetrics(subject->domain->Facts(), result->sample)) {
        complaints.push_back(std::move(complaint));
      }
      if (result->sample.arm != arm) complaints.push_back("the sample is of the wrong arm");
    }
  }
  return complaints;
}

Complaints AboutRandomCandidates(const DomainExam& exam) {
  const auto subject = OpenSubject(exam);
  if (!subject) return {subject.error().message};
  Complaints complaints;
  for (const Candidate& candidate : RandomCandidates(exam, *subject->domain)) {
    const std::string name = ToText(candidate.assignment);
    const auto result = Try(*subject->session, OrderFor(exam, candidate, 0));
    if (!result) {
      complaints.push_back(
          fmt::format("{}: an Error, not an outcome: {}", name, result.error().message));
    } else if (result->outcome != Outcome::kAccepted && result->reason.empty()) {
      complaints.push_back(fmt::format("{}: {} without a reason", name, NameOf(result->outcome)));
    } else if (result->outcome == Outcome::kAccepted) {
      for (const auto& complaint : AboutMetrics(subject->domain->Facts(), result->sample)) {
        complaints.push_back(fmt::format("{}: {}", name, complaint));
      }
    }
  }
  return complaints;
}

Complaints AboutInvalidCandidate(const DomainExam& exam) {
  const auto subject = OpenSubject(exam);
  if (!subject) return {subject.error().message};
  Candidate invalid = subject->domain->Baseline();
  invalid.assignment["no such parameter"] = std::int64_t{1};
  const auto result = subject->session->Prepare(invalid);
  if (!result) return {"an Error, not an outcome: " + result.error().message};
  if (result->outcome != Outcome::kRejected) {
    return {fmt::format("it was {}, not rejected", NameOf(result->outcome))};
  }
  if (result->reason.find("no such parameter") == std::string::npos) {
    return {"the reason does not name the parameter: " + result->reason};
  }
  return {};
}

Complaints AboutRepetition(const DomainExam& exam) {
  const auto subject = OpenSubject(exam);
  if (!subject) return {subject.error().message};
  if (!subject->domain->Facts().is_deterministic) return {};
  const auto other = OpenSubject(exam);
  if (!other) return {other.error().message};
  Complaints complaints;
  for (const Candidate& candidate : RandomCandidates(exam, *subject->domain)) {
    const auto first = Try(*subject->session, OrderFor(exam, candidate, 7));
    const auto between = Try(*subject->session, OrderFor(exam, candidate, 8));
    const auto again = Try(*subject->session, OrderFor(exam, candidate, 7));
    const auto elsewhere = Try(*other->session, OrderFor(exam, candidate, 7));
    if (!first || !between || !again || !elsewhere) return {"a run gave an Error"};
    if (!IsSameMeasurement(*first, *again) || !IsSameMeasurement(*first, *elsewhere)) {
      complaints.push_back(fmt::format("{}: the same seed and position gave another sample",
                                       ToText(candidate.assignment)));
    }
  }
  return complaints;
}

// Runs of the baseline in one session, made by a thread of their own.
Result<std::vector<RunResult>> RunsOfBaseline(const DomainExam& exam, Domain& domain) {
  auto session = domain.Open();
  if (!session) return session.error();
  const Candidate baseline = domain.Baseline();
  std::vector<RunResult> results;
  for (int i = 0; i < kRunsCompared; ++i) {
    auto result = Try(**session, OrderFor(exam, baseline, i));
    if (!result) return result.error();
    results.push_back(std::move(*result));
  }
  return results;
}

Complaints AboutExclusiveSessions(Domain& domain) {
  const auto first = domain.Open();
  if (!first) return {first.error().message};
  const auto second = domain.Open();
  if (second) return {"it says that it is exclusive, and yet a second session was opened"};
  if (second.error().code == Errc::kStale) return {};
  return {"a second session of an exclusive domain: not kStale: " + second.error().message};
}

Complaints AboutSessionsSideBySide(const DomainExam& exam) {
  const auto domain = MakeSubject(exam);
  if (!domain) return {domain.error().message};
  if ((*domain)->Facts().is_exclusive) return AboutExclusiveSessions(**domain);
  const auto alone = RunsOfBaseline(exam, **domain);
  if (!alone) return {"alone: " + alone.error().message};

  constexpr std::size_t kSessions = 3;
  std::vector<std::optional<Result<std::vector<RunResult>>>> together(kSessions);
  {
    std::vector<std::jthread> threads;
    threads.reserve(together.size());
    for (auto& results : together) {
      threads.emplace_back([&] { results = RunsOfBaseline(exam, **domain); });
    }
  }
  Complaints complaints;
  for (const auto& results : together) {
    if (!*results) return {"side by side: " + results->error().message};
    for (std::size_t i = 0; i < (*results)->size(); ++i) {
      const RunResult& run = (**results)[i];
      if (run.outcome != Outcome::kAccepted) {
        complaints.push_back(
            fmt::format("side by side a run was {}: {}", NameOf(run.outcome), run.reason));
      } else if ((*domain)->Facts().is_deterministic && !IsSameMeasurement(run, (*alone)[i])) {
        complaints.push_back(fmt::format("run {}: another sample side by side than alone", i));
      }
    }
  }
  return complaints;
}

// One result of a pair.
Complaints AboutPaired(const DomainFacts& facts, const RunResult& result, Arm arm) {
  if (result.outcome != Outcome::kAccepted) {
    return {
        fmt::format("the baseline in a pair was {}: {}", NameOf(result.outcome), result.reason)};
  }
  Complaints complaints = AboutMetrics(facts, result.sample);
  if (result.sample.arm != arm) complaints.push_back("the results of a pair are exchanged");
  return complaints;
}

Complaints AboutPairs(const DomainExam& exam) {
  const auto subject = OpenSubject(exam);
  if (!subject) return {subject.error().message};
  Session& session = *subject->session;
  const DomainFacts& facts = subject->domain->Facts();
  const Candidate baseline = subject->domain->Baseline();
  if (const auto prepared = session.Prepare(baseline); !prepared) return {prepared.error().message};
  RunOrder first = OrderFor(exam, baseline, 3);
  first.arm = Arm::kBaseline;
  const RunOrder second = OrderFor(exam, baseline, 4);
  const auto both = session.RunTogether(first, second);
  if (!facts.runs_side_by_side) {
    if (!both && both.error().code == Errc::kUnsupported) return {};
    return {"it does not say that it runs side by side, and yet RunTogether is not unsupported"};
  }
  if (!both) return {"RunTogether: " + both.error().message};
  Complaints complaints = AboutPaired(facts, both->first, Arm::kBaseline);
  for (auto& complaint : AboutPaired(facts, both->second, Arm::kCandidate)) {
    complaints.push_back(std::move(complaint));
  }
  const auto alone = session.Run(first);
  if (!alone) return {"alone after a pair: " + alone.error().message};
  if (facts.is_deterministic && !IsSameMeasurement(*alone, both->first)) {
    complaints.push_back("another sample in a pair than alone");
  }
  return complaints;
}

Complaints AboutReopening(const DomainExam& exam) {
  const auto domain = MakeSubject(exam);
  if (!domain) return {domain.error().message};
  Complaints complaints;
  for (int i = 0; i < kRunsCompared; ++i) {
    const auto runs = RunsOfBaseline(exam, **domain);
    if (!runs) return {fmt::format("opened for the {}. time: {}", i + 1, runs.error().message)};
    for (const RunResult& run : *runs) {
      if (run.outcome != Outcome::kAccepted) {
        complaints.push_back(fmt::format("opened for the {}. time: a run was {}: {}", i + 1,
                                         NameOf(run.outcome), run.reason));
      }
    }
  }
  return complaints;
}

Complaints AboutStopping(const DomainExam& exam) {
  if (exam.slow_options.empty()) return {};
  const auto subject = OpenSubject(exam, exam.slow_options);
  if (!subject) return {subject.error().message};
  const Candidate baseline = subject->domain->Baseline();
  if (const auto prepared = subject->session->Prepare(baseline); !prepared) {
    return {prepared.error().message};
  }
  std::stop_source stop;
  RunOrder order = OrderFor(exam, baseline, 0);
  order.stop = stop.get_token();
  std::atomic<bool> has_error = false;
  const auto begin = std::chrono::steady_clock::now();
  {
    const std::jthread run([&] { has_error = !subject->session->Run(order).has_value(); });
    stop.request_stop();
  }
  if (has_error) return {"a run that was asked to stop gave an Error"};
  if (std::chrono::steady_clock::now() - begin >= exam.run_timeout) {
    return {"a run that was asked to stop ran until its limit"};
  }
  return {};
}

Complaints AboutStoppedPreparation(const DomainExam& exam) {
  if (exam.slow_options.empty()) return {};
  const auto subject = OpenSubject(exam, exam.slow_options);
  if (!subject) return {subject.error().message};
  std::stop_source stop;
  stop.request_stop();
  const auto begin = std::chrono::steady_clock::now();
  static_cast<void>(subject->session->Prepare(subject->domain->Baseline(), stop.get_token()));
  if (std::chrono::steady_clock::now() - begin >= exam.run_timeout) {
    return {"a preparation that was asked to stop took as long as a run may"};
  }
  return {};
}

Complaints AboutLimit(const DomainExam& exam) {
  if (exam.slow_options.empty()) return {};
  const auto subject = OpenSubject(exam, exam.slow_options);
  if (!subject) return {subject.error().message};
  const Candidate baseline = subject->domain->Baseline();
  RunOrder order = OrderFor(exam, baseline, 0);
  order.limit = std::chrono::milliseconds{1};
  const auto result = Try(*subject->session, order);
  if (!result) return {"an Error, not an outcome: " + result.error().message};
  if (result->outcome != Outcome::kTimedOut) {
    return {fmt::format("a run over its limit was {}, not timed_out", NameOf(result->outcome))};
  }
  return {};
}

}  // namespace

const std::vector<DomainQuestion>& DomainQuestions() {
  static const std::vector<DomainQuestion> questions = {
      {"FactsAreComplete", AboutFacts},
      {"SpaceIsDescribedAndHoldsTheBaseline", AboutSpace},
      {"DeclaredDefaultsAreAllowed", AboutDefaults},
      {"UnknownOptionIsRefusedWithTheKnownOnes", AboutUnknownOption},
      {"BaselineReportsEveryMetric", AboutBaseline},
      {"RandomCandidatesComeToAnOutcome", AboutRandomCandidates},
      {"InvalidCandidateIsRejectedWithAReason", AboutInvalidCandidate},
      {"SameSeedAndPositionGiveTheSameSample", AboutRepetition},
      {"SessionsSideBySideDoNotDisturbEachOther", AboutSessionsSideBySide},
      {"PairsRunSideBySideWhereTheFactsSaySo", AboutPairs},
      {"SessionsCanBeReopened", AboutReopening},
      {"RequestedStopEndsARun", AboutStopping},
      {"RequestedStopEndsAPreparation", AboutStoppedPreparation},
      {"RunOverItsLimitHasTimedOut", AboutLimit},
  };
  return questions;
}

std::vector<std::string> ComplaintsAbout(const DomainExam& exam) {
  Complaints all;
  for (const DomainQuestion& question : DomainQuestions()) {
    for (const std::string& complaint : question.complaints(exam)) {
      all.push_back(fmt::format("{}: {}", question.name, complaint));
    }
  }
  return all;
}

}  // namespace hone
