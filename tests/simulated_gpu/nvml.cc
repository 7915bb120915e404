// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml.so.1 for tests (README.md): one GPU that idles.
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;

int the_device = 0;

struct Process {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's.
extern "C" {

int nvmlInit_v2() { return kSuccess; }
const char* nvmlErrorString(int) { return "simulated"; }

int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  snprintf(text, bytes, "simulated");
  return kSuccess;
}

int nvmlDeviceGetHandleByUUID(const char*, void** device) {
  *device = &the_device;
  return kSuccess;
}

int nvmlDeviceGetMemoryInfo(void*, unsigned long long* total_free_used) {
  total_free_used[0] = total_free_used[1] = 1ULL << 30;
  total_free_used[2] = 0;
  return kSuccess;
}

int nvmlDeviceGetClockInfo(void*, int, unsigned* mhz) {
  *mhz = 1000;
  return kSuccess;
}

// It idles, and an application has chosen its clocks: neither slows anything.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x03;
  return kSuccess;
}

int nvmlDeviceGetTemperature(void*, int, unsigned* degrees) {
  *degrees = 40;
  return kSuccess;
}

// HONE_SIMULATED_OTHER is the number of a process that uses it; where HONE_SIMULATED_OTHER_LOOKS is
// set, only until so many have looked since.
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
  static std::atomic<int> looks = 0;
  const char* const other = getenv("HONE_SIMULATED_OTHER");
  const char* const max_looks = getenv("HONE_SIMULATED_OTHER_LOOKS");
  if (max_looks == nullptr) looks = 0;
  const bool is_there = max_looks == nullptr || looks++ < atoi(max_looks);
  const bool is_listed = other != nullptr && is_there && *count > 0;
  if (is_listed) processes[0] = {static_cast<unsigned>(atoi(other)), 1 << 20, 0, 0};
  *count = is_listed ? 1 : 0;
  return kSuccess;
}

int nvmlDeviceGetMinorNumber(void*, unsigned*) { return kNotSupported; }  // It has no file in /dev.

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
