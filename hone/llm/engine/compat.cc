// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/engine/compat.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "hone/llm/engine/placement.h"
#ifdef HONE_LLM_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "hone/llm/engine/fused_cuda.h"
#endif

namespace hone::llm {
namespace {

#if TORCH_VERSION_MAJOR >= 2
constexpr bool kHasSdpa = true;
#else
constexpr bool kHasSdpa = false;
#endif

#ifdef HONE_LLM_CUDA
// Fused kernels know nothing of gradients.
bool IsFusable(const at::Tensor& x) {
  return x.is_cuda() && !(at::GradMode::is_enabled() && x.requires_grad());
}
#endif

// Scores in the type of the queries, their softmax in fp32, as transformers' plain path has it.
at::Tensor PlainAttention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                          const at::Tensor& mask) {
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(-1)));
  at::Tensor scores = at::matmul(query, key.transpose(-2, -1)) * scale;
  scores = at::softmax((scores + mask).to(at::kFloat), -1).to(query.scalar_type());
  return at::matmul(scores, value);
}

// Heads that share keys side by side as more queries: [batch, kv_heads, group * length, dim].
at::Tensor Grouped(const at::Tensor& query, std::int64_t kv_heads) {
  return query.reshape({query.size(0), kv_heads, -1, query.size(-1)});
}

at::Tensor CausalMask(std::int64_t length, const at::TensorOptions& options) {
  return at::full({length, length}, -std::numeric_limits<double>::infinity(), options).triu(1);
}

at::Tensor PlainCausal(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const std::int64_t group = query.size(1) / key.size(1);
  const at::Tensor mask = CausalMask(query.size(2), query.options()).repeat({group, 1});
  return PlainAttention(Grouped(query, key.size(1)), key, value, mask).reshape(query.sizes());
}

#if TORCH_VERSION_MAJOR >= 2
at::Tensor Sdpa(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                const std::optional<at::Tensor>& mask, bool is_causal) {
  return at::scaled_dot_product_attention(query, key, value, mask, 0.0, is_causal);
}
#else
at::Tensor Sdpa(const at::Tensor& query, const at::Tensor&, const at::Tensor&,
                const std::optional<at::Tensor>&, bool) {
  return query;  // Never called: kHasSdpa.
}
#endif

}  // namespace

at::Tensor CausalAttention(const at::Tensor& query, const at::Tensor& key,
                           const at::Tensor& value) {
  if (!kHasSdpa || !query.is_cuda()) return PlainCausal(query, key, value);
  const std::int64_t group = query.size(1) / key.size(1);
  return Sdpa(query, key.repeat_interleave(group, 1), value.repeat_interleave(group, 1),
              std::nullopt, true);
}

at::Tensor CachedAttention(const at::Tensor& query, const at::Tensor& keys,
                           const at::Tensor& values, const at::Tensor& mask) {
  const at::Tensor grouped = Grouped(query, keys.size(1));
  if (!kHasSdpa || !query.is_cuda()) {
    return PlainAttention(grouped, keys, values, mask).reshape(query.sizes());
  }
  const at::Tensor wide =
      mask.expand({grouped.size(0), grouped.size(1), grouped.size(2), keys.size(2)});
  return Sdpa(grouped, keys, values, wide, false).reshape(query.sizes());
}

at::Tensor RmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps) {
#ifdef HONE_LLM_CUDA
  if (IsFusable(x)) return FusedRmsNorm(x, weight, eps);
#endif
  const at::Tensor wide = x.to(at::kFloat);
  const at::Tensor norm = wide * at::rsqrt(wide.square().mean({-1}, true) + eps);
  return norm.to(x.scalar_type()) * weight;
}

AddedNorm AddRmsNorm(const at::Tensor& x, const at::Tensor& delta, const at::Tensor& weight,
                     double eps) {
#ifdef HONE_LLM_CUDA
  if (IsFusable(x)) {
    auto [sum, norm] = FusedAddRmsNorm(x, delta, weight, eps);
    return {std::move(sum), std::move(norm)};
  }
#endif
  at::Tensor sum = x + delta;
  at::Tensor norm = RmsNorm(sum, weight, eps);
  return {std::move(sum), std::move(norm)};
}

at::Tensor SwiGlu(const at::Tensor& gate, const at::Tensor& up) {
#ifdef HONE_LLM_CUDA
  if (IsFusable(gate)) return FusedSwiGlu(gate, up);
#endif
  return at::silu(gate) * up;
}

at::Tensor Rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
#ifdef HONE_LLM_CUDA
  if (IsFusable(x)) return FusedRotate(x, cos, sin);
#endif
  const std::int64_t half = x.size(-1) / 2;
  const at::Tensor turned = at::cat({-x.narrow(-1, half, half), x.narrow(-1, 0, half)}, -1);
  return x * cos + turned * sin;
}

void StoreAt(at::Tensor& keys, at::Tensor& values, const at::Tensor& key, const at::Tensor& value,
             const at::Tensor& positions) {
#ifdef HONE_LLM_CUDA
  if (IsFusable(key)) return FusedStore(keys, values, key, value, positions);
#endif
  const at::Tensor place = positions.view({-1, 1, 1, 1}).expand_as(key);
  keys.scatter_(2, place, key);
  values.scatter_(2, place, value);
}

namespace {

at::Tensor SumBlocks(const at::Tensor& weights) {
  const std::int64_t vocab = weights.size(-1);
  const std::int64_t blocks = (vocab + kVocabBlock - 1) / kVocabBlock;
  return at::constant_pad_nd(weights, {0, blocks * kVocabBlock - vocab}, 0)
      .view({-1, blocks, kVocabBlock})
      .sum({-1}, false, at::kDouble);
}

}  // namespace

BlockWeights WeighBlocks(const at::Tensor& logits, const at::Tensor& temperature) {
#ifdef HONE_LLM_CUDA
  if (IsFusable(logits)) return FusedWeighBlocks(logits, temperature);
#endif
  BlockWeights weights;
  std::tie(weights.best, weights.best_id) = logits.to(at::kFloat).max(-1);
  const at::Tensor below = logits.to(at::kFloat) - weights.best.unsqueeze(-1);
  weights.sums = SumBlocks((below / temperature.unsqueeze(-1)).exp());
  weights.log_total = weights.best + below.exp().sum({-1}, false, at::kDouble).log().to(at::kFloat);
  return weights;
}

#ifdef HONE_LLM_CUDA

namespace {

// The first run is a plain one: libraries set themselves up in it, which a recording must not
// see. The second is recorded, and then replayed like all that follow.
class RecordedGraph final : public StepGraph {
 public:
  void Run(const std::function<void()>& work) override {
    if (runs_++ == 0) {
      work();
      return;
    }
    if (!graph_) Record(work);
    graph_->replay();
  }

 private:
  void Record(const std::function<void()>& work) {
    static const auto kPool = at::cuda::graph_pool_handle();
    at::cuda::getCurrentCUDAStream().synchronize();
    graph_ = std::make_unique<at::cuda::CUDAGraph>();
    graph_->capture_begin(kPool);
    work();
    graph_->capture_end();
  }

  std::int64_t runs_ = 0;
  std::unique_ptr<at::cuda::CUDAGraph> graph_;
};

}  // namespace

struct StreamScope::Parts {
  c10::cuda::CUDAStreamGuard guard{c10::cuda::getStreamFromPool()};
};

void AwaitDevice(bool is_on_gpu) {
  if (is_on_gpu) at::cuda::getCurrentCUDAStream().synchronize();
}

bool HasGpu() { return at::cuda::is_available(); }

#else

struct StreamScope::Parts {};

void AwaitDevice(bool) {}

bool HasGpu() { return false; }

#endif

namespace {

class PlainGraph final : public StepGraph {
 public:
  void Run(const std::function<void()>& work) override { work(); }
};

}  // namespace

std::unique_ptr<StepGraph> MakeStepGraph([[maybe_unused]] bool is_on_gpu,
                                         [[maybe_unused]] bool is_recorded) {
#ifdef HONE_LLM_CUDA
  if (is_on_gpu && is_recorded) return std::make_unique<RecordedGraph>();
#endif
  return std::make_unique<PlainGraph>();
}

StreamScope::StreamScope(bool is_on_gpu) {
  if (is_on_gpu && HasGpu()) parts_ = std::make_unique<Parts>();
}
StreamScope::~StreamScope() = default;

void UseThreads(std::int64_t count) {
  if (count > 0) at::set_num_threads(static_cast<int>(count));
}

std::string EngineIdentity() {
  const std::string version = "libtorch " TORCH_VERSION;
#ifdef HONE_LLM_CUDA
  return version + (HasGpu() ? ", CUDA" : ", CUDA but no GPU is seen");
#else
  return version + ", processor";
#endif
}

Result<void> CheckPlacement(const Placement& placement) {
  if (placement.type != DataType::kF32 && placement.type != DataType::kBF16) {
    return Error{Errc::kUnsupported, "models are computed in F32 or BF16"};
  }
  if (placement.is_on_gpu && !HasGpu()) {
    return Error{Errc::kUnsupported, "no GPU: " + EngineIdentity()};
  }
  return {};
}

}  // namespace hone::llm
