// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/core/embedded_file.h"

namespace hone::kernels {

// The files of data/kernels, which are a part of the program.
std::vector<EmbeddedFile> KernelTexts();

std::string_view KernelText(std::string_view name);  // Empty if there is none of that name.

}  // namespace hone::kernels
