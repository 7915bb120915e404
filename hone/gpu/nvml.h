// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "hone/core/result.h"
#include "hone/gpu/gpu_device.h"

namespace hone::gpu {

// What NVIDIA's management library (libnvidia-ml.so.1, opened at run time) tells of one GPU. It
// needs no context and changes nothing.
class Nvml {
 public:
  virtual ~Nvml() = default;

  // "GPU-5c0d…": as the driver prints it.
  static Result<std::unique_ptr<Nvml>> Of(const std::string& uuid);

  virtual Result<GpuReading> Read() = 0;
  virtual std::string DriverVersion() = 0;
  virtual int NodeNumber() = 0;  // N of /dev/nvidiaN; -1: not known.
};

}  // namespace hone::gpu
