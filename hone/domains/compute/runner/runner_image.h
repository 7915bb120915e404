// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hone::compute {

// The runner of the cpp backend, an executable that is a part of this library.
std::string_view RunnerImage();

}  // namespace hone::compute
