// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/backends/build_cache.h"

namespace hone::compute {

// The library of NVRTC, NVIDIA's compiler, on this machine: where CUDA is usually installed, or in
// the folder that $HONE_CUDA names. kUnsupported says what to install.
Result<std::filesystem::path> FindNvrtc();

// Compiles device code by NVRTC in a sandbox. It needs no GPU.
class CudaCompiler {
 public:
  // `program` is the one that opens the library. `architecture` is that of the GPU: "sm_90".
  CudaCompiler(std::filesystem::path program, std::filesystem::path library,
               std::string architecture);

  const std::filesystem::path& library() const { return library_; }

  // Everything that a build depends on, as text.
  std::string KeyOf(const BuildOrder& order) const;

  // Nullopt: it ran out of time, or was stopped.
  Result<std::optional<KeptBuild>> Compile(const BuildOrder& order) const;

 private:
  std::vector<std::string> OptionsOf(const BuildOrder& order) const;

  std::filesystem::path program_;
  std::filesystem::path library_;
  std::filesystem::path headers_;
  std::string architecture_;
};

// What comes before every source: whole numbers of fixed size, and `scalar`.
std::string CudaPreludeOf(const BuildOrder& order);

}  // namespace hone::compute
