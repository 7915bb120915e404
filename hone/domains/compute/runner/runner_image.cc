// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/runner_image.h"

asm(".pushsection .rodata\n"
    ".global kHoneRunnerBegin\n"
    ".global kHoneRunnerEnd\n"
    "kHoneRunnerBegin:\n"
    ".incbin \"" HONE_RUNNER_FILE
    "\"\n"
    "kHoneRunnerEnd:\n"
    ".popsection\n");

extern "C" const char kHoneRunnerBegin[];
extern "C" const char kHoneRunnerEnd[];

namespace hone::compute {

std::string_view RunnerImage() { return {kHoneRunnerBegin, kHoneRunnerEnd}; }

}  // namespace hone::compute
