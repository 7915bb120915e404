// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/torch_image.h"

asm(".pushsection .rodata\n"
    ".global kHoneTorchRunnerBegin\n"
    ".global kHoneTorchRunnerEnd\n"
    "kHoneTorchRunnerBegin:\n"
    ".incbin \"" HONE_TORCH_RUNNER_FILE
    "\"\n"
    "kHoneTorchRunnerEnd:\n"
    ".popsection\n");

extern "C" const char kHoneTorchRunnerBegin[];
extern "C" const char kHoneTorchRunnerEnd[];

namespace hone::compute {

std::string_view TorchRunnerText() { return {kHoneTorchRunnerBegin, kHoneTorchRunnerEnd}; }

}  // namespace hone::compute
