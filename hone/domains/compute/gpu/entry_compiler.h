// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/backends/build_cache.h"
#include "hone/domains/compute/gpu/cubin_kernels.h"
#include "hone/gpu/gpu_device.h"

namespace hone::compute {

// CUDA's compiler for sources with host code, where CUDA is usually installed or in the folder that
// $HONE_CUDA names. kUnsupported says what to install.
Result<std::filesystem::path> FindNvcc();

// Builds CUDA sources that have host code: nvcc in a sandbox, and then, in another one, the host
// code itself, once for every shape, to record what it asks of the GPU. Neither needs a GPU.
class EntryCompiler {
 public:
  // `recorder` is the program that calls the host code.
  EntryCompiler(std::filesystem::path recorder, std::filesystem::path nvcc, gpu::GpuFacts gpu);

  // Everything that a build depends on, as text.
  std::string KeyOf(const BuildOrder& order) const;

  // Its library is an EntryBuild. Nullopt: it ran out of time, or was stopped.
  Result<std::optional<KeptBuild>> Compile(const BuildOrder& order) const;

 private:
  struct Compiled {
    std::string library;
    std::string cubin;
  };

  std::vector<std::string> ArgumentsOf(const BuildOrder& order) const;
  Result<std::optional<Compiled>> CompileSource(const BuildOrder& order, KeptBuild& build,
                                                bool& is_time_up) const;
  Result<std::optional<std::string>> Record(const BuildOrder& order, const Compiled& compiled,
                                            const std::vector<CubinKernel>& kernels,
                                            const Sizes& sizes, KeptBuild& build,
                                            bool& is_time_up) const;
  std::string TaskFor(const Problem& problem, const std::vector<CubinKernel>& kernels,
                      const Sizes& sizes) const;

  std::filesystem::path recorder_;
  std::filesystem::path nvcc_;
  gpu::GpuFacts gpu_;
};

}  // namespace hone::compute
