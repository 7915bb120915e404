// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/mlp.h"

#include <algorithm>

#include "hone/core/check.h"

namespace hone::learn {

template <typename T>
Mlp<T>::Mlp(const MlpShape& shape, std::size_t offset, const Kernels<T>& kernels)
    : activation_(shape.activation), kernels_(&kernels) {
  HONE_CHECK(!shape.hidden.empty());
  std::size_t inputs = shape.inputs;
  const auto add = [&](std::size_t outputs) {
    const std::size_t stride = Padded(outputs);
    layers_.push_back({inputs, outputs, stride, offset, offset + inputs * stride});
    offset += (inputs + 1) * stride;
    inputs = outputs;
  };
  for (const std::size_t width : shape.hidden) add(width);
  add(shape.outputs);
  activations_.resize(layers_.size());
}

template <typename T>
const T* Mlp<T>::InputsOf(std::size_t layer) const {
  return layer == 0 ? inputs_ : activations_[layer - 1].data();
}

template <typename T>
void Mlp<T>::Forward(const T* parameters, const T* inputs, std::size_t rows) {
  inputs_ = inputs;
  rows_ = rows;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const LayerPlace& layer = layers_[i];
    activations_[i].resize(rows * layer.stride);
    kernels_->multiply({.rows = rows,
                        .columns = layer.stride,
                        .depth = layer.inputs,
                        .a = InputsOf(i),
                        .a_row = i == 0 ? layer.inputs : layers_[i - 1].stride,
                        .b = parameters + layer.weights,
                        .b_row = layer.stride,
                        .bias = parameters + layer.biases,
                        .c = activations_[i].data(),
                        .c_row = layer.stride});
    if (i + 1 < layers_.size()) Activate(i);
  }
}

template <typename T>
void Mlp<T>::Activate(std::size_t layer) {
  AlignedVector<T>& values = activations_[layer];
  if (activation_ == Activation::kTanh) {
    kernels_->tanh(values.data(), values.size());
  } else {
    for (T& value : values) value = std::max(value, T{0});
  }
}

template <typename T>
void Mlp<T>::Deactivate(std::size_t layer, T* gradients) {
  const AlignedVector<T>& values = activations_[layer];
  if (activation_ == Activation::kTanh) {
    kernels_->tanh_backward(values.data(), gradients, values.size());
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] > 0)) gradients[i] = 0;
    }
  }
}

template <typename T>
void Mlp<T>::Backward(const T* parameters, const T* output_gradients, T* gradients) {
  static constexpr T kOne = 1;
  const T* above = output_gradients;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const LayerPlace& layer = layers_[i];
    Product<T> product{.rows = layer.inputs,
                       .columns = layer.stride,
                       .depth = rows_,
                       .a = InputsOf(i),
                       .a_row = 1,
                       .a_depth = i == 0 ? layer.inputs : layers_[i - 1].stride,
                       .b = above,
                       .b_row = layer.stride,
                       .c = gradients + layer.weights,
                       .c_row = layer.stride};
    kernels_->multiply(product);
    product.rows = 1;  // The biases' gradient is the sum of the rows.
    product.a = &kOne;
    product.a_row = 0;
    product.a_depth = 0;
    product.c = gradients + layer.biases;
    kernels_->multiply(product);
    if (i == 0) break;
    AlignedVector<T>& below = gradients_[i % 2];
    below.resize(rows_ * layers_[i - 1].stride);
    Propagate(parameters, i, above, below.data());
    Deactivate(i - 1, below.data());
    above = below.data();
  }
}

// The gradient of a layer's inputs, from that of its outputs: with the weights transposed.
template <typename T>
void Mlp<T>::Propagate(const T* parameters, std::size_t layer, const T* from, T* to) {
  const LayerPlace& place = layers_[layer];
  const std::size_t stride = layers_[layer - 1].stride;
  transposed_.assign(place.outputs * stride, 0);
  const T* weights = parameters + place.weights;
  for (std::size_t i = 0; i < place.inputs; ++i) {
    for (std::size_t o = 0; o < place.outputs; ++o) {
      transposed_[o * stride + i] = weights[i * place.stride + o];
    }
  }
  kernels_->multiply({.rows = rows_,
                      .columns = stride,
                      .depth = place.outputs,
                      .a = from,
                      .a_row = place.stride,
                      .b = transposed_.data(),
                      .b_row = stride,
                      .c = to,
                      .c_row = stride});
}

template class Mlp<float>;
template class Mlp<double>;

}  // namespace hone::learn
