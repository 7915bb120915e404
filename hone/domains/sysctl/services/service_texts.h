// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/core/embedded_file.h"

namespace hone::sysctl {

// The files of data/services/, as they were when this was built. In the order of their names.
std::vector<EmbeddedFile> ServiceTexts();

}  // namespace hone::sysctl
