// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::compute {

// The type of an element. The numbers are those of the call block, so they never change.
enum class DType : std::uint32_t {
  kF32 = 1,
  kF64 = 2,
  kF16 = 3,
  kBF16 = 4,
  kI8 = 5,
  kU8 = 6,
  kI16 = 7,
  kI32 = 8,
  kI64 = 9,
  kBool = 10,
};

// "f32", "i64", …: the words of problem.json.
std::string_view NameOf(DType dtype);
Result<DType> DTypeNamed(std::string_view name);

std::size_t SizeOf(DType dtype);  // In bytes.
bool IsFloating(DType dtype);

// The distance from 1 to the next number: 2^-23 for f32. 0 for integers.
double EpsilonOf(DType dtype);

using Shape = std::vector<std::int64_t>;

std::int64_t CountOf(const Shape& shape);  // Of elements; 1 for a scalar.
std::string ToText(const Shape& shape);    // "[4, 256]"

struct TensorSpec {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;

  std::int64_t Count() const { return CountOf(shape); }
  std::size_t Bytes() const { return static_cast<std::size_t>(Count()) * SizeOf(dtype); }
  bool operator==(const TensorSpec&) const = default;
};

// The same type and shape, whatever they are called.
inline bool IsSameKind(const TensorSpec& a, const TensorSpec& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

// A dense array in row-major order that the judge owns.
struct Tensor {
  TensorSpec spec;
  std::vector<std::byte> bytes;

  static Tensor Zeros(TensorSpec spec);

  template <typename T>
  std::span<T> As() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T>
  std::span<const T> As() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

using Tensors = std::vector<Tensor>;
using SharedTensors = std::shared_ptr<const Tensors>;

// One element as a number. Integers beyond 2^53 lose their last digits.
double ElementAt(const Tensor& tensor, std::int64_t index);
void SetElement(Tensor& tensor, std::int64_t index, double value);

// One element for people: "0.25", "-7", "nan".
std::string ElementText(const Tensor& tensor, std::int64_t index);

// "[3, 17]": where the element with this number lies.
std::string IndexText(const Shape& shape, std::int64_t index);

// The same values in another floating type, rounded to the nearest. Integers stay as they are.
Tensor Converted(const Tensor& tensor, DType dtype);

}  // namespace hone::compute
