// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/workflows/made_cases.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "hone/domains/compute/workflows/arena.h"

namespace hone::compute {
namespace {

constexpr double kDefaultRtol = 1e-4;
constexpr double kDefaultAtol = 1e-5;
constexpr std::size_t kMaxMadeCases = 1000;
constexpr std::size_t kMaxCaseBytes = std::size_t{1} << 30;  // Of all of them: they are kept.
constexpr std::size_t kHeaderLength = 5;

Error MadeCasesBlame(const Problem& problem, const std::string& what) {
  return {Errc::kInvalidArgument, fmt::format("problem {}: its cases: {}", problem.name, what)};
}

// What stands before the tensors of a case; see harness/torch_runner.py.
struct Header {
  std::size_t cases = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::optional<double> rtol;
  std::optional<double> atol;
};

std::optional<Header> ReadHeader(const Tensors& made) {
  if (made.empty() || made[0].spec.dtype != DType::kF64) return std::nullopt;
  const auto values = made[0].As<double>();
  if (values.size() != kHeaderLength) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(values[i] >= 0 && values[i] <= kMaxMadeCases)) return std::nullopt;
  }
  Header header{static_cast<std::size_t>(values[0]),
                static_cast<std::size_t>(values[1]),
                static_cast<std::size_t>(values[2]),
                {},
                {}};
  if (!(values[3] < 0)) header.rtol = values[3];
  if (!(values[4] < 0)) header.atol = values[4];
  if (header.cases == 0 || made.size() != 1 + header.inputs + header.outputs) return std::nullopt;
  return header;
}

SharedTrial TrialOf(const Problem& problem, const Header& header, std::size_t number,
                    Tensors made) {
  auto trial = std::make_shared<TimedCase>();
  trial->name = fmt::format("case {}", number);
  const auto middle = made.begin() + static_cast<std::ptrdiff_t>(1 + header.inputs);
  trial->inputs.assign(std::make_move_iterator(made.begin() + 1), std::make_move_iterator(middle));
  trial->expected.assign(std::make_move_iterator(middle), std::make_move_iterator(made.end()));
  for (const Tensor& output : trial->expected) {
    trial->tolerances.push_back(
        CaseTolerance(problem, header.rtol, header.atol, output.spec.dtype));
    trial->declared.push_back(output.spec);
  }
  return trial;
}

Result<std::unique_ptr<Runner>> Start(SessionBuilds& builds, const std::stop_token& stop) {
  const WorkflowContext& context = builds.context();
  const auto artefact = builds.OfReference(Precision::kDeclared, stop);
  if (!artefact) return artefact.error();
  LoadOrder order{context.problem, *artefact, TensorRole::kReference, Precision::kDeclared};
  order.arena_bytes = ArenaBytesOf(context.problem, Precision::kDeclared);
  order.stop = stop;
  auto loaded = context.backend->Load(order);
  if (!loaded) return loaded.error();
  if (loaded->fault) return MadeCasesBlame(context.problem, loaded->fault->reason);
  return std::move(loaded->runner);
}

}  // namespace

Tolerance CaseTolerance(const Problem& problem, std::optional<double> rtol,
                        std::optional<double> atol, DType dtype) {
  if (!IsFloating(dtype)) return {};
  return {rtol.value_or(problem.rtol.value_or(kDefaultRtol)),
          atol.value_or(problem.atol.value_or(kDefaultAtol))};
}

Result<std::vector<SharedTrial>> MakeCases(SessionBuilds& builds, std::chrono::nanoseconds limit,
                                           const std::stop_token& stop) {
  const Problem& problem = builds.context().problem;
  const auto runner = Start(builds, stop);
  if (!runner) return runner.error();
  std::vector<SharedTrial> trials;
  std::size_t bytes = 0;
  for (std::size_t count = 1; trials.size() < count;) {
    auto made = (*runner)->MakeInputs(trials.size(), limit);
    if (!made) return made.error();
    if (made->fault) return MadeCasesBlame(problem, made->fault->reason);
    if (!made->exception.empty()) return MadeCasesBlame(problem, made->exception);
    const auto header = ReadHeader(made->outputs);
    if (!header) return MadeCasesBlame(problem, "what was made is no case");
    if (!std::isfinite(header->rtol.value_or(0)) || !std::isfinite(header->atol.value_or(0))) {
      return MadeCasesBlame(problem, "a tolerance is not a finite number");
    }
    count = header->cases;
    for (const Tensor& tensor : made->outputs) bytes += tensor.bytes.size();
    if (bytes > kMaxCaseBytes) {
      return MadeCasesBlame(
          problem, fmt::format("together they have more than {} MiB", kMaxCaseBytes >> 20));
    }
    trials.push_back(TrialOf(problem, *header, trials.size(), std::move(made->outputs)));
  }
  return trials;
}

}  // namespace hone::compute
