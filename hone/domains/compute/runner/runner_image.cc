// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/runner_image.h"

#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneRunner, HONE_RUNNER_FILE)

namespace hone::compute {

std::string_view RunnerImage() { return kHoneRunner(); }

}  // namespace hone::compute
