// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hone::compute {

// The program that compiles GPU kernels, an executable that is a part of this library.
std::string_view GpuCompilerImage();

}  // namespace hone::compute
