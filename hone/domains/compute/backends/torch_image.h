// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hone::compute {

// harness/torch_runner.py, which is a part of this library.
std::string_view TorchRunnerText();

}  // namespace hone::compute
