// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/workflows/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "hone/domains/compute/problem/input_data.h"
#include "hone/domains/compute/workflows/arena.h"

namespace hone::compute {
namespace {

constexpr std::int64_t kFewElements = 64;  // Below, one run says little about the error.
constexpr int kMoreRuns = 7;

Error ReferencesBlame(const Problem& problem, const std::string& what) {
  return {Errc::kInvalidArgument, fmt::format("problem {}: its reference {}", problem.name, what)};
}

// The declared one, and a higher one where backend and reference have it.
std::vector<Precision> PrecisionsOf(const WorkflowContext& context) {
  const Problem& problem = context.problem;
  const bool can_be_high =
      context.backend->Facts().has_high_precision &&
      (problem.backend != "cpp" ||
       (ScalarOf(problem) == DType::kF32 && problem.reference.find("scalar") != std::string::npos));
  if (!can_be_high) return {Precision::kDeclared};
  return {Precision::kDeclared, Precision::kHigh};
}

constexpr std::uint32_t kSignBit = 1U << 31;
constexpr std::uint32_t kLastBit = 1;
constexpr std::uint32_t kHalfOfTf32 = 1U << 12;  // It keeps 10 of 23 bits.

// By so many units in the last place, up or down.
void Nudge(std::span<float> values, std::uint32_t step, Rng& rng) {
  std::uint64_t coins = 0;
  for (std::size_t i = 0; i < values.size(); ++i, coins >>= 1) {
    if (i % 64 == 0) coins = rng.Next();
    if (values[i] == 0 || !std::isfinite(values[i])) continue;
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    if ((bits & ~kSignBit) < step) continue;
    values[i] = std::bit_cast<float>((coins & 1) != 0 ? bits + step : bits - step);
  }
}

// Every float moved by its last bit, up or down; of those that may be rounded, by as much as that
// may move them.
Tensors Nudged(const Tensors& inputs, const Policy& policy, Rng rng) {
  Tensors nudged = inputs;
  for (Tensor& tensor : nudged) {
    if (tensor.spec.dtype == DType::kF32) {
      Nudge(tensor.As<float>(), policy.is_tf32 ? kHalfOfTf32 : kLastBit, rng);
    } else if (IsFloating(tensor.spec.dtype)) {
      const double step = EpsilonOf(tensor.spec.dtype);
      for (std::int64_t i = 0; i < tensor.spec.Count(); ++i) {
        SetElement(tensor, i, ElementAt(tensor, i) * (1 + (rng.Coin() ? step : -step)));
      }
    }
  }
  return nudged;
}

bool HasFewElements(const Tensors& outputs) {
  return std::ranges::any_of(outputs, [](const Tensor& output) {
    return IsFloating(output.spec.dtype) && output.spec.Count() < kFewElements;
  });
}

std::string KindsOf(const Tensors& outputs) {
  std::string text;
  for (const Tensor& output : outputs) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} of shape {}", NameOf(output.spec.dtype), ToText(output.spec.shape));
  }
  return text;
}

// What was computed, if it can be compared with what the declared run gave: as many outputs of the
// same shapes, of the same types or of a higher precision.
Result<Tensors> LikeDeclared(const Problem& problem, const Tensors& declared,
                             Result<Tensors> computed) {
  if (!computed) return computed;
  if (computed->size() != declared.size()) {
    return ReferencesBlame(problem, fmt::format("gives {} outputs, and {} in another run",
                                                declared.size(), computed->size()));
  }
  const auto is_like = [](const Tensor& one, const Tensor& other) {
    return one.spec.shape == other.spec.shape &&
           (one.spec.dtype == other.spec.dtype ||
            (IsFloating(one.spec.dtype) && other.spec.dtype == DType::kF64));
  };
  if (std::ranges::equal(declared, *computed, is_like)) return computed;
  return ReferencesBlame(problem, fmt::format("gives {}, and {} in another run", KindsOf(declared),
                                              KindsOf(*computed)));
}

std::string SizesText(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format("{}={}, ", name, value);
  return text;
}

}  // namespace

Result<void> References::Prepare(SessionBuilds& builds, const std::stop_token& stop) {
  for (const Precision precision : PrecisionsOf(builds.context())) {
    if (const auto built = builds.OfReference(precision, stop); !built) return built.error();
  }
  return {};
}

References::References(SessionBuilds& builds, std::vector<int> cpus, std::stop_token stop)
    : builds_(&builds),
      context_(&builds.context()),
      cpus_(std::move(cpus)),
      stop_(std::move(stop)) {}

bool References::loads_fast() const { return context_->backend->Facts().loads_fast; }

bool References::is_lasting() const { return context_->backend->Facts().has_device; }

std::string References::ElderKey() const { return "elder " + declared_.key; }

bool References::is_ours() const { return !context_->terms.problem.empty(); }

Result<References::Held> References::Start(Precision precision) {
  const WorkflowContext& context = *context_;
  const auto artefact = builds_->OfReference(precision, stop_);
  if (!artefact) return artefact.error();
  Held held;
  held.key =
      fmt::format("{} {} {}", context.problem.backend, (*artefact)->id, context.problem.text);
  if (precision == Precision::kHigh || is_lasting())
    held.runner = context.shared->TakeRunner(held.key);
  if (held.runner) {
    held.runner->Pin(cpus_);
    return held;
  }
  LoadOrder order{context.problem, *artefact, TensorRole::kReference, precision};
  order.arena_bytes = ArenaBytesOf(context.problem, precision);
  order.cpus = cpus_;
  order.stop = stop_;
  auto loaded = context.backend->Load(order);
  if (!loaded) return loaded.error();
  if (loaded->fault) return ReferencesBlame(context.problem, loaded->fault->reason);
  held.runner = std::move(loaded->runner);
  return held;
}

Result<References> References::Open(SessionBuilds& builds, const std::vector<int>& cpus,
                                    const std::stop_token& stop) {
  References references(builds, cpus, stop);
  for (const Precision precision : PrecisionsOf(builds.context())) {
    auto held = references.Start(precision);
    if (!held) return held.error();
    (precision == Precision::kHigh ? references.high_ : references.declared_) = std::move(*held);
  }
  return references;
}

void References::Pin(const std::vector<int>& cpus) {
  cpus_ = cpus;
  for (const Held* held : {&declared_, &high_}) {
    if (held->runner) held->runner->Pin(cpus);
  }
}

References::~References() {
  if (is_spoilt_ || !is_ours()) return;
  if (high_.runner) context_->shared->GiveRunner(high_.key, std::move(high_.runner));
  if (loads_fast() || !declared_.runner) return;
  if (is_lasting()) {
    context_->shared->GiveRunner(declared_.key, std::move(declared_.runner));
    return;
  }
  const auto elder = context_->shared->TakeRunner(ElderKey());  // One is enough.
  context_->shared->GiveRunner(ElderKey(), std::move(declared_.runner));
}

Result<Tensors> References::Inputs(std::size_t shape, std::size_t variant, std::uint64_t seed,
                                   std::chrono::nanoseconds limit) {
  const Problem& problem = context_->problem;
  if (problem.input_source == InputSource::kJudge) {
    return DrawInputs(problem, problem.shapes.at(shape), variant, Rng(seed));
  }
  return MakeInputs(seed, limit);
}

Result<Tensors> References::MakeInputs(std::uint64_t seed, std::chrono::nanoseconds limit) {
  Runner& maker = high_.runner ? *high_.runner : *declared_.runner;
  auto made = maker.MakeInputs(seed, limit);
  if (!made) return made.error();
  if (made->fault || !made->exception.empty()) {
    is_spoilt_ = true;
    return ReferencesBlame(
        context_->problem,
        "makes no inputs: " + (made->fault ? made->fault->reason : made->exception));
  }
  return std::move(made->outputs);
}

Result<Tensors> References::Compute(Held& held, Precision precision, const Asked& asked,
                                    std::chrono::nanoseconds limit) {
  const Problem& problem = context_->problem;
  Tensors converted;
  std::vector<TensorSpec> outputs;
  std::vector<std::int64_t> values;
  const bool is_high = precision == Precision::kHigh;
  for (const Tensor& input : asked.inputs) {
    converted.push_back(is_high ? Converted(input, DType::kF64) : input);
  }
  for (const ArraySpec& output : problem.outputs) {
    outputs.push_back(output.At(asked.sizes));
    if (is_high && IsFloating(output.dtype)) outputs.back().dtype = DType::kF64;
  }
  for (const std::string& name : problem.sizes) values.push_back(asked.sizes.at(name));
  CallOrder order;
  order.inputs = converted;
  order.outputs = outputs;
  order.sizes = values;
  order.seed = asked.seed;
  order.secret = 1;
  order.has_guards = true;  // What reads beyond an array is not what a kernel is held against.
  order.limit = limit;
  ++held.calls;
  auto report = held.runner->Call(order);
  if (!report) {
    is_spoilt_ = true;
    return report.error();
  }
  if (report->fault || !report->exception.empty()) {
    is_spoilt_ = true;
    return ReferencesBlame(problem,
                           report->fault ? report->fault->reason : "threw: " + report->exception);
  }
  last_call_ = report->time;
  return std::move(report->outputs);
}

Result<References::Errors> References::MeasureErrors(const TimedCase& trial, const Tensors& exact,
                                                     const Tensors& declared, const Draw& draw,
                                                     std::chrono::nanoseconds limit) {
  const Problem& problem = context_->problem;
  const bool has_high = high_.runner != nullptr;
  Errors errors(declared.size());
  const auto see_rounding = [&](const Tensors& fine, const Tensors& coarse) {
    for (std::size_t i = 0; i < errors.size(); ++i) errors[i].SeeRounding(fine[i], coarse[i]);
  };
  see_rounding(exact, declared);
  const int runs = HasFewElements(declared) ? kMoreRuns : 1;
  for (int run = 0; run < runs; ++run) {
    const Rng rng = draw.rng.Split(static_cast<std::uint64_t>(run));
    const Tensors moved = Nudged(trial.inputs, problem.policy, rng);
    auto nudged =
        LikeDeclared(problem, declared, ComputeFinest({trial.sizes, moved, trial.seed}, limit));
    if (!nudged) return nudged.error();
    for (std::size_t i = 0; i < errors.size(); ++i) errors[i].SeeNudging(exact[i], (*nudged)[i]);
  }
  if (!has_high) {  // Then what nudging does stands for both.
    for (ReferenceError& error : errors) error.rounding = error.nudging;
    return errors;
  }
  for (int run = 1; run < runs; ++run) {
    const Rng rng = draw.rng.Split("other inputs").Split(static_cast<std::uint64_t>(run));
    const auto others = Inputs(draw.shape, draw.variant, Rng(rng).Next(), limit);
    if (!others) return others.error();
    const Asked asked{trial.sizes, *others, trial.seed};
    auto fine = LikeDeclared(problem, declared, ComputeFinest(asked, limit));
    if (!fine) return fine.error();
    auto coarse =
        LikeDeclared(problem, declared, Compute(declared_, Precision::kDeclared, asked, limit));
    if (!coarse) return coarse.error();
    see_rounding(*fine, *coarse);
  }
  return errors;
}

Result<Tensors> References::ComputeFinest(const Asked& asked, std::chrono::nanoseconds limit) {
  return high_.runner ? Compute(high_, Precision::kHigh, asked, limit)
                      : Compute(declared_, Precision::kDeclared, asked, limit);
}

Result<void> References::FillTrial(TimedCase& trial, const Draw& draw,
                                   std::chrono::nanoseconds limit) {
  const Asked asked{trial.sizes, trial.inputs, trial.seed};
  auto declared = Compute(declared_, Precision::kDeclared, asked, limit);
  if (!declared) return declared.error();
  trial.reference_time = last_call_;
  const Problem& problem = context_->problem;
  if (declared->empty()) return ReferencesBlame(problem, "gives no output");
  auto exact = LikeDeclared(problem, *declared, ComputeFinest(asked, limit));
  if (!exact) return exact.error();
  const auto errors = MeasureErrors(trial, *exact, *declared, draw, limit);
  if (!errors) return errors.error();
  for (std::size_t i = 0; i < declared->size(); ++i) {
    const DType dtype = (*declared)[i].spec.dtype;
    Tolerance tolerance = ToleranceFrom(dtype, (*errors)[i]);
    if (problem.rtol) tolerance.rtol = *problem.rtol;
    if (problem.atol) tolerance.atol = *problem.atol;
    trial.tolerances.push_back(tolerance);
    trial.declared.push_back((*declared)[i].spec);
    trial.expected.push_back(IsFloating(dtype) ? std::move((*exact)[i])
                                               : std::move((*declared)[i]));
  }
  return {};
}

Result<void> References::Exercise(const std::vector<SharedTrial>& trials,
                                  std::chrono::nanoseconds limit) {
  return ExerciseHeld(declared_, trials, limit);
}

Result<void> References::ExerciseHeld(Held& held, const std::vector<SharedTrial>& trials,
                                      std::chrono::nanoseconds limit) {
  while (held.calls < trials.size()) {
    const TimedCase& trial = *trials[held.calls];
    auto computed =
        Compute(held, Precision::kDeclared, {trial.sizes, trial.inputs, trial.seed}, limit);
    if (!computed) return computed.error();
  }
  return {};
}

Result<std::unique_ptr<Runner>> References::StartTwin(const std::vector<SharedTrial>& trials,
                                                      std::chrono::nanoseconds limit) {
  auto held = Start(Precision::kDeclared);
  if (!held) return held.error();
  if (auto exercised = ExerciseHeld(*held, trials, limit); !exercised) return exercised.error();
  return std::move(held->runner);
}

Result<std::unique_ptr<Runner>> References::TakeOther(const std::vector<SharedTrial>& trials,
                                                      std::chrono::nanoseconds limit) {
  if (is_lasting()) return StartTwin(trials, limit);
  auto elder = context_->shared->TakeRunner(ElderKey());
  if (!elder) return StartTwin(trials, limit);
  elder->Pin(cpus_);
  return elder;
}

void References::GiveOther(std::unique_ptr<Runner> other) {
  if (is_lasting()) declared_.runner = std::move(other);
}

Result<SharedTrial> References::MakeTrial(std::size_t shape, std::size_t variant,
                                          std::uint64_t seed, std::chrono::nanoseconds limit) {
  const Problem& problem = context_->problem;
  const std::string key = fmt::format("{} {} {} {}", shape, variant, seed, problem.text);
  const bool may_come_again = context_->settings.are_inputs_seeded;
  if (may_come_again) {
    if (auto known = context_->shared->FindTrial(key)) return known;
  }
  auto trial = std::make_shared<TimedCase>();
  if (!problem.shapes.empty()) trial->sizes = problem.shapes.at(shape);
  trial->name = SizesText(trial->sizes);
  for (const ArraySpec& input : problem.inputs) {
    trial->name += fmt::format("{} {} ", input.name,
                               NameOf(input.distributions[variant % input.distributions.size()]));
  }
  auto inputs = Inputs(shape, variant, seed, limit);
  if (!inputs) return inputs.error();
  trial->inputs = std::move(*inputs);
  trial->seed = Rng(seed).Split("draws").Next();
  const Draw draw{shape, variant, Rng(seed).Split("nudge")};
  if (auto filled = FillTrial(*trial, draw, limit); !filled) return filled.error();
  if (may_come_again) context_->shared->KeepTrial(key, trial);
  return SharedTrial(trial);
}

}  // namespace hone::compute
