// SPDX-License-Identifier: Apache-2.0
#include "hone/gpu/cuda_driver.h"

#include <fmt/format.h>

namespace hone::gpu {
namespace {

Result<CudaCalls> OpenDriver() {
  CudaCalls cuda{};
  if (const char* missing = LoadCudaCalls(cuda); missing != nullptr) {
    return Error{Errc::kUnsupported,
                 fmt::format("no GPU: {} is not there; NVIDIA's driver brings it", missing)};
  }
  if (const int error = cuda.init(0); error != kCuSuccess) {
    return Error{Errc::kUnsupported,
                 fmt::format("no GPU: the driver does not start ({})", CudaErrorName(cuda, error))};
  }
  return cuda;
}

Error ErrorOf(const CudaCalls& cuda, const char* what, int error) {
  return {Errc::kUnavailable, fmt::format("GPU: {}: {}", what, CudaErrorName(cuda, error))};
}

// What was asked for cannot be had; everything else goes on as before.
bool IsRefusal(int error) { return error == kCuOutOfMemory || error == kCuInvalidValue; }

}  // namespace

Result<const CudaCalls*> CudaDriver() {
  static const auto* const driver = new Result<CudaCalls>(OpenDriver());
  if (!*driver) return driver->error();
  return &**driver;
}

std::string CudaErrorName(const CudaCalls& cuda, int error) {
  const char* name = nullptr;
  if (cuda.error_name(error, &name) != kCuSuccess || name == nullptr) {
    return fmt::format("error {}", error);
  }
  return name;
}

Result<std::unique_ptr<CudaContext>> CudaContext::Make(int ordinal) {
  const auto driver = CudaDriver();
  if (!driver) return driver.error();
  const CudaCalls& cuda = **driver;
  CuDevice device = 0;
  CuContext context = nullptr;
  if (const int error = cuda.device(&device, ordinal); error != kCuSuccess) {
    return ErrorOf(cuda, fmt::format("device {}", ordinal).c_str(), error);
  }
  if (const int error = cuda.make_context(&context, kCuSpins, device); error != kCuSuccess) {
    return ErrorOf(cuda, "a context", error);
  }
  std::unique_ptr<CudaContext> made(new CudaContext(cuda, device, context));
  auto stream =
      made->Do("a stream", [&] { return cuda.make_stream(&made->stream_, kCuOwnStream); });
  if (!stream) return stream.error();
  return made;
}

CudaContext::~CudaContext() {
  if (stream_ != nullptr) {
    static_cast<void>(Do("the end", [&] { return cuda_.end_stream(stream_); }));
  }
  cuda_.end_context(context_);
}

Result<void> CudaContext::Do(const char* what, const std::function<int()>& calls) {
  const std::scoped_lock lock(mutex_);
  int error = cuda_.use_context(context_);
  if (error == kCuSuccess) {
    error = calls();
    cuda_.use_context(nullptr);
  }
  if (error == kCuSuccess) return {};
  if (!IsRefusal(error)) is_dead_ = true;
  return ErrorOf(cuda_, what, error);
}

}  // namespace hone::gpu
