// SPDX-License-Identifier: Apache-2.0
#include "hone/gpu/cuda_memory.h"

#include <algorithm>
#include <utility>

#include "hone/base/descriptor.h"

namespace hone::gpu {
namespace {

constexpr std::size_t kTimesCache = 2;  // Lines are not replaced in turn.

CuAllocation SharedOn(CuDevice device) {
  CuAllocation allocation{};
  allocation.type = kCuPinned;
  allocation.handle_types = kCuByDescriptor;
  allocation.place = {kCuOnDevice, device};
  return allocation;
}

// Memory with an address in one context.
class Mapped {
 public:
  explicit Mapped(CudaContext& context) : context_(context) {}
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() {
    static_cast<void>(context_.Do("giving memory back", [this] {
      const CudaCalls& cuda = context_.cuda();
      if (is_mapped_) cuda.unmap(address_, bytes_);
      if (address_ != 0) cuda.give_back(address_, bytes_);
      return handle_ != 0 ? cuda.release_memory(handle_) : kCuSuccess;
    }));
  }

  Result<void> Make(std::size_t bytes) {
    return context_.Do("memory that can be shared", [&] { return MakeInContext(bytes); });
  }

  CuAddress address() const { return address_; }
  CuHandle handle() const { return handle_; }
  std::size_t bytes() const { return bytes_; }

 private:
  int MakeInContext(std::size_t bytes) {
    const CudaCalls& cuda = context_.cuda();
    const CuAllocation allocation = SharedOn(context_.device());
    std::size_t granule = 0;
    if (const int error = cuda.granularity(&granule, &allocation, kCuMinGranularity)) {
      return error;
    }
    bytes_ = (bytes + granule - 1) / granule * granule;
    if (const int error = cuda.make_memory(&handle_, bytes_, &allocation, 0)) return error;
    if (const int error = cuda.reserve(&address_, bytes_, 0, 0, 0)) return error;
    if (const int error = cuda.map(address_, bytes_, 0, handle_, 0)) return error;
    is_mapped_ = true;
    const CuAccess access{{kCuOnDevice, context_.device()}, kCuMayReadAndWrite};
    return cuda.allow(address_, bytes_, &access, 1);
  }

  CudaContext& context_;
  std::size_t bytes_ = 0;
  CuHandle handle_ = 0;
  CuAddress address_ = 0;
  bool is_mapped_ = false;
};

class CudaMemory final : public GpuMemory {
 public:
  explicit CudaMemory(std::shared_ptr<CudaContext> context)
      : context_(std::move(context)), memory_(*context_) {}

  ~CudaMemory() override {
    if (here_ == nullptr) return;
    static_cast<void>(context_->Do("giving memory back",
                                   [this] { return context_->cuda().free_host_memory(here_); }));
  }

  Result<void> Make(std::size_t bytes) {
    if (auto made = memory_.Make(bytes); !made) return made;
    return context_->Do("a copy of its memory", [&] {
      const CudaCalls& cuda = context_->cuda();
      if (const int error = cuda.host_memory(&here_, memory_.bytes(), 0)) return error;
      int descriptor = -1;
      const int error = cuda.export_memory(&descriptor, memory_.handle(), kCuByDescriptor, 0);
      descriptor_ = Descriptor(descriptor);
      return error;
    });
  }

  std::size_t bytes() const override { return memory_.bytes(); }
  int descriptor() const override { return descriptor_.get(); }
  std::uint64_t address() const override { return memory_.address(); }
  std::byte* here() override { return static_cast<std::byte*>(here_); }

  Result<void> Upload(const Range& range) override {
    return context_->Do("copying to the GPU", [&] {
      return context_->cuda().copy_to_device(At(range), here() + range.offset, range.bytes,
                                             context_->stream());
    });
  }

  Result<void> Download(const Range& range) override {
    return context_->Do("copying from the GPU", [&] {
      return context_->cuda().copy_to_host(here() + range.offset, At(range), range.bytes,
                                           context_->stream());
    });
  }

  // Twice as much each time.
  Result<void> Repeat(const Range& range, std::size_t bytes) override {
    return context_->Do("copying on the GPU", [&] {
      for (std::size_t done = bytes; done < range.bytes;) {
        const std::size_t more = std::min(done, range.bytes - done);
        if (const int error = CopyOn(At(range) + done, At(range), more)) return error;
        done += more;
      }
      return kCuSuccess;
    });
  }

  Result<void> CopyFrom(std::uint64_t address, const Range& to) override {
    return context_->Do("copying on the GPU", [&] { return CopyOn(At(to), address, to.bytes); });
  }

 private:
  CuAddress At(const Range& range) const { return memory_.address() + range.offset; }

  int CopyOn(CuAddress to, CuAddress from, std::size_t bytes) const {
    return context_->cuda().copy_on_device(to, from, bytes, context_->stream());
  }

  const std::shared_ptr<CudaContext> context_;
  Mapped memory_;
  void* here_ = nullptr;
  Descriptor descriptor_;
};

class CudaCacheChill final : public CacheChill {
 public:
  explicit CudaCacheChill(std::shared_ptr<CudaContext> context)
      : context_(std::move(context)), memory_(*context_) {}

  // Half of it is copied onto the other half.
  Result<void> Make(std::size_t cache_bytes) { return memory_.Make(2 * kTimesCache * cache_bytes); }

  Result<void> Chill() override {
    return context_->Do("emptying its cache", [this] {
      const std::size_t half = memory_.bytes() / 2;
      return context_->cuda().copy_on_device(memory_.address(), memory_.address() + half, half,
                                             context_->stream());
    });
  }

 private:
  const std::shared_ptr<CudaContext> context_;
  Mapped memory_;
};

}  // namespace

Result<std::unique_ptr<GpuMemory>> MakeCudaMemory(std::shared_ptr<CudaContext> context,
                                                  std::size_t bytes) {
  auto memory = std::make_unique<CudaMemory>(std::move(context));
  if (auto made = memory->Make(bytes); !made) return made.error();
  return memory;
}

Result<std::unique_ptr<CacheChill>> CacheChill::Make(std::shared_ptr<CudaContext> context,
                                                     std::size_t cache_bytes) {
  auto chill = std::make_unique<CudaCacheChill>(std::move(context));
  if (auto made = chill->Make(cache_bytes); !made) return made.error();
  return chill;
}

}  // namespace hone::gpu
