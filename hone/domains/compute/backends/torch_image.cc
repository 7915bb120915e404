// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/torch_image.h"

#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneTorchRunner, HONE_TORCH_RUNNER_FILE)

namespace hone::compute {

std::string_view TorchRunnerText() { return kHoneTorchRunner(); }

}  // namespace hone::compute
