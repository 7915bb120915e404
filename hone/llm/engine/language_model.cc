// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/engine/language_model.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "hone/base/file.h"
#include "hone/llm/engine/compat.h"
#include "hone/llm/engine/model.h"
#include "hone/llm/files/checkpoint.h"

namespace hone::llm {
namespace {

at::Tensor MatrixOf(const TensorView& view) {
  at::Tensor tensor = at::empty(view.shape, at::TensorOptions().dtype(ScalarTypeOf(view.type)));
  std::copy(view.bytes.begin(), view.bytes.end(), static_cast<std::byte*>(tensor.data_ptr()));
  return tensor;
}

}  // namespace

LanguageModel::LanguageModel(std::unique_ptr<Model> model) : model_(std::move(model)) {}
LanguageModel::LanguageModel(LanguageModel&&) noexcept = default;
LanguageModel& LanguageModel::operator=(LanguageModel&&) noexcept = default;
LanguageModel::~LanguageModel() = default;

Result<LanguageModel> LanguageModel::Open(const std::filesystem::path& folder,
                                          const Placement& placement) try {
  if (auto checked = CheckPlacement(placement); !checked) return checked.error();
  auto config = ReadModelConfig(folder);
  if (!config) return config.error();
  auto weights = Checkpoint::Open(folder);
  if (!weights) return weights.error();
  const at::NoGradGuard no_gradients;
  auto model = Model::Load(std::move(*config), std::move(*weights), placement);
  if (!model) return model.error();
  AwaitDevice(placement.is_on_gpu);  // A decoder has another stream.
  return LanguageModel(std::move(*model));
} catch (const std::exception& problem) {  // Of torch: too little memory, most likely.
  return Error{Errc::kUnavailable, fmt::format("{}: {}", folder.string(), problem.what())};
}

const ModelConfig& LanguageModel::config() const { return model_->config(); }
const Placement& LanguageModel::placement() const { return model_->placement(); }

std::vector<float> LanguageModel::Logits(std::span<const TokenId> ids) const {
  const at::NoGradGuard no_gradients;
  at::Tensor input = at::empty({1, static_cast<std::int64_t>(ids.size())}, at::kLong);
  std::copy(ids.begin(), ids.end(), input.data_ptr<std::int64_t>());
  const at::Tensor logits =
      model_->OnePass(input.to(DeviceOf(placement()))).to(at::kFloat).to(at::kCPU).contiguous();
  const float* first = logits.data_ptr<float>();
  return {first, first + logits.numel()};
}

Result<void> LanguageModel::Merge(const LoraAdapter& adapter) {
  if (auto fits = CheckFits(adapter, config()); !fits) return fits.error();
  const at::NoGradGuard no_gradients;
  model_->Own();
  std::map<std::string, at::Tensor> weights;
  for (auto& [name, tensor] : model_->Named()) weights.emplace(name, tensor);
  for (const LoraPair& pair : adapter.pairs()) {
    at::Tensor& weight = weights.at(pair.module + ".weight");
    const auto matrix = [&weight](const TensorView& view) {
      return MatrixOf(view).to(weight.device(), at::kFloat);
    };
    const at::Tensor product = at::matmul(matrix(pair.b), matrix(pair.a));
    weight.copy_(weight.to(at::kFloat) + product * adapter.config().scale());
  }
  AwaitDevice(placement().is_on_gpu);
  return {};
}

Result<void> LanguageModel::Save(const std::filesystem::path& folder) const {
  if (auto made = MakeFolder(folder); !made) return made.error();
  const at::NoGradGuard no_gradients;
  std::vector<at::Tensor> kept;
  std::vector<TensorView> views;
  for (const auto& [name, tensor] : model_->Named()) {
    kept.push_back(tensor.to(at::kCPU).contiguous());
    TensorView view;
    view.name = name;
    view.type = placement().type;
    view.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
    view.bytes = {static_cast<const std::byte*>(kept.back().data_ptr()), kept.back().nbytes()};
    views.push_back(std::move(view));
  }
  if (auto written = WriteSafetensors(folder / kWeightsFile, views); !written) {
    return written.error();
  }
  ModelConfig config = this->config();
  config.weights_type = placement().type;
  return WriteFileDurably(folder / "config.json", ToJson(config).dump(2) + "\n");
}

}  // namespace hone::llm
