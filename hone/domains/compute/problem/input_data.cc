// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/input_data.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hone::compute {
namespace {

constexpr std::size_t kPoolExtra = 4096;  // Elements beyond what one draw takes.
constexpr int kWideExponent = 12;
constexpr double kShift = 8;

// Normal enough for inputs, and far cheaper than the real one: the sum of four uniform numbers
// from one draw of the generator, scaled to variance 1. Its tails end at 3.46.
double QuickNormal(Rng& rng) {
  const std::uint64_t bits = rng.Next();
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>((bits >> (16 * i)) & 0xffff);
  return (sum / 65536 - 2) * 1.7320508075688772;
}

double DrawReal(Distribution distribution, Rng& rng) {
  switch (distribution) {
    case Distribution::kUniform:
      return rng.Uniform(-1, 1);
    case Distribution::kNormal:
      return QuickNormal(rng);
    case Distribution::kPositive:
      return 1 - rng.Uniform();
    case Distribution::kWide: {
      const double sign = rng.Coin() ? 1 : -1;
      return sign * std::exp2(rng.Uniform(-kWideExponent, kWideExponent));
    }
    case Distribution::kSparse:
      return rng.Below(10) == 0 ? QuickNormal(rng) : 0;
    case Distribution::kShifted:
      return kShift + QuickNormal(rng);
  }
  return 0;
}

std::int64_t DrawInteger(const ArraySpec& spec, Distribution distribution, Rng& rng) {
  const auto width = static_cast<std::uint64_t>(spec.high - spec.low) + 1;
  if (distribution == Distribution::kSparse && rng.Below(10) != 0) {
    return std::clamp<std::int64_t>(0, spec.low, spec.high);
  }
  return spec.low + static_cast<std::int64_t>(width == 0 ? rng.Next() : rng.Below(width));
}

void SetInteger(Tensor& tensor, std::int64_t index, std::int64_t value) {
  if (tensor.spec.dtype == DType::kI64) {
    tensor.As<std::int64_t>()[static_cast<std::size_t>(index)] = value;
  } else {
    SetElement(tensor, index, static_cast<double>(value));
  }
}

void Fill(const ArraySpec& spec, Distribution distribution, Rng& rng, Tensor& tensor) {
  if (spec.dtype == DType::kF32) {
    for (float& value : tensor.As<float>()) {
      value = static_cast<float>(DrawReal(distribution, rng));
    }
    return;
  }
  for (std::int64_t i = 0; i < tensor.spec.Count(); ++i) {
    if (IsFloating(spec.dtype)) {
      SetElement(tensor, i, DrawReal(distribution, rng));
    } else {
      SetInteger(tensor, i, DrawInteger(spec, distribution, rng));
    }
  }
}

Distribution VariantOf(const ArraySpec& spec, std::size_t variant) {
  return spec.distributions[variant % spec.distributions.size()];
}

}  // namespace

Tensor DrawTensor(const ArraySpec& spec, const Sizes& sizes, Distribution distribution, Rng rng) {
  Tensor tensor = Tensor::Zeros(spec.At(sizes));
  Fill(spec, distribution, rng, tensor);
  return tensor;
}

Tensors DrawInputs(const Problem& problem, const Sizes& sizes, std::size_t variant,
                   const Rng& rng) {
  Tensors inputs;
  for (const ArraySpec& spec : problem.inputs) {
    inputs.push_back(DrawTensor(spec, sizes, VariantOf(spec, variant), rng.Split(spec.name)));
  }
  return inputs;
}

std::size_t VariantsOf(const Problem& problem) {
  std::size_t max = 1;
  for (const ArraySpec& spec : problem.inputs) max = std::max(max, spec.distributions.size());
  return max;
}

InputPool::InputPool(const Problem& problem, const Sizes& sizes, const Rng& rng) {
  for (const ArraySpec& spec : problem.inputs) {
    specs_.push_back(spec.At(sizes));
    Tensor longer = Tensor::Zeros(
        {spec.name, spec.dtype, {specs_.back().Count() + static_cast<std::int64_t>(kPoolExtra)}});
    Rng own = rng.Split(spec.name);
    Fill(spec, VariantOf(spec, 0), own, longer);
    pools_.push_back(std::move(longer.bytes));
  }
}

void InputPool::Draw(Rng& rng, Tensors& inputs) const {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const std::size_t begin = rng.Below(kPoolExtra) * SizeOf(specs_[i].dtype);
    std::memcpy(inputs[i].bytes.data(), pools_[i].data() + begin, specs_[i].Bytes());
  }
}

Tensors InputPool::Draw(Rng& rng) const {
  Tensors inputs;
  for (const TensorSpec& spec : specs_) inputs.push_back(Tensor::Zeros(spec));
  Draw(rng, inputs);
  return inputs;
}

}  // namespace hone::compute
