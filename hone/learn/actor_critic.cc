// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/actor_critic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hone/core/check.h"
#include "hone/learn/initial_weights.h"

namespace hone::learn {
namespace {

constexpr double kPolicyHeadGain = 0.01;
constexpr double kValueHeadGain = 1;
constexpr double kNormFloor = 1e-6;  // Added to the norm before dividing by it, as PyTorch does.

template <typename T>
std::vector<double> ToDoubles(const AlignedVector<T>& numbers) {
  return {numbers.begin(), numbers.end()};
}

template <typename T>
class ActorCriticOf final : public ActorCritic {
 public:
  ActorCriticOf(const ActorCriticShape& shape, const AdamSettings& adam, const Kernels<T>& kernels)
      : shape_(shape),
        adam_(adam),
        kernels_(kernels),
        policy_(NetShape(shape, shape.policy_outputs), 0, kernels),
        value_(NetShape(shape, 1), policy_.end(), kernels),
        free_at_(value_.end()) {
    parameters_.assign(free_at_ + Padded(shape.free_count), 0);
    gradients_ = first_ = second_ = parameters_;
    free_.assign(shape.free_count, 0);
    spreads_.assign(shape.free_count, 1);
  }

  const ActorCriticShape& shape() const override { return shape_; }

  void Initialise(bool is_orthogonal, std::span<const double> free, const Rng& rng) override {
    HONE_CHECK(free.size() == shape_.free_count);
    InitialiseNet(policy_, is_orthogonal, kPolicyHeadGain, rng.Split("policy"));
    InitialiseNet(value_, is_orthogonal, kValueHeadGain, rng.Split("value"));
    std::copy(free.begin(), free.end(), parameters_.begin() + FreeOffset());
    ReadFree();
  }

  void Forward(std::span<const double> observations) override {
    rows_ = observations.size() / shape_.observations;
    inputs_.assign(observations.begin(), observations.end());
    policy_.Forward(parameters_.data(), inputs_.data(), rows_);
    value_.Forward(parameters_.data(), inputs_.data(), rows_);
    CopyRows(policy_.outputs(), policy_.output_stride(), shape_.policy_outputs, outputs_);
    CopyRows(value_.outputs(), value_.output_stride(), 1, values_);
    if (wants_features_) {
      CopyRows(policy_.features(), policy_.feature_stride(), policy_.feature_count(), features_);
    }
  }

  std::span<const double> Outputs(std::size_t row) const override {
    return std::span(outputs_).subspan(row * shape_.policy_outputs, shape_.policy_outputs);
  }
  std::span<const double> Features(std::size_t row) const override {
    if (!wants_features_) return {};
    const std::size_t count = policy_.feature_count();
    return std::span(features_).subspan(row * count, count);
  }
  double ValueOf(std::size_t row) const override { return values_[row]; }
  void WantFeatures(bool is_wanted) override { wants_features_ = is_wanted; }
  FreeParameters free() const override { return {.logs = free_, .spreads = spreads_}; }

  double Backward(std::span<const double> by_outputs, std::span<const double> by_values,
                  std::span<const double> by_free) override {
    PadRows(by_outputs, shape_.policy_outputs, policy_.output_stride());
    policy_.Backward(parameters_.data(), padded_.data(), gradients_.data());
    PadRows(by_values, 1, value_.output_stride());
    value_.Backward(parameters_.data(), padded_.data(), gradients_.data());
    std::transform(by_free.begin(), by_free.end(), gradients_.begin() + FreeOffset(),
                   [](double number) { return static_cast<T>(number); });
    double sum = 0;
    for (const T gradient : gradients_) {
      sum += static_cast<double>(gradient) * static_cast<double>(gradient);
    }
    return norm_ = std::sqrt(sum);
  }

  void Step(double learning_rate, double max_norm) override {
    ++steps_;
    const auto count = static_cast<double>(steps_);
    const double first_scale = 1 / (1 - std::pow(adam_.beta1, count));
    const double second_scale = 1 / std::sqrt(1 - std::pow(adam_.beta2, count));
    kernels_.adam({.count = parameters_.size(),
                   .parameters = parameters_.data(),
                   .gradients = gradients_.data(),
                   .first = first_.data(),
                   .second = second_.data(),
                   .gradient_scale = static_cast<T>(std::min(1.0, max_norm / (norm_ + kNormFloor))),
                   .beta1 = static_cast<T>(adam_.beta1),
                   .beta2 = static_cast<T>(adam_.beta2),
                   .rate = static_cast<T>(learning_rate * first_scale),
                   .second_scale = static_cast<T>(second_scale),
                   .epsilon = static_cast<T>(adam_.epsilon)});
    ReadFree();
  }

  ActorCriticState Save() const override {
    return {.parameters = ToDoubles(parameters_),
            .first_moments = ToDoubles(first_),
            .second_moments = ToDoubles(second_),
            .steps = steps_};
  }

  Result<void> Load(const ActorCriticState& state) override {
    for (const auto* numbers : {&state.parameters, &state.first_moments, &state.second_moments}) {
      if (numbers->size() == parameters_.size()) continue;
      return Error{Errc::kInvalidArgument,
                   fmt::format("policy: {} parameters, but this network has {}", numbers->size(),
                               parameters_.size())};
    }
    const auto copy = [](const std::vector<double>& from, AlignedVector<T>& to) {
      std::transform(from.begin(), from.end(), to.begin(),
                     [](double number) { return static_cast<T>(number); });
    };
    copy(state.parameters, parameters_);
    copy(state.first_moments, first_);
    copy(state.second_moments, second_);
    steps_ = state.steps;
    ReadFree();
    return {};
  }

  std::vector<double> Listed() const override { return List(parameters_); }
  std::vector<double> ListedGradient() const override { return List(gradients_); }

  void SetListed(std::span<const double> numbers) override {
    std::size_t next = 0;
    ForEachListed([&](std::size_t place) { parameters_[place] = static_cast<T>(numbers[next++]); });
    HONE_CHECK(next == numbers.size());
    ReadFree();
  }

 private:
  static MlpShape NetShape(const ActorCriticShape& shape, std::size_t outputs) {
    return {.inputs = shape.observations,
            .hidden = shape.hidden,
            .outputs = outputs,
            .activation = shape.activation};
  }

  std::ptrdiff_t FreeOffset() const { return static_cast<std::ptrdiff_t>(free_at_); }

  void ReadFree() {
    for (std::size_t i = 0; i < free_.size(); ++i) {
      free_[i] = static_cast<double>(parameters_[free_at_ + i]);
      spreads_[i] = std::exp(free_[i]);
    }
  }

  void InitialiseNet(const Mlp<T>& net, bool is_orthogonal, double head_gain, const Rng& rng) {
    for (std::size_t l = 0; l < net.layers().size(); ++l) {
      const LayerPlace& layer = net.layers()[l];
      const bool is_head = l + 1 == net.layers().size();
      const double gain = is_head ? head_gain : std::numbers::sqrt2;
      const Rng own = rng.Split(l);
      const auto weights = is_orthogonal ? OrthogonalMatrix(layer.inputs, layer.outputs, gain, own)
                                         : UniformWeights(layer.inputs * layer.outputs,
                                                          layer.inputs, own.Split("weights"));
      const auto biases = is_orthogonal
                              ? std::vector<double>(layer.outputs, 0)
                              : UniformWeights(layer.outputs, layer.inputs, own.Split("biases"));
      for (std::size_t o = 0; o < layer.outputs; ++o) {
        parameters_[layer.biases + o] = static_cast<T>(biases[o]);
        for (std::size_t i = 0; i < layer.inputs; ++i) {
          parameters_[layer.weights + i * layer.stride + o] =
              static_cast<T>(weights[i * layer.outputs + o]);
        }
      }
    }
  }

  void CopyRows(const T* from, std::size_t stride, std::size_t width,
                std::vector<double>& to) const {
    to.resize(rows_ * width);
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t i = 0; i < width; ++i) {
        to[row * width + i] = static_cast<double>(from[row * stride + i]);
      }
    }
  }

  void PadRows(std::span<const double> from, std::size_t width, std::size_t stride) {
    HONE_CHECK(from.size() == rows_ * width);
    padded_.assign(rows_ * stride, 0);
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t i = 0; i < width; ++i) {
        padded_[row * stride + i] = static_cast<T>(from[row * width + i]);
      }
    }
  }

  template <typename Visit>
  void ForEachListed(Visit visit) const {
    for (const Mlp<T>* net : {&policy_, &value_}) {
      for (const LayerPlace& layer : net->layers()) {
        for (std::size_t o = 0; o < layer.outputs; ++o) {
          for (std::size_t i = 0; i < layer.inputs; ++i) {
            visit(layer.weights + i * layer.stride + o);
          }
        }
        for (std::size_t o = 0; o < layer.outputs; ++o) visit(layer.biases + o);
      }
    }
    for (std::size_t i = 0; i < shape_.free_count; ++i) visit(free_at_ + i);
  }

  std::vector<double> List(const AlignedVector<T>& numbers) const {
    std::vector<double> listed;
    ForEachListed(
        [&](std::size_t place) { listed.push_back(static_cast<double>(numbers[place])); });
    return listed;
  }

  // Constant after construction.
  const ActorCriticShape shape_;
  const AdamSettings adam_;
  const Kernels<T> kernels_;
  bool wants_features_ = false;

  Mlp<T> policy_;
  Mlp<T> value_;
  std::size_t free_at_;
  AlignedVector<T> parameters_;
  AlignedVector<T> gradients_;
  AlignedVector<T> first_;
  AlignedVector<T> second_;
  std::int64_t steps_ = 0;
  double norm_ = 0;

  // Of the last batch.
  std::size_t rows_ = 0;
  AlignedVector<T> inputs_;
  AlignedVector<T> padded_;
  std::vector<double> outputs_;
  std::vector<double> values_;
  std::vector<double> features_;
  std::vector<double> free_;
  std::vector<double> spreads_;
};

}  // namespace

std::unique_ptr<ActorCritic> MakeActorCritic(const ActorCriticShape& shape,
                                             const AdamSettings& adam, const KernelLevel& kernels) {
  if (shape.precision == Precision::kSingle) {
    return std::make_unique<ActorCriticOf<float>>(shape, adam, kernels.single);
  }
  return std::make_unique<ActorCriticOf<double>>(shape, adam, kernels.twofold);
}

}  // namespace hone::learn
