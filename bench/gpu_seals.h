// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/gpu/gpu_device.h"

// Whether the judge can take a GPU from other processes (GpuDevice::BeginTaking), which is what the
// verdict of a sealed call rests on.
namespace hone {

// Another process launches empty kernels without pause. None may begin and end while the GPU is
// ours; without a hold, many do in as long.
bool CheckSeals(gpu::GpuDevice& gpu, bool is_quick);

// Is this program to be that process? Then its exit status. `count` and `words` as main has them.
int LaunchWithoutPause(int count, char** words);
inline constexpr const char* kLaunchesWord = "--launch-without-pause";

}  // namespace hone
