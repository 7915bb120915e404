// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/engine/model.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "hone/core/check.h"
#include "hone/llm/engine/compat.h"

namespace hone::llm {
namespace {

// A tensor over somebody else's bytes, or a copy where they are not aligned.
at::Tensor OverBytes(const TensorView& view) {
  const auto options = at::TensorOptions().dtype(ScalarTypeOf(view.type));
  const auto address = reinterpret_cast<std::uintptr_t>(view.bytes.data());
  if (address % BytesOf(view.type) != 0) {
    at::Tensor copy = at::empty(view.shape, options);
    std::memcpy(copy.data_ptr(), view.bytes.data(), view.bytes.size());
    return copy;
  }
  // Nobody writes to it: Model::Own comes first.
  auto* bytes = const_cast<std::byte*>(view.bytes.data());  // NOLINT
  return at::from_blob(bytes, view.shape, options);
}

// theta^(-2j/dim), and what Llama 3.1 makes of it.
std::vector<float> RotaryFrequencies(const ModelConfig& config) {
  std::vector<float> all;
  for (std::int64_t j = 0; j < config.head_dim / 2; ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(config.head_dim);
    const float plain = 1.0F / std::pow(static_cast<float>(config.rope_theta), exponent);
    if (!config.rope_scaling) {
      all.push_back(plain);
      continue;
    }
    const RopeScaling& scaling = *config.rope_scaling;
    const double original = static_cast<double>(scaling.original_max_positions);
    const double wavelength = 2 * std::numbers::pi / plain;
    const double scaled = plain / scaling.factor;
    const double mix = (original / wavelength - scaling.low_freq_factor) /
                       (scaling.high_freq_factor - scaling.low_freq_factor);
    double frequency = (1 - mix) * scaled + mix * plain;
    if (wavelength < original / scaling.high_freq_factor) frequency = plain;
    if (wavelength > original / scaling.low_freq_factor) frequency = scaled;
    all.push_back(static_cast<float>(frequency));
  }
  return all;
}

at::Tensor Heads(const at::Tensor& x, std::int64_t dim) {
  return x.reshape({x.size(0), x.size(1), -1, dim});
}

}  // namespace

at::ScalarType ScalarTypeOf(DataType type) {
  switch (type) {
    case DataType::kF64:
      return at::kDouble;
    case DataType::kF32:
      return at::kFloat;
    case DataType::kF16:
      return at::kHalf;
    case DataType::kBF16:
      return at::kBFloat16;
    case DataType::kI64:
      return at::kLong;
    case DataType::kI32:
      return at::kInt;
    case DataType::kI16:
      return at::kShort;
    case DataType::kI8:
      return at::kChar;
    case DataType::kU8:
      return at::kByte;
    case DataType::kBool:
      return at::kBool;
  }
  HONE_CHECK(false);
}

at::Device DeviceOf(const Placement& placement) {
  return placement.is_on_gpu ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
}

std::vector<at::Tensor> Projections::operator()(const at::Tensor& x) const {
  std::vector<at::Tensor> outputs;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    outputs.push_back(biases.empty() ? at::linear(x, weights[i])
                                     : at::linear(x, weights[i], biases[i]));
  }
  if (outputs.size() == sizes.size()) return outputs;
  return at::split_with_sizes(outputs.front(), sizes, -1);
}

Model::Model(ModelConfig config, Checkpoint weights, const Placement& placement)
    : config_(std::move(config)), weights_(std::move(weights)), placement_(placement) {}

Result<std::unique_ptr<Model>> Model::Load(ModelConfig config, Checkpoint weights,
                                           const Placement& placement) {
  auto model = std::unique_ptr<Model>(new Model(std::move(config), std::move(weights), placement));
  if (auto filled = model->Fill(); !filled) return filled.error();
  return model;
}

Result<at::Tensor> Model::Take(const std::string& name, std::vector<std::int64_t> shape) const {
  const auto view = weights_.Get(name, shape);
  if (!view) return view.error();
  return OverBytes(*view).to(DeviceOf(placement_), ScalarTypeOf(placement_.type));
}

Result<Projections> Model::TakeAll(const std::string& prefix, const std::vector<std::string>& names,
                                   const std::vector<std::int64_t>& sizes, std::int64_t inputs,
                                   bool has_bias) const {
  Projections all;
  all.sizes = sizes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto weight = Take(prefix + names[i] + ".weight", {sizes[i], inputs});
    if (!weight) return weight.error();
    all.weights.push_back(std::move(*weight));
    if (!has_bias) continue;
    auto bias = Take(prefix + names[i] + ".bias", {sizes[i]});
    if (!bias) return bias.error();
    all.biases.push_back(std::move(*bias));
  }
  if (placement_.is_on_gpu && names.size() > 1) {
    all.weights = {at::cat(all.weights)};
    if (has_bias) all.biases = {at::cat(all.biases)};
  }
  return all;
}

Result<Layer> Model::TakeLayer(std::int64_t number) const {
  const std::string prefix = fmt::format("model.layers.{}.", number);
  const std::int64_t hidden = config_.hidden_size;
  const std::int64_t inner = config_.intermediate_size;
  const std::int64_t queries = config_.num_heads * config_.head_dim;
  const std::int64_t keys = config_.num_kv_heads * config_.head_dim;
  Layer layer;
  const auto put_norm = [&](at::Tensor& place, const std::string& name,
                            std::int64_t size) -> Result<void> {
    auto taken = Take(prefix + name + ".weight", {size});
    if (!taken) return taken.error();
    place = std::move(*taken);
    return {};
  };
  const auto put = [&](Projections& place, const std::vector<std::string>& names,
                       const std::vector<std::int64_t>& sizes, std::int64_t inputs,
                       bool has_bias) -> Result<void> {
    auto taken = TakeAll(prefix, names, sizes, inputs, has_bias);
    if (!taken) return taken.error();
    place = std::move(*taken);
    return {};
  };
  auto done = put_norm(layer.input_norm, "input_layernorm", hidden);
  if (done) done = put_norm(layer.middle_norm, "post_attention_layernorm", hidden);
  if (done && config_.has_query_norm()) {
    done = put_norm(layer.query_norm, "self_attn.q_norm", config_.head_dim);
    if (done) done = put_norm(layer.key_norm, "self_attn.k_norm", config_.head_dim);
  }
  if (done) {
    done = put(layer.query_key_value, {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"},
               {queries, keys, keys}, hidden, config_.attention_bias);
  }
  if (done) {
    done =
        put(layer.output, {"self_attn.o_proj"}, {hidden}, queries, config_.attention_output_bias);
  }
  if (done)
    done = put(layer.gate_up, {"mlp.gate_proj", "mlp.up_proj"}, {inner, inner}, hidden, false);
  if (done) done = put(layer.down, {"mlp.down_proj"}, {hidden}, inner, false);
  if (!done) return done.error();
  return layer;
}

Result<void> Model::Fill() {
  auto embedding = Take("model.embed_tokens.weight", {config_.vocab_size, config_.hidden_size});
  if (!embedding) return embedding.error();
  embedding_ = std::move(*embedding);
  auto norm = Take("model.norm.weight", {config_.hidden_size});
  if (!norm) return norm.error();
  norm_ = std::move(*norm);
  head_ = embedding_;
  if (!config_.tie_word_embeddings) {
    auto head = Take("lm_head.weight", {config_.vocab_size, config_.hidden_size});
    if (!head) return head.error();
    head_ = std::move(*head);
  }
  for (std::int64_t i = 0; i < config_.num_layers; ++i) {
    auto layer = TakeLayer(i);
    if (!layer) return layer.error();
    layers_.push_back(std::move(*layer));
  }
  return {};
}

at::Tensor Model::Attend(const Layer& layer, std::int64_t number, const at::Tensor& x,
                         const PassContext& context) const {
  const auto parts = layer.query_key_value(x);
  at::Tensor query = Heads(parts[0], config_.head_dim);
  at::Tensor key = Heads(parts[1], config_.head_dim);
  if (config_.has_query_norm()) {
    query = RmsNorm(query, layer.query_norm, config_.rms_norm_eps);
    key = RmsNorm(key, layer.key_norm, config_.rms_norm_eps);
  }
  query = Rotate(query.transpose(1, 2), context.cos, context.sin);
  key = Rotate(key.transpose(1, 2), context.cos, context.sin);
  const at::Tensor value = Heads(parts[2], config_.head_dim).transpose(1, 2);
  const at::Tensor seen = context.attend(number, query, key, value);
  return layer.output(seen.transpose(1, 2).reshape({x.size(0), x.size(1), -1})).front();
}

at::Tensor Model::Hidden(const at::Tensor& ids, const PassContext& context) const {
  const double eps = config_.rms_norm_eps;
  at::Tensor sum = at::embedding(embedding_, ids);
  at::Tensor norm = RmsNorm(sum, layers_.front().input_norm, eps);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const at::Tensor seen = Attend(layer, static_cast<std::int64_t>(i), norm, context);
    AddedNorm middle = AddRmsNorm(sum, seen, layer.middle_norm, eps);
    const auto parts = layer.gate_up(middle.norm);
    const at::Tensor fed = layer.down(SwiGlu(parts[0], parts[1])).front();
    const at::Tensor& next = i + 1 < layers_.size() ? layers_[i + 1].input_norm : norm_;
    AddedNorm end = AddRmsNorm(middle.sum, fed, next, eps);
    sum = std::move(end.sum);
    norm = std::move(end.norm);
  }
  return norm;
}

std::pair<at::Tensor, at::Tensor> Model::RotaryTables(std::int64_t count) const {
  std::vector<float> listed = RotaryFrequencies(config_);
  const auto in_host = at::TensorOptions().dtype(at::kFloat);
  const at::Tensor frequencies =
      at::from_blob(listed.data(), {1, config_.head_dim / 2}, in_host).clone();
  const at::Tensor angles = at::arange(count, in_host).unsqueeze(1) * frequencies;
  const at::Tensor both = at::cat({angles, angles}, -1);
  const auto type = ScalarTypeOf(placement_.type);
  return {both.cos().to(DeviceOf(placement_), type), both.sin().to(DeviceOf(placement_), type)};
}

at::Tensor Model::OnePass(const at::Tensor& ids) const {
  const auto [cos, sin] = RotaryTables(ids.size(1));
  PassContext context;
  context.cos = cos.view({1, 1, cos.size(0), cos.size(1)});
  context.sin = sin.view({1, 1, sin.size(0), sin.size(1)});
  context.attend = [](std::int64_t, const at::Tensor& query, const at::Tensor& key,
                      const at::Tensor& value) { return CausalAttention(query, key, value); };
  return Logits(Hidden(ids, context));
}

std::vector<std::pair<std::string, at::Tensor>> Model::Named() const {
  std::vector<std::pair<std::string, at::Tensor>> named;
  named.emplace_back("model.embed_tokens.weight", embedding_);
  const auto add = [&named](const std::string& prefix, const std::vector<std::string>& names,
                            const Projections& all) {
    const bool is_one = all.weights.size() < names.size();
    std::int64_t at = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto part = [&](const std::vector<at::Tensor>& from) {
        return is_one ? from.front().narrow(0, at, all.sizes[i]) : from[i];
      };
      named.emplace_back(prefix + names[i] + ".weight", part(all.weights));
      if (!all.biases.empty()) named.emplace_back(prefix + names[i] + ".bias", part(all.biases));
      at += all.sizes[i];
    }
  };
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::string prefix = fmt::format("model.layers.{}.", i);
    const Layer& layer = layers_[i];
    named.emplace_back(prefix + "input_layernorm.weight", layer.input_norm);
    named.emplace_back(prefix + "post_attention_layernorm.weight", layer.middle_norm);
    if (layer.query_norm.defined()) {
      named.emplace_back(prefix + "self_attn.q_norm.weight", layer.query_norm);
      named.emplace_back(prefix + "self_attn.k_norm.weight", layer.key_norm);
    }
    add(prefix + "self_attn.", {"q_proj", "k_proj", "v_proj"}, layer.query_key_value);
    add(prefix + "self_attn.", {"o_proj"}, layer.output);
    add(prefix + "mlp.", {"gate_proj", "up_proj"}, layer.gate_up);
    add(prefix + "mlp.", {"down_proj"}, layer.down);
  }
  named.emplace_back("model.norm.weight", norm_);
  if (!config_.tie_word_embeddings) named.emplace_back("lm_head.weight", head_);
  return named;
}

void Model::Own() {
  const auto own = [](at::Tensor& tensor) {
    if (tensor.defined()) tensor = tensor.clone();
  };
  const auto own_all = [&own](Projections& all) {
    for (at::Tensor& weight : all.weights) own(weight);
    for (at::Tensor& bias : all.biases) own(bias);
  };
  own(embedding_);
  own(norm_);
  if (config_.tie_word_embeddings) {
    head_ = embedding_;
  } else {
    own(head_);
  }
  for (Layer& layer : layers_) {
    for (at::Tensor* norm :
         {&layer.input_norm, &layer.middle_norm, &layer.query_norm, &layer.key_norm}) {
      own(*norm);
    }
    for (Projections* all : {&layer.query_key_value, &layer.output, &layer.gate_up, &layer.down}) {
      own_all(*all);
    }
  }
}

}  // namespace hone::llm
