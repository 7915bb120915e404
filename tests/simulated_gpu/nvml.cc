// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml.so.1 for tests (README.md): one GPU that idles.
#include <cstdio>

namespace {

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;

int the_device = 0;

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

int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void*) {
  *count = 0;
  return kSuccess;
}

int nvmlDeviceGetMinorNumber(void*, unsigned*) { return kNotSupported; }  // It has no file in /dev.

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
