// SPDX-License-Identifier: Apache-2.0
#include "hone/gpu/cublas_calls.h"

#include <dlfcn.h>

namespace hone::gpu {

const char* LoadCublasCalls(CublasCalls& calls) {
  void* const library =
      OpenNvidiaLibrary({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"});
  if (library == nullptr) return "libcublas.so.13, 12 or 11";
  return FindCalls(library, {{"cublasCreate_v2", &calls.make},
                             {"cublasSetStream_v2", &calls.use_stream},
                             {"cublasGemmStridedBatchedEx", &calls.multiply}});
}

}  // namespace hone::gpu
