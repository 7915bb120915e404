// SPDX-License-Identifier: Apache-2.0
#include "hone/gpu/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <span>
#include <utility>

#include "hone/gpu/cuda_driver.h"
#include "hone/gpu/cuda_hold.h"
#include "hone/gpu/cuda_memory.h"
#include "hone/gpu/nvml.h"

namespace hone::gpu {
namespace {

// "GPU-5c0d7a1e-…": as NVML and nvidia-smi write it.
std::string UuidText(std::span<const unsigned char, 16> bytes) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool begins_group = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    text += fmt::format("{}{:02x}", begins_group ? "-" : "", bytes[i]);
  }
  return text;
}

int AttributeOf(const CudaCalls& cuda, CuDevice device, int attribute) {
  int value = 0;
  return cuda.device_attribute(&value, attribute, device) == kCuSuccess ? value : 0;
}

std::map<int, int> AttributesOf(const CudaCalls& cuda, CuDevice device) {
  constexpr int kAttributes = 160;  // More than there are.
  std::map<int, int> attributes;
  for (int i = 1; i < kAttributes; ++i) {
    int value = 0;
    if (cuda.device_attribute(&value, i, device) == kCuSuccess) attributes[i] = value;
  }
  return attributes;
}

class CudaDevice final : public GpuDevice {
 public:
  CudaDevice(GpuFacts facts, std::unique_ptr<Nvml> nvml)
      : facts_(std::move(facts)), nvml_(std::move(nvml)) {}

  const GpuFacts& Facts() const override { return facts_; }
  Result<GpuReading> Read() override { return nvml_->Read(); }

  Result<std::unique_ptr<GpuMemory>> MakeMemory(std::size_t bytes) override {
    auto context = Context();
    if (!context) return context.error();
    return MakeCudaMemory(*context, bytes);
  }

  Result<void> Finish() override {
    auto context = Context();
    if (!context) return context.error();
    CudaContext& here = **context;
    return here.Do("awaiting copies", [&] { return here.cuda().await_stream(here.stream()); });
  }

  Result<void> Chill() override {
    auto context = Context();
    if (!context) return context.error();
    const std::scoped_lock lock(mutex_);
    if (!chill_) {
      auto made = CacheChill::Make(*context, static_cast<std::size_t>(facts_.l2_bytes));
      if (!made) return made.error();
      chill_ = std::move(*made);
    }
    return chill_->Chill();
  }

  Result<void> BeginTaking() override {
    auto context = Context();
    if (!context) return context.error();
    const std::scoped_lock lock(mutex_);
    if (!hold_) {
      auto made = CudaHold::Make(*context);
      if (!made) return made.error();
      hold_ = std::move(*made);
    }
    return hold_->BeginTaking();
  }

  bool IsTaken() const override {
    const auto hold = Hold();
    return hold && hold->IsTaken();
  }

  void LetGo() override {
    if (const auto hold = Hold()) hold->LetGo();
  }

  Result<std::chrono::nanoseconds> LongestGap() override {
    const auto hold = Hold();
    if (!hold) return Error{Errc::kUnavailable, "GPU: was lost while it was taken"};
    return hold->LongestGap();
  }

 private:
  // None once the GPU was lost.
  std::shared_ptr<CudaHold> Hold() const {
    const std::scoped_lock lock(mutex_);
    return hold_;
  }

  Result<std::shared_ptr<CudaContext>> Context() {
    const std::scoped_lock lock(mutex_);
    if (context_ && context_->is_dead()) {  // It ends with the last memory that was made in it.
      chill_.reset();
      hold_.reset();
      context_.reset();
    }
    if (!context_) {
      auto made = CudaContext::Make(facts_.ordinal);
      if (!made) return made.error();
      context_ = std::move(*made);
    }
    return context_;
  }

  const GpuFacts facts_;
  const std::unique_ptr<Nvml> nvml_;
  mutable std::mutex mutex_;
  std::shared_ptr<CudaContext> context_;
  std::unique_ptr<CacheChill> chill_;
  std::shared_ptr<CudaHold> hold_;
};

std::vector<std::filesystem::path> NodesOf(int number) {
  if (number < 0) return {};
  return {fmt::format("/dev/nvidia{}", number), "/dev/nvidiactl", "/dev/nvidia-uvm"};
}

}  // namespace

std::string GpuFacts::Architecture() const { return fmt::format("sm_{}{}", major, minor); }

Result<std::shared_ptr<GpuDevice>> FindCudaDevice(int ordinal) {
  const auto driver = CudaDriver();
  if (!driver) return driver.error();
  const CudaCalls& cuda = **driver;
  CuDevice device = 0;
  std::array<unsigned char, 16> uuid{};
  std::array<char, 128> name{};
  std::size_t memory = 0;
  if (cuda.device(&device, ordinal) != kCuSuccess ||
      cuda.device_uuid(uuid.data(), device) != kCuSuccess ||
      cuda.device_name(name.data(), name.size(), device) != kCuSuccess ||
      cuda.device_memory(&memory, device) != kCuSuccess) {
    return Error{Errc::kNotFound, fmt::format("GPU {}: the driver does not describe it", ordinal)};
  }
  if (AttributeOf(cuda, device, kCuSharesByDescriptor) == 0) {
    return Error{Errc::kUnsupported,
                 fmt::format("GPU {}: {} cannot share its memory with another process by a "
                             "descriptor, which judging needs",
                             ordinal, name.data())};
  }
  // Its kernels could write the runner's answers.
  if (AttributeOf(cuda, device, kCuReachesHost) != 0) {
    return Error{
        Errc::kUnsupported,
        fmt::format("GPU {}: kernels of {} reach all memory of their process, so an answer "
                    "could be forged; switch that off (module nvidia-uvm, uvm_disable_hmm=1)",
                    ordinal, name.data())};
  }
  GpuFacts facts;
  facts.ordinal = ordinal;
  facts.name = name.data();
  facts.uuid = UuidText(uuid);
  facts.major = AttributeOf(cuda, device, kCuMajor);
  facts.minor = AttributeOf(cuda, device, kCuMinor);
  facts.multiprocessors = AttributeOf(cuda, device, kCuMultiprocessors);
  facts.max_clock_mhz = AttributeOf(cuda, device, kCuClockKhz) / 1000;
  facts.l2_bytes = AttributeOf(cuda, device, kCuL2Bytes);
  facts.attributes = AttributesOf(cuda, device);
  facts.memory_bytes = static_cast<std::int64_t>(memory);
  auto nvml = Nvml::Of(facts.uuid);
  if (!nvml) return nvml.error();
  facts.driver = (*nvml)->DriverVersion();
  facts.nodes = NodesOf((*nvml)->NodeNumber());
  return std::make_shared<CudaDevice>(std::move(facts), std::move(*nvml));
}

Result<std::vector<std::shared_ptr<GpuDevice>>> FindGpus() {
  const auto driver = CudaDriver();
  if (!driver) return driver.error();
  int count = 0;
  (*driver)->device_count(&count);
  if (count == 0) return Error{Errc::kUnsupported, "no GPU: the driver is there and sees none"};
  std::vector<std::shared_ptr<GpuDevice>> devices;
  devices.reserve(static_cast<std::size_t>(count));
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    auto device = FindCudaDevice(ordinal);
    if (!device) return device.error();
    devices.push_back(std::move(*device));
  }
  return devices;
}

}  // namespace hone::gpu
