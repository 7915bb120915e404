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

}  // namespace hone::llm
