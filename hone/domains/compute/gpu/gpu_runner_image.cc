// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/gpu_runner_image.h"

#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneGpuRunner, HONE_GPU_RUNNER_FILE)

namespace hone::compute {

std::string_view GpuRunnerImage() { return kHoneGpuRunner(); }

}  // namespace hone::compute
