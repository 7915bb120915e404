// SPDX-License-Identifier: Apache-2.0
#include "hone/gpu/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/gpu/cuda_calls.h"

namespace hone::gpu {
namespace {

constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";
constexpr int kNvmlSuccess = 0;
constexpr int kNvmlTooSmall = 7;
constexpr int kClockOfMultiprocessors = 1;
constexpr int kClockOfMemory = 2;
constexpr unsigned kMaxProcesses = 1024;

using NvmlDevice = struct NvmlDeviceRecord*;

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct NvmlProcess {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct NvmlCalls {
  int (*init)();
  const char* (*error_text)(int error);
  int (*driver_version)(char* text, unsigned bytes);
  int (*device_by_uuid)(const char* uuid, NvmlDevice* device);
  int (*memory)(NvmlDevice device, NvmlMemory* memory);
  int (*clock)(NvmlDevice device, int which, unsigned* mhz);
  int (*slowed_by)(NvmlDevice device, unsigned long long* reasons);
  int (*temperature)(NvmlDevice device, int sensor, unsigned* degrees);
  int (*processes)(NvmlDevice device, unsigned* count, NvmlProcess* processes);
  int (*node_number)(NvmlDevice device, unsigned* number);
};

const char* LoadNvmlCalls(NvmlCalls& calls) {
  void* const library = OpenNvidiaLibrary({kNvmlLibrary});
  if (library == nullptr) return kNvmlLibrary;
  const std::pair<const char*, void*> all[] = {
      {"nvmlInit_v2", &calls.init},
      {"nvmlErrorString", &calls.error_text},
      {"nvmlSystemGetDriverVersion", &calls.driver_version},
      {"nvmlDeviceGetHandleByUUID", &calls.device_by_uuid},
      {"nvmlDeviceGetMemoryInfo", &calls.memory},
      {"nvmlDeviceGetClockInfo", &calls.clock},
      {"nvmlDeviceGetCurrentClocksThrottleReasons", &calls.slowed_by},
      {"nvmlDeviceGetTemperature", &calls.temperature},
      {"nvmlDeviceGetComputeRunningProcesses_v3", &calls.processes},
      {"nvmlDeviceGetMinorNumber", &calls.node_number},
  };
  for (const auto& [name, place] : all) {
    void* const found = ::dlsym(library, name);
    if (found == nullptr) return name;
    *static_cast<void**>(place) = found;
  }
  return nullptr;
}

Result<NvmlCalls> OpenNvml() {
  NvmlCalls nvml{};
  if (const char* missing = LoadNvmlCalls(nvml); missing != nullptr) {
    return Error{Errc::kUnsupported,
                 fmt::format("GPU: {} is not there; NVIDIA's driver brings it", missing)};
  }
  if (const int error = nvml.init(); error != kNvmlSuccess) {
    return Error{Errc::kUnsupported, fmt::format("GPU: the management library does not start: {}",
                                                 nvml.error_text(error))};
  }
  return nvml;
}

// Bits of nvmlClocksThrottleReason. That the GPU idles, that an application chose its clocks, and
// that several GPUs are kept in step is nothing that slows a kernel unexpectedly.
std::vector<std::string> SlowedBy(unsigned long long reasons) {
  constexpr std::array<std::pair<unsigned long long, std::string_view>, 5> kReasons{
      {{0x04, "power cap"},
       {0x08, "hardware"},
       {0x20, "heat"},
       {0x40, "heat of the hardware"},
       {0x80, "power brake"}}};
  std::vector<std::string> words;
  for (const auto& [bit, word] : kReasons) {
    if ((reasons & bit) != 0) words.emplace_back(word);
  }
  return words;
}

class NvmlOfDevice final : public Nvml {
 public:
  NvmlOfDevice(const NvmlCalls& nvml, NvmlDevice device) : nvml_(nvml), device_(device) {}

  Result<GpuReading> Read() override {
    GpuReading reading;
    NvmlMemory memory{};
    if (const int error = nvml_.memory(device_, &memory); error != kNvmlSuccess) {
      return Refusal("its memory", error);
    }
    reading.used_bytes = static_cast<std::int64_t>(memory.used);
    reading.clock_mhz = Clock(kClockOfMultiprocessors);
    reading.memory_clock_mhz = Clock(kClockOfMemory);
    unsigned degrees = 0;
    if (nvml_.temperature(device_, 0, &degrees) == kNvmlSuccess) {
      reading.temperature = static_cast<int>(degrees);
    }
    unsigned long long reasons = 0;
    if (nvml_.slowed_by(device_, &reasons) == kNvmlSuccess) reading.slowed_by = SlowedBy(reasons);
    auto processes = Processes();
    if (!processes) return processes.error();
    reading.processes = std::move(*processes);
    return reading;
  }

  std::string DriverVersion() override {
    std::array<char, 96> text{};
    if (nvml_.driver_version(text.data(), text.size()) != kNvmlSuccess) return "";
    return text.data();
  }

  int NodeNumber() override {
    unsigned number = 0;
    if (nvml_.node_number(device_, &number) != kNvmlSuccess) return -1;
    return static_cast<int>(number);
  }

 private:
  Error Refusal(const char* what, int error) const {
    return {Errc::kUnavailable, fmt::format("GPU: {}: {}", what, nvml_.error_text(error))};
  }

  int Clock(int which) const {
    unsigned mhz = 0;
    return nvml_.clock(device_, which, &mhz) == kNvmlSuccess ? static_cast<int>(mhz) : 0;
  }

  Result<std::vector<GpuProcess>> Processes() const {
    std::vector<NvmlProcess> found(64);
    int error = kNvmlTooSmall;
    auto count = static_cast<unsigned>(found.size());
    while ((error = nvml_.processes(device_, &count, found.data())) == kNvmlTooSmall &&
           found.size() < kMaxProcesses) {
      found.resize(found.size() * 2);
      count = static_cast<unsigned>(found.size());
    }
    if (error != kNvmlSuccess) return Refusal("who uses it", error);
    std::vector<GpuProcess> processes;
    processes.reserve(count);
    for (unsigned i = 0; i < count; ++i) {
      processes.push_back(
          {static_cast<pid_t>(found[i].pid), static_cast<std::int64_t>(found[i].bytes)});
    }
    return processes;
  }

  const NvmlCalls& nvml_;
  const NvmlDevice device_;
};

}  // namespace

Result<std::unique_ptr<Nvml>> Nvml::Of(const std::string& uuid) {
  static const auto* const nvml = new Result<NvmlCalls>(OpenNvml());
  if (!*nvml) return nvml->error();
  NvmlDevice device = nullptr;
  if (const int error = (*nvml)->device_by_uuid(uuid.c_str(), &device); error != kNvmlSuccess) {
    return Error{Errc::kNotFound, fmt::format("GPU {}: {}", uuid, (*nvml)->error_text(error))};
  }
  return std::make_unique<NvmlOfDevice>(**nvml, device);
}

}  // namespace hone::gpu
