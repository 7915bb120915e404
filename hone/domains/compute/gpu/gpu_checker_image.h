// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hone::compute {

// The program that launches GPU kernels under a sanitizer, an executable that is a part of this
// library.
std::string_view GpuCheckerImage();

}  // namespace hone::compute
