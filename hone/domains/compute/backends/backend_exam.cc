// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/backend_exam.h"

#include <fmt/format.h>

#include <utility>

#include "hone/base/temp_dir.h"
#include "hone/domains/compute/problem/input_data.h"
#include "hone/domains/compute/runner/placement.h"

namespace hone::compute {
namespace {

using Complaints = std::vector<std::string>;

constexpr std::size_t kArena = 8 << 20;
constexpr std::chrono::seconds kWaitTimeout{60};

// A backend with one problem, in a cache folder of its own.
struct Subject {
  TempDir cache;
  Problem problem;
  std::unique_ptr<Backend> backend;
};

Result<Subject> Open(const BackendExam& exam) {
  auto cache = TempDir::Make("hone-backend-exam");
  if (!cache) return cache.error();
  auto problem = ParseProblem(exam.problem_text, "exam");
  if (!problem) return problem.error();
  auto backend = exam.make(cache->path());
  if (!backend) return backend.error();
  if (auto fits = (*backend)->Check(*problem); !fits) return fits.error();
  return Subject{std::move(*cache), std::move(*problem), std::move(*backend)};
}

Result<std::unique_ptr<Runner>> Load(Subject& subject, const std::string& source) {
  auto build = subject.backend->Compile({subject.problem, source});
  if (!build) return build.error();
  if (!build->artefact) {
    return Error{Errc::kInvalidArgument, "it does not build: " + build->reason + build->output};
  }
  LoadOrder order{subject.problem, build->artefact};
  order.arena_bytes = kArena;
  auto loaded = subject.backend->Load(order);
  if (!loaded) return loaded.error();
  if (loaded->fault) return Error{Errc::kInvalidArgument, loaded->fault->reason};
  return std::move(loaded->runner);
}

Result<CallReport> CallOnce(Subject& subject, Runner& runner, std::uint64_t seed,
                            std::chrono::nanoseconds limit = kWaitTimeout) {
  Tensors inputs;
  std::vector<TensorSpec> outputs;
  std::vector<std::int64_t> sizes;
  if (subject.problem.input_source == InputSource::kJudge) {
    const Sizes& shape = subject.problem.shapes.front();
    inputs = DrawInputs(subject.problem, shape, 0, Rng(seed));
    for (const ArraySpec& output : subject.problem.outputs) outputs.push_back(output.At(shape));
    for (const std::string& name : subject.problem.sizes) sizes.push_back(shape.at(name));
  } else {
    auto reference = Load(subject, subject.problem.reference);
    if (!reference) return reference.error();
    auto made = (*reference)->MakeInputs(seed, kWaitTimeout);
    if (!made) return made.error();
    inputs = std::move(made->outputs);
  }
  CallOrder order;
  order.inputs = inputs;
  order.outputs = outputs;
  order.sizes = sizes;
  order.secret = seed;
  order.times_nothing = true;  // Nobody's answer is another one for it.
  order.limit = limit;
  return runner.Call(order);
}

// Loads the source and makes one call; the answer judges the report.
Complaints WithOneCall(const BackendExam& exam, const std::string& source,
                       std::chrono::nanoseconds limit,
                       const std::function<Complaints(const CallReport&)>& judge) {
  if (source.empty()) return {};
  auto subject = Open(exam);
  if (!subject) return {subject.error().message};
  auto runner = Load(*subject, source);
  if (!runner) return {runner.error().message};
  const auto report = CallOnce(*subject, **runner, 1, limit);
  if (!report) return {report.error().message};
  return judge(*report);
}

Complaints AboutFacts(const BackendExam& exam) {
  auto subject = Open(exam);
  if (!subject) return {subject.error().message};
  const BackendFacts& facts = subject->backend->Facts();
  if (facts.name.empty() || facts.summary.empty()) return {"no name or no summary"};
  if (facts.needs.names.empty()) return {"it asks for no capability of a worker"};
  return {};
}

Complaints AboutGood(const BackendExam& exam) {
  auto subject = Open(exam);
  if (!subject) return {subject.error().message};
  auto runner = Load(*subject, exam.good);
  if (!runner) return {runner.error().message};
  Complaints complaints;
  Tensors first;
  for (std::uint64_t call = 0; call < 4; ++call) {
    const auto report = CallOnce(*subject, **runner, call < 2 ? 1 : call);
    if (!report) return {report.error().message};
    if (report->fault) return {"a good source failed: " + report->fault->reason};
    if (!report->exception.empty()) return {"a good source threw: " + report->exception};
    if (report->outputs.empty()) return {"no outputs came back"};
    if (report->time.count() <= 0) complaints.push_back("a call took no time");
    if (report->changed) complaints.push_back("inputs look changed by a good source");
    if (report->overrun) complaints.push_back("a good source seems to write outside");
    if (call == 0) first = report->outputs;
    if (call == 1 && first[0].bytes != report->outputs[0].bytes) {
      complaints.push_back("the same inputs gave other outputs");
    }
    if (call == 2 && first[0].bytes == report->outputs[0].bytes) {
      complaints.push_back("other inputs gave the same outputs");
    }
  }
  const auto empty = (*runner)->CallNothing();
  if (!empty || empty->fault) complaints.push_back("the empty call failed");
  return complaints;
}

Complaints AboutBuilding(const BackendExam& exam) {
  if (exam.does_not_build.empty()) return {};
  auto subject = Open(exam);
  if (!subject) return {subject.error().message};
  for (const bool is_again : {false, true}) {
    const auto build = subject->backend->Compile({subject->problem, exam.does_not_build});
    if (!build) return {"an Error, not an outcome: " + build.error().message};
    if (build->outcome != Outcome::kBuildFailed) return {"it built what cannot be built"};
    if (build->output.find(exam.complaint) == std::string::npos) {
      return {fmt::format("\"{}\" is not in the output{}: {}", exam.complaint,
                          is_again ? " the second time" : "", build->output)};
    }
  }
  return {};
}

Complaints AboutCache(const BackendExam& exam) {
  auto subject = Open(exam);
  if (!subject) return {subject.error().message};
  const auto first = subject->backend->Compile({subject->problem, exam.good});
  const auto second = subject->backend->Compile({subject->problem, exam.good});
  if (!first || !second || !first->artefact || !second->artefact) return {"it does not build"};
  if (first->artefact->id != second->artefact->id) return {"the same source, another artefact"};
  return {};
}

Complaints AboutCrash(const BackendExam& exam) {
  return WithOneCall(exam, exam.crashes, kWaitTimeout, [](const CallReport& report) -> Complaints {
    if (report.fault && report.fault->kind == RunnerFault::Kind::kCrashed) return {};
    if (!report.exception.empty()) return {};
    return {"a crash or an exception was not told"};
  });
}

Complaints AboutHang(const BackendExam& exam) {
  constexpr std::chrono::milliseconds kLimit{500};
  return WithOneCall(exam, exam.hangs, kLimit, [](const CallReport& report) -> Complaints {
    if (report.fault && report.fault->kind == RunnerFault::Kind::kTimedOut) return {};
    return {"an endless call did not time out"};
  });
}

Complaints AboutInputs(const BackendExam& exam) {
  return WithOneCall(
      exam, exam.changes_input, kWaitTimeout, [&](const CallReport& report) -> Complaints {
        if (exam.protects_inputs ? !report.exception.empty() : report.changed.has_value()) {
          return {};
        }
        return {"a changed input was not seen"};
      });
}

Complaints AboutUnwritten(const BackendExam& exam) {
  return WithOneCall(exam, exam.leaves_output, kWaitTimeout,
                     [](const CallReport& report) -> Complaints {
                       for (const Tensor& output : report.outputs) {
                         if (CountUntouched(output, report.poison) == 0) {
                           return {"an unwritten output does not hold the poison"};
                         }
                       }
                       return {};
                     });
}

}  // namespace

const std::vector<BackendQuestion>& BackendQuestions() {
  static const std::vector<BackendQuestion> questions = {
      {"FactsAreComplete", AboutFacts},
      {"GoodSourceIsBuiltLoadedAndCalled", AboutGood},
      {"CompilerSaysWhyItDoesNotBuild", AboutBuilding},
      {"SameSourceGivesTheSameArtefact", AboutCache},
      {"CrashIsTold", AboutCrash},
      {"EndlessCallTimesOut", AboutHang},
      {"ChangedInputIsSeen", AboutInputs},
      {"UnwrittenOutputHoldsThePoison", AboutUnwritten},
  };
  return questions;
}

}  // namespace hone::compute
