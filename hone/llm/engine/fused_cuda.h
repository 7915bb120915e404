// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "hone/llm/engine/compat.h"
#include "hone/llm/engine/torch.h"

// The kernels of fused_kernels.h on tensors, on the current stream. As the functions of compat.h
// that they stand for, without gradients.
namespace hone::llm {

at::Tensor FusedRmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps);
std::pair<at::Tensor, at::Tensor> FusedAddRmsNorm(const at::Tensor& x, const at::Tensor& delta,
                                                  const at::Tensor& weight, double eps);
at::Tensor FusedSwiGlu(const at::Tensor& gate, const at::Tensor& up);
at::Tensor FusedRotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin);
void FusedStore(at::Tensor& keys, at::Tensor& values, const at::Tensor& key,
                const at::Tensor& value, const at::Tensor& positions);

BlockWeights FusedWeighBlocks(const at::Tensor& logits, const at::Tensor& temperature);

}  // namespace hone::llm
