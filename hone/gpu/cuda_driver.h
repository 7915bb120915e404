// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "hone/core/result.h"
#include "hone/gpu/cuda_calls.h"

namespace hone::gpu {

// The driver of this machine, opened on first use. kUnsupported says what is missing.
Result<const CudaCalls*> CudaDriver();

// The driver's own name of an error: "CUDA_ERROR_ILLEGAL_ADDRESS".
std::string CudaErrorName(const CudaCalls& cuda, int error);

// A context of this process on one GPU, and a stream in it. It belongs to no thread: what needs it
// is done inside Do. Costs 0.3 s to make.
class CudaContext {
 public:
  static Result<std::unique_ptr<CudaContext>> Make(int ordinal);
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext();

  const CudaCalls& cuda() const { return cuda_; }
  CuDevice device() const { return device_; }
  CuStream stream() const { return stream_; }

  // Does something in this context, one thread after the other. `what` names it in the error that
  // is made of a number other than kCuSuccess.
  Result<void> Do(const char* what, const std::function<int()>& calls);

  // The GPU was lost or taken away: nothing works in this context any more. Another may.
  bool is_dead() const { return is_dead_; }

 private:
  CudaContext(const CudaCalls& cuda, CuDevice device, CuContext context)
      : cuda_(cuda), device_(device), context_(context) {}

  const CudaCalls& cuda_;
  const CuDevice device_;
  const CuContext context_;
  CuStream stream_ = nullptr;
  std::mutex mutex_;
  std::atomic<bool> is_dead_ = false;
};

}  // namespace hone::gpu
