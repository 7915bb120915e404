// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/new_model.h"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/file.h"
#include "hone/core/rng.h"
#include "hone/llm/files/checkpoint.h"
#include "hone/llm/files/model_tensors.h"
#include "hone/llm/files/safetensors.h"

namespace hone::llm {
namespace {

// To the nearest, ties to even.
std::uint16_t ToBFloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float DrawWeight(const TensorShape& tensor, const NewWeights& weights, Rng& random) {
  if (tensor.shape.size() > 1) return static_cast<float>(weights.deviation * random.Normal());
  const double noise = weights.varies_all ? 0.2 * random.Normal() : 0;
  return static_cast<float>(tensor.name.ends_with(".bias") ? noise : 1 + noise);
}

std::vector<std::byte> DrawTensor(const TensorShape& tensor, DataType type,
                                  const NewWeights& weights) {
  std::size_t count = 1;
  for (const std::int64_t length : tensor.shape) count *= static_cast<std::size_t>(length);
  std::vector<std::byte> bytes(count * BytesOf(type));
  Rng random = Rng(weights.seed).Split(tensor.name);
  for (std::size_t i = 0; i < count; ++i) {
    const float value = DrawWeight(tensor, weights, random);
    if (type == DataType::kF32) {
      std::memcpy(bytes.data() + 4 * i, &value, 4);
    } else {
      const std::uint16_t half = ToBFloat16(value);
      std::memcpy(bytes.data() + 2 * i, &half, 2);
    }
  }
  return bytes;
}

// Each tensor draws for itself, so that they can be drawn side by side.
std::vector<std::vector<std::byte>> DrawAll(const std::vector<TensorShape>& tensors, DataType type,
                                            const NewWeights& weights) {
  std::vector<std::vector<std::byte>> drawn(tensors.size());
  std::atomic<std::size_t> next = 0;
  const auto draw = [&] {
    for (std::size_t i = next++; i < tensors.size(); i = next++) {
      drawn[i] = DrawTensor(tensors[i], type, weights);
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(draw);
  draw();
  for (std::thread& other : others) other.join();
  return drawn;
}

}  // namespace

Result<void> WriteNewModel(const std::filesystem::path& folder, const ModelConfig& config,
                           const NewWeights& weights) {
  const DataType type = config.weights_type;
  if (type != DataType::kF32 && type != DataType::kBF16) {
    return Error{Errc::kUnsupported, "new models are written in F32 or BF16"};
  }
  if (auto made = MakeFolder(folder); !made) return made.error();
  const std::vector<TensorShape> tensors = TensorsOf(config);
  const auto drawn = DrawAll(tensors, type, weights);
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    views.push_back({tensors[i].name, type, tensors[i].shape, drawn[i]});
  }
  if (auto written = WriteSafetensors(folder / kWeightsFile, views); !written) {
    return written.error();
  }
  GenerationConfig generation;
  generation.eos_token_ids = config.eos_token_ids;
  generation.bos_token_id = config.bos_token_id;
  generation.pad_token_id = config.pad_token_id;
  auto written =
      WriteFileDurably(folder / "generation_config.json", ToJson(generation).dump(2) + "\n");
  if (!written) return written.error();
  return WriteFileDurably(folder / "config.json", ToJson(config).dump(2) + "\n");
}

}  // namespace hone::llm
