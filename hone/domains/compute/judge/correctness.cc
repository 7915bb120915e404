// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/correctness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "hone/core/rng.h"
#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/runner/placement.h"

namespace hone::compute {
namespace {

// What a reason has room for: the rest is evidence.
std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

MaybeFinding OfFault(const Problem& problem, const RunnerFault& fault) {
  using Kind = RunnerFault::Kind;
  Finding finding{Outcome::kCrashed, "the kernel " + fault.reason, {}};
  if (!fault.output.empty()) finding.evidence.push_back({"exception", fault.output});
  switch (fault.kind) {
    case Kind::kForged:
      return Cheated("the call block", fault.reason);
    case Kind::kRestless:
      return Cheated("processor time after the call", fault.reason);
    case Kind::kTimedOut:
    case Kind::kStopped:
      finding.outcome = Outcome::kTimedOut;
      break;
    case Kind::kNotLoaded:
      finding.outcome = Outcome::kBuildFailed;
      finding.reason = "the kernel cannot be loaded: " + FirstLine(fault.reason);
      if (fault.reason != FirstLine(fault.reason)) {
        finding.evidence.push_back({"exception", fault.reason});
      }
      break;
    case Kind::kOutOfMemory:
      finding.reason += fmt::format("; policy.memory_mib is {}", problem.policy.memory_mib);
      break;
    case Kind::kEndedByOthers:  // Nobody's call: Runner::Call has none of it.
    case Kind::kCrashed:
      break;
  }
  return finding;
}

MaybeFinding OfInput(const Problem& problem, const TimedCase& trial, const ChangedInput& changed) {
  const Tensor& input = trial.inputs.at(changed.input);
  const std::string seen =
      fmt::format("input {}{} was changed from {} to {}", input.spec.name,
                  IndexText(input.spec.shape, changed.index), changed.before, changed.after);
  if (problem.backend == "cpp") return Cheated("inputs are compared after the call", seen);
  return Finding{Outcome::kWrong, seen, {{"difference", seen}}};
}

MaybeFinding OfOverrun(const Overrun& overrun) {
  const std::string seen =
      overrun.distance < 0
          ? fmt::format("the kernel wrote {} bytes before {}", -overrun.distance, overrun.array)
          : fmt::format("the kernel wrote {} bytes behind the end of {}", overrun.distance + 1,
                        overrun.array);
  return Finding{Outcome::kWrong, seen, {{"difference", seen}}};
}

std::string KindOf(const TensorSpec& spec) {
  return fmt::format("{} of shape {}", NameOf(spec.dtype), ToText(spec.shape));
}

// Type and shape before any value: those of another kind may have come without their bytes.
MaybeFinding OfKinds(const TimedCase& trial, const Tensors& outputs) {
  std::string seen;
  if (outputs.size() != trial.expected.size()) {
    seen = fmt::format("expected {} outputs, found {}", trial.expected.size(), outputs.size());
  }
  for (std::size_t i = 0; i < trial.declared.size() && i < outputs.size() && seen.empty(); ++i) {
    if (IsSameKind(trial.declared[i], outputs[i].spec)) continue;
    seen = fmt::format("{}: expected {}, found {}", outputs[i].spec.name, KindOf(trial.declared[i]),
                       KindOf(outputs[i].spec));
  }
  if (seen.empty()) return std::nullopt;
  return Finding{Outcome::kWrong, "the output is wrong: " + seen, {{"difference", seen}}};
}

MaybeFinding OfOutputs(const TimedCase& trial, const CallReport& report) {
  if (trial.expected.empty()) return std::nullopt;
  if (auto other = OfKinds(trial, report.outputs)) return other;
  for (std::size_t i = 0; i < trial.expected.size(); ++i) {
    const Tensor& found = report.outputs[i];
    const TensorDifferences comparison = Compare(trial.expected[i], found, trial.tolerances.at(i));
    if (!comparison.first) continue;
    std::string text = fmt::format("{}\n{} of {} elements of {} differ; trial {}",
                                   comparison.first->text, comparison.different,
                                   trial.expected[i].spec.Count(), found.spec.name, trial.name);
    const std::int64_t untouched = CountUntouched(found, report.poison);
    std::string reason = "the output is wrong: " + comparison.first->text;
    if (untouched > 0 && IsFloating(found.spec.dtype)) {
      reason = fmt::format("the kernel left {} of {} elements of {} unwritten", untouched,
                           found.spec.Count(), found.spec.name);
      text += "\nunwritten elements hold a NaN that the judge had put there";
    }
    return Finding{Outcome::kWrong, reason, {{"difference", text}}};
  }
  return std::nullopt;
}

CallOrder OrderFor(const CorrectnessOrder& order, const TimedCase& trial,
                   const std::vector<TensorSpec>& outputs, const std::vector<std::int64_t>& sizes,
                   std::uint64_t secret) {
  CallOrder call;
  call.inputs = trial.inputs;
  call.outputs = outputs;
  call.wanted = trial.declared;
  call.sizes = sizes;
  call.seed = trial.seed;
  call.secret = secret;
  call.has_guards = true;
  call.counts_threads = true;
  call.limit = order.call_timeout;
  call.stop = order.stop;
  return call;
}

// The trials in a secret order, the first one twice.
std::vector<std::size_t> Sequence(std::size_t trials, Rng rng) {
  std::vector<std::size_t> sequence;
  for (std::size_t i = 0; i < trials; ++i) sequence.push_back(i);
  if (trials > 0) sequence.push_back(0);
  rng.Shuffle(sequence);
  return sequence;
}

MaybeFinding CompareRuns(const Problem& problem, const Tensors& first, const Tensors& second) {
  if (!problem.policy.is_bitwise) return std::nullopt;
  for (std::size_t i = 0; i < first.size() && i < second.size(); ++i) {
    if (first[i].bytes == second[i].bytes) continue;
    const auto at = std::ranges::mismatch(first[i].bytes, second[i].bytes).in1;
    const auto index = static_cast<std::int64_t>(
        static_cast<std::size_t>(at - first[i].bytes.begin()) / SizeOf(first[i].spec.dtype));
    const std::string seen = fmt::format(
        "the same inputs gave {}{} = {} and then {}; the problem asks for the same bits",
        first[i].spec.name, IndexText(first[i].spec.shape, index), ElementText(first[i], index),
        ElementText(second[i], index));
    return Finding{Outcome::kWrong, seen, {{"difference", seen}}};
  }
  return std::nullopt;
}

// Adds what the outputs of one right call show about precision.
void Account(const TimedCase& trial, const CallReport& call, CorrectnessReport& report) {
  double sum = 0;
  for (std::size_t i = 0; i < trial.expected.size(); ++i) {
    const TensorDifferences comparison =
        Compare(trial.expected[i], call.outputs[i], trial.tolerances[i]);
    report.largest_difference = std::max(report.largest_difference, comparison.largest);
    report.tolerance = std::max(report.tolerance, trial.tolerances[i].atol);
    sum += comparison.mean;
  }
  if (!trial.expected.empty()) {
    report.mean_difference += sum / static_cast<double>(trial.expected.size());
  }
}

// Whether an output may be this value throughout. Most may not, which the first elements tell.
bool AcceptsConstant(const Tensor& expected, const Tolerance& tolerance, double value) {
  constexpr std::int64_t kFirst = 64;
  const auto is_accepted = [&](std::int64_t count) {
    Tensor constant = Tensor::Zeros({"", expected.spec.dtype, {count}});
    for (std::int64_t j = 0; j < count; ++j) SetElement(constant, j, value);
    return IsCloseIn(expected, constant, tolerance, 0, count);
  };
  const std::int64_t count = expected.spec.Count();
  return is_accepted(std::min(count, kFirst)) && (count <= kFirst || is_accepted(count));
}

bool AcceptsConstants(const TimedCase& trial, const std::vector<double>& values) {
  if (values.size() != trial.expected.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!AcceptsConstant(trial.expected[i], trial.tolerances[i], values[i])) return false;
  }
  return !values.empty();
}

bool AcceptsConstant(const TimedCase& trial, double value) {
  return AcceptsConstants(trial, std::vector(trial.expected.size(), value));
}

// Of its first elements: where they are not alike, no constant is accepted.
double MeanOf(const Tensor& tensor) {
  constexpr std::int64_t kMaxCount = 1 << 16;
  const std::int64_t count = std::min(tensor.spec.Count(), kMaxCount);
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += ElementAt(tensor, i);
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

bool AcceptsAnswer(const TimedCase& trial, const Tensors& answer) {
  if (answer.size() != trial.expected.size() || answer.empty()) return false;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const Tensor& expected = trial.expected[i];
    if (expected.spec.shape != answer[i].spec.shape ||
        expected.spec.dtype != answer[i].spec.dtype ||
        !IsCloseIn(expected, answer[i], trial.tolerances[i], 0, expected.spec.Count())) {
      return false;
    }
  }
  return true;
}

bool AcceptsInput(const TimedCase& trial, std::size_t input) {
  if (input >= trial.inputs.size() || trial.expected.size() != 1) return false;
  const Tensor& copy = trial.inputs[input];
  const Tensor& expected = trial.expected[0];
  if (copy.spec.Count() != expected.spec.Count() ||
      IsFloating(copy.spec.dtype) != IsFloating(expected.spec.dtype)) {
    return false;
  }
  const Tensor same{{"", expected.spec.dtype, expected.spec.shape},
                    Converted(copy, expected.spec.dtype).bytes};
  return same.bytes.size() == expected.bytes.size() &&
         IsCloseIn(expected, same, trial.tolerances[0], 0, expected.spec.Count());
}

// JSON has no word for an infinity, and the sum of finite numbers may be one.
double Finite(double number) {
  return std::isfinite(number) ? number : std::numeric_limits<double>::max();
}

}  // namespace

std::size_t BytesOf(const TimedCase& trial) {
  std::size_t bytes = sizeof(TimedCase);
  for (const Tensor& tensor : trial.inputs) bytes += tensor.bytes.size();
  for (const Tensor& tensor : trial.expected) bytes += tensor.bytes.size();
  return bytes;
}

Json CorrectnessReport::ToJson() const {
  return {{"trials", trials},
          {"passed", passed},
          {"max_difference", Finite(largest_difference)},
          {"avg_difference", Finite(mean_difference)},
          {"tolerance", Finite(tolerance)}};
}

MaybeFinding JudgeCall(const Problem& problem, const TimedCase& trial, const CallReport& report) {
  if (report.fault) return OfFault(problem, *report.fault);
  if (!report.exception.empty()) {
    return Finding{Outcome::kCrashed,
                   "the kernel threw an exception: " + FirstLine(report.exception),
                   {{"exception", report.exception}}};
  }
  if (report.changed) return OfInput(problem, trial, *report.changed);
  if (report.overrun) return OfOverrun(*report.overrun);
  if (report.threads > problem.policy.threads) {
    return Cheated("threads are counted after the call",
                   fmt::format("{} threads or processes, where the policy allows {}",
                               report.threads, problem.policy.threads));
  }
  return OfOutputs(trial, report);
}

Result<CorrectnessReport> CheckCorrectness(Runner& candidate, const CorrectnessOrder& order) {
  CorrectnessReport report;
  const Rng rng(order.secret);
  std::optional<Tensors> first_run;
  const auto sequence = Sequence(order.trials.count, rng.Split("order"));
  report.trials = static_cast<std::int64_t>(order.trials.count);
  for (std::size_t step = 0; step < sequence.size(); ++step) {
    const auto made = order.trials.at(sequence[step]);
    if (!made) return made.error();
    report.is_cut = *made == nullptr;
    if (report.is_cut) return report;
    const TimedCase& trial = **made;
    std::vector<TensorSpec> outputs;
    for (const ArraySpec& output : order.problem.outputs) outputs.push_back(output.At(trial.sizes));
    std::vector<std::int64_t> sizes;
    for (const std::string& name : order.problem.sizes) sizes.push_back(trial.sizes.at(name));
    const auto call = candidate.Call(
        OrderFor(order, trial, outputs, sizes, rng.Split("call").Split(step).Next()));
    if (!call) return call.error();
    report.finding = JudgeCall(order.problem, trial, *call);
    if (report.finding) return report;
    const bool is_again = sequence[step] == 0 && first_run.has_value();
    if (is_again) report.finding = CompareRuns(order.problem, *first_run, call->outputs);
    if (report.finding) return report;
    if (sequence[step] == 0) first_run = call->outputs;
    if (is_again) continue;
    Account(trial, *call, report);
    ++report.passed;
  }
  if (report.passed > 0) report.mean_difference /= static_cast<double>(report.passed);
  return report;
}

void Degeneration::SeeFirst(const SharedTrial& trial) {
  for (std::size_t i = 0; i < trial->inputs.size(); ++i) {
    inputs_.emplace_back(i, trial->inputs[i].spec.name);
  }
  for (const Tensor& expected : trial->expected) means_.push_back(MeanOf(expected));
  accepts_means_ = AcceptsConstants(*trial, means_);
  first_ = trial;
}

void Degeneration::See(const SharedTrial& trial) {
  const TimedCase& seen = *trial;
  std::erase_if(constants_, [&](double value) { return !AcceptsConstant(seen, value); });
  if (trials_++ == 0) {
    SeeFirst(trial);
  } else {
    accepts_means_ = accepts_means_ && AcceptsConstants(seen, means_);
    if (first_ && !AcceptsAnswer(seen, first_->expected)) first_.reset();
  }
  std::erase_if(inputs_, [&](const auto& input) { return !AcceptsInput(seen, input.first); });
}

std::string Degeneration::Text() const {
  if (trials_ == 0) return "";
  const auto text = [&](const std::string& what) {
    return fmt::format("the problem accepts {} as output in all {} trials", what, trials_);
  };
  if (!constants_.empty()) return text(fmt::format("the constant {}", constants_.front()));
  if (!inputs_.empty()) return text(fmt::format("a copy of input {}", inputs_.front().second));
  if (trials_ < 2) return "";
  if (accepts_means_) return text(fmt::format("the constant {}", fmt::join(means_, ", ")));
  return first_ ? text("the answer to other inputs") : "";
}

std::string DegenerationOf(const std::vector<SharedTrial>& trials) {
  Degeneration degeneration;
  for (const SharedTrial& trial : trials) degeneration.See(trial);
  return degeneration.Text();
}

}  // namespace hone::compute
