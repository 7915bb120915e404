// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/input_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace hone::compute {
namespace {

constexpr int kWideExponent = 12;
constexpr double kShift = 8;
constexpr std::uint32_t kFloatBias = 127;
constexpr std::uint32_t kFloatMantissa = 23;  // Bits.

// Random words by the block: several generators side by side, which the compiler turns into
// vectors. Fresh inputs for every timed call must not cost more than writing them.
class Stream {
 public:
  explicit Stream(Rng& rng) {
    for (auto& part : state_) {
      for (std::uint64_t& word : part) word = rng.Next();
    }
  }

  std::uint64_t Next() {
    if (at_ == kWords) Refill();
    return words_[at_++];
  }

  // The next words, at most so many.
  std::span<const std::uint64_t> Some(std::size_t count) {
    if (at_ == kWords) Refill();
    const std::size_t given = std::min(count, kWords - at_);
    at_ += given;
    return std::span(words_).subspan(at_ - given, given);
  }

  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }
  bool Coin() { return (Next() >> 63) != 0; }

  // In [0, count), nearly unbiased: no count here is so large that it would show.
  std::uint64_t Below(std::uint64_t count) {
    __extension__ using Product = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Product>(Next()) * count >> 64);
  }

 private:
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kWords = 512;

  // xoshiro256++ in every lane.
  void Refill() {
    auto& [a, b, c, d] = state_;
    for (std::size_t i = 0; i < kWords; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        words_[i + lane] = std::rotl(a[lane] + d[lane], 23) + a[lane];
        const std::uint64_t shifted = b[lane] << 17;
        c[lane] ^= a[lane];
        d[lane] ^= b[lane];
        b[lane] ^= c[lane];
        a[lane] ^= d[lane];
        c[lane] ^= shifted;
        d[lane] = std::rotl(d[lane], 45);
      }
    }
    at_ = 0;
  }

  std::array<std::array<std::uint64_t, kLanes>, 4> state_{};
  std::array<std::uint64_t, kWords> words_{};
  std::size_t at_ = kWords;
};

// Normal enough for inputs, and far cheaper than the real one: the sum of four uniform numbers
// from one word, scaled to variance 1. Its tails end at 3.46.
template <typename Real>
Real NormalFrom(std::uint64_t bits) {
  constexpr double kScale = 1.7320508075688772 / 65536;
  const auto sum = static_cast<std::int32_t>((bits & 0xffff) + (bits >> 16 & 0xffff) +
                                             (bits >> 32 & 0xffff) + (bits >> 48));
  return static_cast<Real>(sum - 2 * 65536) * static_cast<Real>(kScale);
}

// In [0, 1), as finely as a float tells.
float UniformFrom(std::uint64_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> 40)) * 0x1.0p-24F;
}

// Sign and magnitude of a number of any size between 2^-kWideExponent and 2^kWideExponent.
float WideFrom(std::uint64_t bits) {
  constexpr std::uint64_t kExponents = std::uint64_t{2} * kWideExponent;
  constexpr std::uint32_t kMinExponent = kFloatBias - std::uint32_t{kWideExponent};
  const auto exponent = kMinExponent + static_cast<std::uint32_t>((bits >> 48) * kExponents >> 16);
  const std::uint32_t scale = exponent << kFloatMantissa;
  const float magnitude =
      std::bit_cast<float>(scale | (static_cast<std::uint32_t>(bits) >> (32 - kFloatMantissa)));
  return (bits >> 47 & 1) != 0 ? magnitude : -magnitude;
}

// Nine in ten are zero: the first quarter of the word decides, the others are summed. The scale is
// no power of two: short numbers would be added without any error while their sum is small, and
// what the reference was seen to err by would say nothing of a larger one.
float SparseFrom(std::uint64_t bits) {
  constexpr std::uint64_t kTenth = 65536 / 10;
  constexpr float kScale = 0.9997F * 2 / 65536;
  const auto sum =
      static_cast<std::int32_t>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff));
  const float value = static_cast<float>(2 * sum - 3 * 65536) * (kScale / 2);
  return (bits >> 48) < kTenth ? value : 0.0F;
}

double QuickNormal(Stream& stream) { return NormalFrom<double>(stream.Next()); }

// One word a value, in loops that the compiler turns into vectors.
template <typename FromWord>
void FillFloats(Stream& stream, std::span<float> values, FromWord from_word) {
  while (!values.empty()) {
    const auto words = stream.Some(values.size());
    for (std::size_t i = 0; i < words.size(); ++i) values[i] = from_word(words[i]);
    values = values.subspan(words.size());
  }
}

void FillQuickly(Distribution distribution, Stream& stream, std::span<float> values) {
  switch (distribution) {
    case Distribution::kUniform:
      FillFloats(stream, values, [](std::uint64_t bits) { return 2 * UniformFrom(bits) - 1; });
      return;
    case Distribution::kNormal:
      FillFloats(stream, values, NormalFrom<float>);
      return;
    case Distribution::kPositive:
      FillFloats(stream, values, [](std::uint64_t bits) { return 1 - UniformFrom(bits); });
      return;
    case Distribution::kShifted:
      FillFloats(stream, values, [](std::uint64_t bits) {
        return static_cast<float>(kShift) + NormalFrom<float>(bits);
      });
      return;
    case Distribution::kWide:
      FillFloats(stream, values, WideFrom);
      return;
    case Distribution::kSparse:
      FillFloats(stream, values, SparseFrom);
      return;
  }
}

double DrawReal(Distribution distribution, Stream& stream) {
  switch (distribution) {
    case Distribution::kUniform:
      return stream.Uniform(-1, 1);
    case Distribution::kNormal:
      return QuickNormal(stream);
    case Distribution::kPositive:
      return 1 - stream.Uniform();
    case Distribution::kWide: {
      const double sign = stream.Coin() ? 1 : -1;
      return sign * std::exp2(stream.Uniform(-kWideExponent, kWideExponent));
    }
    case Distribution::kSparse:
      return stream.Below(10) == 0 ? QuickNormal(stream) : 0;
    case Distribution::kShifted:
      return kShift + QuickNormal(stream);
  }
  return 0;
}

std::int64_t DrawInteger(const ArraySpec& spec, Distribution distribution, Stream& stream) {
  const auto width = static_cast<std::uint64_t>(spec.high - spec.low) + 1;
  if (distribution == Distribution::kSparse && stream.Below(10) != 0) {
    return std::clamp<std::int64_t>(0, spec.low, spec.high);
  }
  return spec.low + static_cast<std::int64_t>(width == 0 ? stream.Next() : stream.Below(width));
}

template <typename Integer>
void FillIntegers(const ArraySpec& spec, Distribution distribution, Stream& stream,
                  std::span<Integer> values) {
  for (Integer& value : values) {
    value = static_cast<Integer>(DrawInteger(spec, distribution, stream));
  }
}

void Fill(const ArraySpec& spec, Distribution distribution, Rng& rng, Tensor& tensor) {
  Stream stream(rng);
  switch (spec.dtype) {
    case DType::kF32:
      return FillQuickly(distribution, stream, tensor.As<float>());
    case DType::kU8:
      return FillIntegers(spec, distribution, stream, tensor.As<std::uint8_t>());
    case DType::kI32:
      return FillIntegers(spec, distribution, stream, tensor.As<std::int32_t>());
    case DType::kI64:
      return FillIntegers(spec, distribution, stream, tensor.As<std::int64_t>());
    default:
      break;
  }
  for (std::int64_t i = 0; i < tensor.spec.Count(); ++i) {
    SetElement(tensor, i,
               IsFloating(spec.dtype)
                   ? DrawReal(distribution, stream)
                   : static_cast<double>(DrawInteger(spec, distribution, stream)));
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

}  // namespace hone::compute
