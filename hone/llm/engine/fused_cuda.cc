// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/engine/fused_cuda.h"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include "hone/llm/engine/fused_kernels.h"

namespace hone::llm {
namespace {

bool IsHalf(const at::Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kFloat,
              "the kernels compute in F32 or BF16");
  return x.scalar_type() == at::kBFloat16;
}

template <typename Call>
void Run(const Call& call) {
  Launch(call, at::cuda::getCurrentCUDAStream().stream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

at::Tensor WithPlainRows(const at::Tensor& x) { return x.stride(-1) == 1 ? x : x.contiguous(); }

// Rows that are equally far apart, as those of a part of a matrix are.
at::Tensor AsRows(const at::Tensor& x) { return WithPlainRows(x.flatten(0, -2)); }

}  // namespace

at::Tensor FusedRmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor input = x.contiguous();
  at::Tensor norm = at::empty_like(input);
  Run(RmsNormCall{input.data_ptr(), nullptr, weight.data_ptr(), nullptr, norm.data_ptr(),
                  input.numel() / input.size(-1), input.size(-1), static_cast<float>(eps),
                  IsHalf(x)});
  return norm;
}

std::pair<at::Tensor, at::Tensor> FusedAddRmsNorm(const at::Tensor& x, const at::Tensor& delta,
                                                  const at::Tensor& weight, double eps) {
  const at::Tensor input = x.contiguous();
  const at::Tensor added = delta.contiguous();
  at::Tensor sum = at::empty_like(input);
  at::Tensor norm = at::empty_like(input);
  Run(RmsNormCall{input.data_ptr(), added.data_ptr(), weight.data_ptr(), sum.data_ptr(),
                  norm.data_ptr(), input.numel() / input.size(-1), input.size(-1),
                  static_cast<float>(eps), IsHalf(x)});
  return {std::move(sum), std::move(norm)};
}

at::Tensor FusedSwiGlu(const at::Tensor& gate, const at::Tensor& up) {
  const at::Tensor gates = AsRows(gate);
  const at::Tensor ups = AsRows(up);
  at::Tensor out = at::empty(gate.sizes(), gate.options());
  Run(SwiGluCall{gates.data_ptr(), ups.data_ptr(), out.data_ptr(), gates.size(0), gates.size(1),
                 gates.stride(0), ups.stride(0), IsHalf(gate)});
  return out;
}

at::Tensor FusedRotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
  const at::Tensor input = WithPlainRows(x);
  at::Tensor out = at::empty(x.sizes(), x.options());
  TORCH_CHECK(cos.strides() == sin.strides() && cos.stride(-1) == 1, "tables of another shape");
  Run(RotateCall{input.data_ptr(), cos.data_ptr(), sin.data_ptr(), out.data_ptr(), x.size(0),
                 x.size(1), x.size(2), x.size(3), input.stride(0), input.stride(1), input.stride(2),
                 cos.size(0) == 1 ? 0 : cos.stride(0), cos.stride(2), IsHalf(x)});
  return out;
}

void FusedStore(at::Tensor& keys, at::Tensor& values, const at::Tensor& key,
                const at::Tensor& value, const at::Tensor& positions) {
  const at::Tensor new_key = WithPlainRows(key);
  const at::Tensor new_value = WithPlainRows(value);
  TORCH_CHECK(keys.strides() == values.strides() && keys.stride(2) == keys.size(3) &&
                  keys.stride(3) == 1 && positions.stride(0) == 1,
              "a cache of another shape");
  Run(StoreCall{new_key.data_ptr(), new_value.data_ptr(), keys.data_ptr(), values.data_ptr(),
                positions.data_ptr<std::int64_t>(), keys.size(0), keys.size(1), keys.size(3),
                new_key.stride(0), new_key.stride(1), new_value.stride(0), new_value.stride(1),
                keys.stride(0), keys.stride(1), IsHalf(keys)});
}

BlockWeights FusedWeighBlocks(const at::Tensor& logits, const at::Tensor& temperature) {
  const at::Tensor input = WithPlainRows(logits);
  const at::Tensor divisors = temperature.contiguous();
  const std::int64_t rows = input.size(0);
  const std::int64_t blocks = (input.size(1) + kVocabBlock - 1) / kVocabBlock;
  const auto options = input.options();
  at::Tensor block_best = at::empty({rows, blocks}, options.dtype(at::kFloat));
  at::Tensor block_ids = at::empty({rows, blocks}, options.dtype(at::kLong));
  BlockCall call{input.data_ptr(),
                 nullptr,
                 nullptr,
                 block_best.data_ptr<float>(),
                 block_ids.data_ptr<std::int64_t>(),
                 nullptr,
                 nullptr,
                 rows,
                 input.size(1),
                 input.stride(0),
                 IsHalf(input)};
  Run(call);
  BlockWeights weights;
  const auto [best, which] = block_best.max(-1);
  weights.best = best;
  weights.best_id = block_ids.gather(1, which.unsqueeze(1)).squeeze(1);
  weights.sums = at::empty({rows, blocks}, options.dtype(at::kDouble));
  at::Tensor plain = at::empty({rows, blocks}, options.dtype(at::kDouble));
  call.best = best.data_ptr<float>();
  call.temperature = divisors.data_ptr<float>();
  call.sums = weights.sums.data_ptr<double>();
  call.plain_sums = plain.data_ptr<double>();
  Run(call);
  weights.log_total = best + plain.sum(-1).log().to(at::kFloat);
  return weights;
}

}  // namespace hone::llm
