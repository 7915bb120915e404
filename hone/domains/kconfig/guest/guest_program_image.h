// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hone::kernels {

std::string_view GuestProgramSource();

}  // namespace hone::kernels
