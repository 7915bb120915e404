// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/core/embedded_file.h"

namespace hone::kernels {

// The files of a guest's first program (harness/guest*), which are a part of ours.
std::vector<EmbeddedFile> GuestSources();

}  // namespace hone::kernels
