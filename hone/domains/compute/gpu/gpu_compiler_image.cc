// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/gpu_compiler_image.h"

#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneGpuCompiler, HONE_GPU_COMPILER_FILE)

namespace hone::compute {

std::string_view GpuCompilerImage() { return kHoneGpuCompiler(); }

}  // namespace hone::compute
