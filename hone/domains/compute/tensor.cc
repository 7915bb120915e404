// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "hone/core/check.h"

namespace hone::compute {
namespace {

struct TypeFacts {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
  double epsilon;  // 0: an integer.
};

constexpr std::array kTypes = {
    TypeFacts{DType::kF32, "f32", 4, 0x1p-23}, TypeFacts{DType::kF64, "f64", 8, 0x1p-52},
    TypeFacts{DType::kF16, "f16", 2, 0x1p-10}, TypeFacts{DType::kBF16, "bf16", 2, 0x1p-7},
    TypeFacts{DType::kI8, "i8", 1, 0},         TypeFacts{DType::kU8, "u8", 1, 0},
    TypeFacts{DType::kI16, "i16", 2, 0},       TypeFacts{DType::kI32, "i32", 4, 0},
    TypeFacts{DType::kI64, "i64", 8, 0},       TypeFacts{DType::kBool, "bool", 1, 0},
};

const TypeFacts& FactsOf(DType dtype) {
  const auto* const found = std::ranges::find(kTypes, dtype, &TypeFacts::dtype);
  HONE_CHECK(found != kTypes.end());
  return *found;
}

template <typename T>
T Load(const Tensor& tensor, std::int64_t index) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void Store(Tensor& tensor, std::int64_t index, T value) {
  std::memcpy(tensor.bytes.data() + static_cast<std::size_t>(index) * sizeof(T), &value, sizeof(T));
}

float FromBf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

std::uint16_t ToBf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

double FromF16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0x1f) {
    return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

std::uint16_t ToF16(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double size = std::fabs(value);
  if (std::isnan(value)) return 0x7e00;
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (size < 0x1p-14) {
    return static_cast<std::uint16_t>(sign | static_cast<int>(std::nearbyint(size * 0x1p24)));
  }
  const int exponent = std::ilogb(size);
  const int fraction = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return static_cast<std::uint16_t>(sign | (((exponent + 15) << 10) + (fraction - 0x400)));
}

}  // namespace

std::string_view NameOf(DType dtype) { return FactsOf(dtype).name; }

Result<DType> DTypeNamed(std::string_view name) {
  std::string known;
  for (const TypeFacts& type : kTypes) {
    if (type.name == name) return type.dtype;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", type.name);
  }
  return Error{Errc::kInvalidArgument, fmt::format("type {}: unknown; there is: {}", name, known)};
}

std::size_t SizeOf(DType dtype) { return FactsOf(dtype).bytes; }
bool IsFloating(DType dtype) { return FactsOf(dtype).epsilon > 0; }
double EpsilonOf(DType dtype) { return FactsOf(dtype).epsilon; }

std::int64_t CountOf(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::string ToText(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Tensor Tensor::Zeros(TensorSpec spec) {
  const std::size_t bytes = spec.Bytes();
  return {std::move(spec), std::vector<std::byte>(bytes)};
}

double ElementAt(const Tensor& tensor, std::int64_t index) {
  switch (tensor.spec.dtype) {
    case DType::kF32:
      return Load<float>(tensor, index);
    case DType::kF64:
      return Load<double>(tensor, index);
    case DType::kF16:
      return FromF16(Load<std::uint16_t>(tensor, index));
    case DType::kBF16:
      return FromBf16(Load<std::uint16_t>(tensor, index));
    case DType::kI8:
      return Load<std::int8_t>(tensor, index);
    case DType::kU8:
    case DType::kBool:
      return Load<std::uint8_t>(tensor, index);
    case DType::kI16:
      return Load<std::int16_t>(tensor, index);
    case DType::kI32:
      return Load<std::int32_t>(tensor, index);
    case DType::kI64:
      return static_cast<double>(Load<std::int64_t>(tensor, index));
  }
  return 0;
}

void SetElement(Tensor& tensor, std::int64_t index, double value) {
  switch (tensor.spec.dtype) {
    case DType::kF32:
      return Store(tensor, index, static_cast<float>(value));
    case DType::kF64:
      return Store(tensor, index, value);
    case DType::kF16:
      return Store(tensor, index, ToF16(value));
    case DType::kBF16:
      return Store(tensor, index, ToBf16(static_cast<float>(value)));
    case DType::kI8:
      return Store(tensor, index, static_cast<std::int8_t>(value));
    case DType::kU8:
    case DType::kBool:
      return Store(tensor, index, static_cast<std::uint8_t>(value));
    case DType::kI16:
      return Store(tensor, index, static_cast<std::int16_t>(value));
    case DType::kI32:
      return Store(tensor, index, static_cast<std::int32_t>(value));
    case DType::kI64:
      return Store(tensor, index, static_cast<std::int64_t>(value));
  }
}

std::string ElementText(const Tensor& tensor, std::int64_t index) {
  if (tensor.spec.dtype == DType::kI64) return fmt::format("{}", Load<std::int64_t>(tensor, index));
  if (tensor.spec.dtype == DType::kF32) return fmt::format("{}", Load<float>(tensor, index));
  return fmt::format("{}", ElementAt(tensor, index));
}

std::string IndexText(const Shape& shape, std::int64_t index) {
  Shape place(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    place[i] = index % std::max<std::int64_t>(1, shape[i]);
    index /= std::max<std::int64_t>(1, shape[i]);
  }
  return ToText(place);
}

Tensor Converted(const Tensor& tensor, DType dtype) {
  if (!IsFloating(tensor.spec.dtype) || tensor.spec.dtype == dtype) return tensor;
  Tensor other = Tensor::Zeros({tensor.spec.name, dtype, tensor.spec.shape});
  if (tensor.spec.dtype == DType::kF32 && dtype == DType::kF64) {
    std::ranges::copy(tensor.As<float>(), other.As<double>().begin());
    return other;
  }
  for (std::int64_t i = 0; i < tensor.spec.Count(); ++i) SetElement(other, i, ElementAt(tensor, i));
  return other;
}

}  // namespace hone::compute
