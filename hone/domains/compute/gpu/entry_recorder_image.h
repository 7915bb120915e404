// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hone::compute {

// The program that calls host code of GPU kernels, an executable that is a part of this library.
std::string_view EntryRecorderImage();

}  // namespace hone::compute
