// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/domains/compute/backends/backend.h"

namespace hone::compute {

// C and C++ with a declared entry point (docs/formats/problem.md), built by g++ or clang++ in a
// sandbox, loaded by the runner in another.
BackendEntry CppBackendEntry();

}  // namespace hone::compute
