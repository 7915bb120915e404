// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/gpu_checker_image.h"

#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneGpuChecker, HONE_GPU_CHECKER_FILE)

namespace hone::compute {

std::string_view GpuCheckerImage() { return kHoneGpuChecker(); }

}  // namespace hone::compute
