// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/gpu_peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/json/json.h"

namespace hone::compute {
namespace {

constexpr int kEmptyCalls = 9;
constexpr int kProbeCalls = 5;
constexpr std::int64_t kProbeElements = 4 << 20;  // 16 MiB: more than first-level caches hold.
constexpr std::int64_t kBlocksEach = 2;           // Of 1024 threads, for each multiprocessor.
constexpr std::int64_t kProbeThreads = 1024;

constexpr const char* kProbeProblem = R"({{
  "name": "peak", "backend": "cuda", "sizes": ["n", "blocks"], "shapes": [{{"n": {}, "blocks": {}}}],
  "inputs": [{{"name": "x", "dtype": "f32", "shape": ["n"]}}],
  "outputs": [{{"name": "out", "dtype": "f32", "shape": ["2"]}}], "reference": {}}})";

// Each says in out[0] how much a thread of it does: bytes or operations.
constexpr const char* kReading = R"(
// hone: launch reading grid(blocks) block(1024) args(x, out, n)
struct alignas(16) Four { unsigned a, b, c, d; };
extern "C" __global__ void reading(const Four* x, float* out, int64_t n) {
  const int kLoads = 128;
  const int64_t all = int64_t{gridDim.x} * blockDim.x;
  const int64_t own = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int64_t mask = n / 4 - 1;
  unsigned sum = 0;
#pragma unroll 8
  for (int k = 0; k < kLoads; ++k) {
    const Four* from = x + ((own + k * all) & mask);
#ifdef __CUDA_ARCH__
    Four next;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(next.a), "=r"(next.b), "=r"(next.c), "=r"(next.d) : "l"(from));
#else
    const Four next = *from;
#endif
    sum ^= next.a ^ next.b ^ next.c ^ next.d;
  }
  if (sum == 12345) out[1] = 1;
  if (own == 0) { out[0] = 16.0f * kLoads; out[1] = 0; }
}
)";

constexpr const char* kAdding = R"(
// hone: launch adding grid(blocks) block(1024) args(x, out, n)
extern "C" __global__ void adding(const float* x, float* out, int64_t n) {
  const int kRounds = 512;
  const float factor = x[0] * 0.5f + 0.999f;
  float sums[8];
  for (int i = 0; i < 8; ++i) sums[i] = x[i + threadIdx.x];
#pragma unroll 4
  for (int k = 0; k < kRounds; ++k) {
#pragma unroll
    for (int i = 0; i < 8; ++i) sums[i] = sums[i] * factor + 0.001f;
  }
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += sums[i];
  if (sum == 12345) out[1] = 1;
  if (blockIdx.x + threadIdx.x == 0) { out[0] = 2.0f * 8 * kRounds; out[1] = 0; }
}
)";

// Of 16 by 8 by 16 numbers of 16 bits, by each group of 32 threads.
constexpr const char* kMultiplying = R"(
// hone: launch multiplying grid(blocks) block(1024) args(x, out, n)
extern "C" __global__ void multiplying(const unsigned* x, float* out, int64_t n) {
  float done = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const int kRounds = 256;
  unsigned a[4], b[2];
  for (int i = 0; i < 4; ++i) a[i] = x[threadIdx.x + i];
  for (int i = 0; i < 2; ++i) b[i] = x[threadIdx.x + 4 + i];
  float sums[4][4] = {};
  for (int k = 0; k < kRounds; ++k) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                   "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                   : "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
  if (sum == 12345) out[1] = 1;
  done = 2.0f * 16 * 8 * 16 / 32 * 4 * kRounds;
#endif
  if (blockIdx.x + threadIdx.x == 0) { out[0] = done; out[1] = 0; }
}
)";

Error ProbeError(std::string_view what) {
  return {Errc::kUnavailable, fmt::format("what the GPU can do cannot be measured: {}", what)};
}

Result<std::unique_ptr<Runner>> LoadProbe(Backend& backend, const Problem& problem) {
  const auto build = backend.Compile({problem, problem.reference, TensorRole::kReference});
  if (!build) return build.error();
  if (!build->artefact) return ProbeError(build->reason + "\n" + build->output);
  auto loaded = backend.Load({problem, build->artefact, TensorRole::kReference});
  if (!loaded) return loaded.error();
  if (loaded->fault) return ProbeError(loaded->fault->reason);
  return std::move(loaded->runner);
}

Result<double> MinNsOfNothing(Runner& runner) {
  double min = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kEmptyCalls; ++i) {
    const auto empty = runner.CallNothing();
    if (!empty) return empty.error();
    if (empty->fault) return ProbeError(empty->fault->reason);
    min = std::min(min, static_cast<double>(empty->time.count()));
  }
  return min;
}

// What a kernel does in a nanosecond when it is at its best.
Result<double> RateOf(Backend& backend, const gpu::GpuFacts& gpu, const char* source) {
  const std::int64_t blocks = kBlocksEach * std::max(1, gpu.multiprocessors);
  const auto problem = ParseProblem(
      fmt::format(kProbeProblem, kProbeElements, blocks, Dump(Json(source))), "a GPU's peak");
  if (!problem) return problem.error();
  const auto runner = LoadProbe(backend, *problem);
  if (!runner) return runner.error();
  const auto nothing = MinNsOfNothing(**runner);
  if (!nothing) return nothing.error();
  const Tensors inputs{Tensor::Zeros({"x", DType::kF32, {kProbeElements}})};
  const std::vector<TensorSpec> outputs{{"out", DType::kF32, {2}}};
  const std::vector<std::int64_t> sizes{kProbeElements, blocks};
  double best = 0;
  for (int i = 0; i < kProbeCalls; ++i) {
    CallOrder order;
    order.inputs = inputs;
    order.outputs = outputs;
    order.sizes = sizes;
    order.secret = static_cast<std::uint64_t>(i) + 1;
    const auto report = (*runner)->Call(order);
    if (!report) return report.error();
    if (report->fault) return ProbeError(report->fault->reason);
    if (!report->exception.empty()) return ProbeError(report->exception);
    const double done = ElementAt(report->outputs.at(0), 0) * static_cast<double>(blocks);
    const double ns = static_cast<double>(report->time.count()) - *nothing;
    best = std::max(best, done * static_cast<double>(kProbeThreads) / std::max(1.0, ns));
  }
  return best;
}

std::filesystem::path FileOf(const gpu::GpuFacts& gpu, const std::filesystem::path& folder) {
  return folder / fmt::format("{}-{}.json", gpu.uuid, gpu.driver);
}

std::optional<MachinePeak> ReadPeak(const std::filesystem::path& file) {
  const auto text = ReadFile(file);
  if (!text) return std::nullopt;
  const auto json = ParseJson(*text, "peak");
  if (!json) return std::nullopt;
  JsonReader reader(*json, "peak");
  const MachinePeak peak{reader.At("bytes_per_ns").Number(),
                         reader.At("operations_per_ns").Number()};
  const bool is_whole = reader.Finish() && peak.bytes_per_ns > 0 && peak.operations_per_ns > 0;
  return is_whole ? std::optional(peak) : std::nullopt;
}

}  // namespace

MachinePeak ArchitecturePeak(const gpu::GpuFacts& gpu) {
  // No multiprocessor takes more than 64 bytes a cycle from the cache that all share, or does
  // more than 8192 operations in its widest matrix instructions.
  constexpr double kBytes = 64;
  constexpr double kOperations = 8192;
  const double cycles_per_ns = gpu.max_clock_mhz / 1e3 * gpu.multiprocessors;
  return {kBytes * cycles_per_ns, kOperations * cycles_per_ns};
}

Result<MachinePeak> MeasureGpuPeak(Backend& backend, const gpu::GpuFacts& gpu) {
  std::array<double, 3> rates{};
  const std::array<const char*, 3> sources{kReading, kAdding, kMultiplying};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto rate = RateOf(backend, gpu, sources[i]);
    if (!rate) return rate.error();
    rates[i] = *rate;
  }
  return MachinePeak{rates[0], std::max(rates[1], rates[2])};
}

MachinePeak KeptGpuPeak(Backend& backend, const gpu::GpuFacts& gpu,
                        const std::filesystem::path& folder) {
  if (const auto kept = ReadPeak(FileOf(gpu, folder))) return MinOf(*kept, ArchitecturePeak(gpu));
  return RaiseGpuPeak(backend, gpu, folder);
}

MachinePeak RaiseGpuPeak(Backend& backend, const gpu::GpuFacts& gpu,
                         const std::filesystem::path& folder) {
  const MachinePeak max = ArchitecturePeak(gpu);
  // A GPU that others use, or that is slowed, would be remembered as a slow one.
  const auto is_doubtful = [&] {
    const auto sight = backend.Look();
    return sight && !sight->warning.empty();
  };
  if (is_doubtful()) return max;
  const auto measured = MeasureGpuPeak(backend, gpu);
  if (!measured || is_doubtful()) return max;
  const auto file = FileOf(gpu, folder);
  const MachinePeak peak = MaxOf(ReadPeak(file).value_or(MachinePeak{}), *measured);
  const Json json{{"bytes_per_ns", peak.bytes_per_ns},
                  {"operations_per_ns", peak.operations_per_ns}};
  if (MakeFolder(folder)) static_cast<void>(WriteFileAtomically(file, Dump(json)));
  return MinOf(peak, max);
}

}  // namespace hone::compute
