// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/base/temp_dir.h"

namespace hone {

// Holds the references of all problems for GPUs against other code on the processor, and has each
// judged as its own candidate so many times. `only`: one of them; empty: all.
bool CheckGpuReferences(const TempDir& cache, int rounds, const std::string& only);

}  // namespace hone
