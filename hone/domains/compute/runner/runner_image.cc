// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/runner_image.h"

#include "hone/core/carried_file.h"

HONE_CARRY(kHoneRunner, HONE_RUNNER_FILE)

namespace hone::compute {

std::string_view RunnerImage() { return kHoneRunner(); }

}  // namespace hone::compute
