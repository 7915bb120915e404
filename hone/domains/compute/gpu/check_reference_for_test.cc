// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "hone/core/rng.h"
#include "hone/domains/compute/gpu/known_answers_for_test.h"
#include "hone/domains/compute/problem/input_data.h"

namespace hone::compute {
namespace {

constexpr double kHighError = 1e-10;  // Of the largest number of an output.
constexpr std::chrono::seconds kReferenceCallLimit{60};

Numbers NumbersOf(const Tensor& tensor) {
  Numbers numbers(static_cast<std::size_t>(tensor.spec.Count()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = ElementAt(tensor, static_cast<std::int64_t>(i));
  }
  return numbers;
}

double LargestOf(const Numbers& numbers) {
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::fabs(number));
  return largest;
}

Error NotRun(const Problem& problem, const std::string& why) {
  return {Errc::kUnavailable, fmt::format("{}: its reference does not run: {}", problem.name, why)};
}

class CheckedReference {
 public:
  CheckedReference(Backend& backend, const Problem& problem)
      : backend_(backend), problem_(problem) {}

  Result<void> Load() {
    for (const Precision precision : kPrecisions) {
      const auto build =
          backend_.Compile({problem_, problem_.reference, TensorRole::kReference, precision});
      if (!build) return build.error();
      if (!build->artefact) return NotRun(problem_, build->reason + "\n" + build->output);
      auto loaded = backend_.Load({problem_, build->artefact, TensorRole::kReference, precision});
      if (!loaded) return loaded.error();
      if (loaded->fault) return NotRun(problem_, loaded->fault->reason);
      runners_[static_cast<std::size_t>(precision)] = std::move(loaded->runner);
    }
    return {};
  }

  Result<void> Compare(std::size_t shape, std::size_t variant, ReferenceCheck& check) {
    const Sizes& sizes = problem_.shapes.at(shape);
    const Tensors inputs = DrawInputs(problem_, sizes, variant, Rng(++check.calls));
    std::vector<Numbers> numbers;
    for (const Tensor& input : inputs) numbers.push_back(NumbersOf(input));
    const auto known = KnownAnswer(problem_.name, sizes, numbers);
    if (!known) return known.error();
    for (const Precision precision : kPrecisions) {
      const auto found = Call(precision, sizes, inputs);
      if (!found) return found.error();
      for (std::size_t i = 0; i < found->size() && check.fault.empty(); ++i) {
        CompareOne((*found)[i], known->at(i), precision, check);
        if (!check.fault.empty()) {
          check.fault += fmt::format(" ({}, variant {})", TextOfSizes(sizes), variant);
        }
      }
    }
    return {};
  }

 private:
  static constexpr std::array kPrecisions{Precision::kDeclared, Precision::kHigh};

  Result<Tensors> Call(Precision precision, const Sizes& sizes, const Tensors& inputs) {
    const bool is_high = precision == Precision::kHigh;
    Tensors converted;
    for (const Tensor& input : inputs) {
      converted.push_back(is_high ? Converted(input, DType::kF64) : input);
    }
    std::vector<TensorSpec> outputs;
    for (const ArraySpec& output : problem_.outputs) {
      outputs.push_back(output.At(sizes));
      if (is_high && IsFloating(output.dtype)) outputs.back().dtype = DType::kF64;
    }
    std::vector<std::int64_t> values;
    for (const std::string& name : problem_.sizes) values.push_back(sizes.at(name));
    CallOrder order;
    order.inputs = converted;
    order.outputs = outputs;
    order.sizes = values;
    order.secret = 1;
    order.limit = kReferenceCallLimit;
    auto report = runners_.at(static_cast<std::size_t>(precision))->Call(order);
    if (!report) return report.error();
    if (report->fault) return NotRun(problem_, report->fault->reason);
    if (report->changed || report->overrun) return NotRun(problem_, "it writes where it may not");
    return std::move(report->outputs);
  }

  static void CompareOne(const Tensor& found, const Numbers& known, Precision precision,
                         ReferenceCheck& check) {
    const double scale = std::max(LargestOf(known), 1e-300);
    const bool must_be_equal = !IsFloating(found.spec.dtype);
    for (std::size_t i = 0; i < known.size(); ++i) {
      const double number = ElementAt(found, static_cast<std::int64_t>(i));
      const double error = std::fabs(number - known[i]) / scale;
      if (precision == Precision::kDeclared && !must_be_equal && std::isfinite(number)) {
        check.largest_error = std::max(check.largest_error, error);
        continue;
      }
      if (error <= (must_be_equal ? 0 : kHighError)) continue;
      check.fault =
          fmt::format("{}{}: expected {}, found {}", found.spec.name,
                      IndexText(found.spec.shape, static_cast<std::int64_t>(i)), known[i], number);
      return;
    }
  }

  Backend& backend_;
  const Problem& problem_;
  std::array<std::unique_ptr<Runner>, kPrecisions.size()> runners_;
};

}  // namespace

Result<ReferenceCheck> CheckReference(Backend& backend, const Problem& problem,
                                      std::size_t first_shape) {
  CheckedReference reference(backend, problem);
  if (auto loaded = reference.Load(); !loaded) return loaded.error();
  ReferenceCheck check;
  for (std::size_t shape = first_shape; shape < problem.shapes.size(); ++shape) {
    for (std::size_t variant = 0; variant < VariantsOf(problem) && check.fault.empty(); ++variant) {
      if (auto done = reference.Compare(shape, variant, check); !done) return done.error();
    }
  }
  return check;
}

}  // namespace hone::compute
