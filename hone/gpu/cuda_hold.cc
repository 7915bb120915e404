// SPDX-License-Identifier: Apache-2.0
#include "hone/gpu/cuda_hold.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <utility>

namespace hone::gpu {
namespace {

using std::chrono::nanoseconds;

// Whatever happens to this process's threads: the GPU is free again after so long.
constexpr nanoseconds kMaxHold{std::chrono::seconds{2}};
constexpr std::chrono::seconds kMaxEnding{5};

// What the kernel and the processor say to each other, in memory of the processor's. Numbers of
// holds only grow.
struct HoldWords {
  std::atomic<std::uint64_t> taken{0};  // The hold that has begun.
  std::atomic<std::uint64_t> freed{0};  // The one that may end.
  std::atomic<std::uint64_t> gap{0};    // The longest time that it did not run in between, ns.
  std::atomic<std::uint64_t> ended{0};
};
static_assert(sizeof(HoldWords) == 32 && std::atomic<std::uint64_t>::is_always_lock_free);

// It looks at the clock all the time: where it was not on the GPU, that jumps.
constexpr const char* kHold =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry hold(.param .u64 at, .param .u64 which, .param .u64 most) {\n"
    "  .reg .u64 words, number, limit, began, before, now, since, longest, freed;\n"
    "  .reg .pred is_late, is_held;\n"
    "  ld.param.u64 words, [at];\n"
    "  ld.param.u64 number, [which];\n"
    "  ld.param.u64 limit, [most];\n"
    "  mov.u64 began, %globaltimer;\n"
    "  mov.u64 before, began;\n"
    "  mov.u64 longest, 0;\n"
    "  st.volatile.u64 [words], number;\n"
    "  membar.sys;\n"
    "again:\n"
    "  mov.u64 now, %globaltimer;\n"
    "  sub.u64 since, now, before;\n"
    "  max.u64 longest, longest, since;\n"
    "  mov.u64 before, now;\n"
    "  sub.u64 since, now, began;\n"
    "  setp.gt.u64 is_late, since, limit;\n"
    "  @is_late mov.u64 longest, since;\n"
    "  @is_late bra over;\n"
    "  ld.volatile.u64 freed, [words+8];\n"
    "  setp.lt.u64 is_held, freed, number;\n"
    "  @is_held bra again;\n"
    "over:\n"
    "  st.volatile.u64 [words+16], longest;\n"
    "  membar.sys;\n"
    "  st.volatile.u64 [words+24], number;\n"
    "  ret;\n"
    "}\n";

class KernelHold final : public CudaHold {
 public:
  explicit KernelHold(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}
  KernelHold(const KernelHold&) = delete;
  KernelHold& operator=(const KernelHold&) = delete;

  ~KernelHold() override {
    if (words_ == nullptr) return;
    LetGo();
    static_cast<void>(context_->Do("ending a hold", [this] {
      const CudaCalls& cuda = context_->cuda();
      static_cast<void>(cuda.await_stream(stream_));
      static_cast<void>(cuda.end_stream(stream_));
      return cuda.free_host_memory(words_);
    }));
  }

  Result<void> Make() {
    return context_->Do("a kernel that holds the GPU", [this] {
      const CudaCalls& cuda = context_->cuda();
      CuModule module = nullptr;
      if (const int error = cuda.load_module(&module, kHold)) return error;
      if (const int error = cuda.find_function(&hold_, module, "hold")) return error;
      if (const int error = cuda.make_stream(&stream_, kCuOwnStream)) return error;
      void* words = nullptr;
      const int error = cuda.host_memory(&words, sizeof(HoldWords), 0);
      if (error == kCuSuccess) words_ = new (words) HoldWords;
      return error;
    });
  }

  Result<void> BeginTaking() override {
    ++number_;
    return context_->Do("taking the GPU", [this] {
      // Of the host's memory the GPU knows the same addresses.
      auto words = reinterpret_cast<std::uint64_t>(words_);
      auto limit = static_cast<std::uint64_t>(kMaxHold.count());
      void* arguments[] = {&words, &number_, &limit};
      return context_->cuda().launch(hold_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr);
    });
  }

  bool IsTaken() const override { return words_->taken.load() >= number_; }
  void LetGo() override { words_->freed.store(number_); }

  Result<nanoseconds> LongestGap() override {
    const auto deadline = std::chrono::steady_clock::now() + kMaxEnding;
    while (words_->ended.load() < number_) {
      if (std::chrono::steady_clock::now() > deadline) {
        return Error{Errc::kUnavailable, "GPU: a kernel that held it does not end"};
      }
    }
    return nanoseconds{static_cast<std::int64_t>(words_->gap.load())};
  }

 private:
  const std::shared_ptr<CudaContext> context_;
  CuFunction hold_ = nullptr;
  CuStream stream_ = nullptr;
  HoldWords* words_ = nullptr;
  std::uint64_t number_ = 0;
};

}  // namespace

Result<std::unique_ptr<CudaHold>> CudaHold::Make(std::shared_ptr<CudaContext> context) {
  auto hold = std::make_unique<KernelHold>(std::move(context));
  if (auto made = hold->Make(); !made) return made.error();
  return hold;
}

}  // namespace hone::gpu
