// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/other_values.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace hone::compute {
namespace {

constexpr std::int64_t kMaxMet = 4096;  // Of the values of a tensor.
constexpr std::size_t kUsedShare = 8;   // One in so many of the different ones.

std::uint64_t BytesAt(const Tensor& tensor, std::int64_t index) {
  const std::size_t size = SizeOf(tensor.spec.dtype);
  std::uint64_t value = 0;
  std::memcpy(&value, tensor.bytes.data() + static_cast<std::size_t>(index) * size, size);
  return value;
}

// All of them, or as many at places by lot.
std::vector<std::uint64_t> ValuesMet(const Tensor& tensor, Rng& rng) {
  const std::int64_t count = tensor.spec.Count();
  std::vector<std::uint64_t> values;
  for (std::int64_t i = 0; i < std::min(count, kMaxMet); ++i) {
    const bool are_all = count <= kMaxMet;
    values.push_back(BytesAt(
        tensor,
        are_all ? i : static_cast<std::int64_t>(rng.Below(static_cast<std::uint64_t>(count)))));
  }
  return values;
}

std::vector<std::uint64_t> UsedOf(std::vector<std::uint64_t> values, Rng& rng) {
  std::ranges::sort(values);
  std::vector<std::uint64_t> used = values;
  used.erase(std::unique(used.begin(), used.end()), used.end());
  rng.Shuffle(used);
  used.resize(std::min(used.size(), std::max<std::size_t>(1, used.size() / kUsedShare)));
  std::ranges::sort(used);
  std::erase_if(values,
                [&](std::uint64_t value) { return !std::ranges::binary_search(used, value); });
  return values;
}

template <typename Word>
void FillFrom(std::span<const std::uint64_t> values, Rng& rng, Tensor& tensor) {
  for (Word& word : tensor.As<Word>()) word = static_cast<Word>(values[rng.Below(values.size())]);
}

}  // namespace

OtherValues::OtherValues(const Tensors& kept, const Rng& rng) {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    Rng own = rng.Split(i);
    sources_.push_back({kept[i].spec, UsedOf(ValuesMet(kept[i], own), own)});
  }
}

Tensors OtherValues::Draw(const Rng& rng) const {
  Tensors drawn;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Rng own = rng.Split(i);
    const std::vector<std::uint64_t>& values = sources_[i].values;
    Tensor& tensor = drawn.emplace_back(Tensor::Zeros(sources_[i].spec));
    switch (SizeOf(tensor.spec.dtype)) {
      case 1:
        FillFrom<std::uint8_t>(values, own, tensor);
        break;
      case 2:
        FillFrom<std::uint16_t>(values, own, tensor);
        break;
      case 4:
        FillFrom<std::uint32_t>(values, own, tensor);
        break;
      default:
        FillFrom<std::uint64_t>(values, own, tensor);
    }
  }
  return drawn;
}

}  // namespace hone::compute
