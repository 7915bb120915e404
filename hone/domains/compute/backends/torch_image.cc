// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/torch_image.h"

#include "hone/core/carried_file.h"

HONE_CARRY(kHoneTorchRunner, HONE_TORCH_RUNNER_FILE)

namespace hone::compute {

std::string_view TorchRunnerText() { return kHoneTorchRunner(); }

}  // namespace hone::compute
