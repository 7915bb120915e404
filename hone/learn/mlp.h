// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "hone/learn/aligned_vector.h"
#include "hone/learn/kernels.h"

namespace hone::learn {

enum class Activation { kTanh, kRelu };

struct MlpShape {
  std::size_t inputs = 0;
  std::vector<std::size_t> hidden = {64, 64};
  std::size_t outputs = 0;
  Activation activation = Activation::kTanh;

  bool operator==(const MlpShape&) const = default;
};

// Where one layer's numbers stand among the parameters: a row of `stride` weights for each input,
// then `stride` biases. What is beyond `outputs` in a row is 0 and stays 0.
struct LayerPlace {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t stride = 0;
  std::size_t weights = 0;
  std::size_t biases = 0;
};

// A fully connected network with its backward pass:
//   h_0 = x,  h_l = f(h_{l-1} W_l + b_l),  y = h_L W_{L+1} + b_{L+1}.
// The parameters belong to the caller, in one piece with those of other networks, so that one
// optimiser steps over all of them; this holds the activations of the last batch. Rows of outputs
// have the stride of the last layer. Not safe for concurrent use.
template <typename T>
class Mlp {
 public:
  // Its parameters begin at `offset`.
  Mlp(const MlpShape& shape, std::size_t offset, const Kernels<T>& kernels);

  const std::vector<LayerPlace>& layers() const { return layers_; }
  std::size_t end() const { return layers_.back().biases + layers_.back().stride; }

  // `inputs` are rows without gaps; they must stay until Backward.
  void Forward(const T* parameters, const T* inputs, std::size_t rows);

  const T* outputs() const { return activations_.back().data(); }
  std::size_t output_stride() const { return layers_.back().stride; }

  // What the last hidden layer gave; the stride is that of its layer.
  const T* features() const { return activations_[layers_.size() - 2].data(); }
  std::size_t feature_count() const { return layers_.back().inputs; }
  std::size_t feature_stride() const { return layers_[layers_.size() - 2].stride; }

  // Of the last batch: writes the gradient of each of its parameters, given that of the outputs.
  void Backward(const T* parameters, const T* output_gradients, T* gradients);

 private:
  void Activate(std::size_t layer);
  void Deactivate(std::size_t layer, T* gradients);
  const T* InputsOf(std::size_t layer) const;
  void Propagate(const T* parameters, std::size_t layer, const T* from, T* to);

  std::vector<LayerPlace> layers_;
  Activation activation_;
  const Kernels<T>* kernels_;

  // Of the last batch.
  const T* inputs_ = nullptr;
  std::size_t rows_ = 0;
  std::vector<AlignedVector<T>> activations_;  // One a layer.
  AlignedVector<T> gradients_[2];
  AlignedVector<T> transposed_;
};

extern template class Mlp<float>;
extern template class Mlp<double>;

}  // namespace hone::learn
