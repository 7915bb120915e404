// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::compute {

struct CubinKernel {
  std::string name;
  std::vector<std::uint32_t> parameter_bytes;  // Of each parameter, in their order.
};

// The kernels of a cubin, an ELF file. It comes from a compiler that has read a hostile source:
// whatever it says, nothing outside of it is read.
Result<std::vector<CubinKernel>> ReadCubinKernels(std::string_view cubin);

}  // namespace hone::compute
