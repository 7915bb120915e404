// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "hone/core/result.h"
#include "hone/llm/files/data_type.h"

namespace hone::llm {

// Where a model is and in what its numbers are kept: F32 or BF16.
struct Placement {
  bool is_on_gpu = false;
  DataType type = DataType::kF32;
};

// What this program was compiled with: "libtorch 1.13.0, processor".
std::string EngineIdentity();

// kUnsupported, with the reason, if this program or this machine cannot do that.
Result<void> CheckPlacement(const Placement& placement);

bool HasGpu();

// How many threads of the processor compute; 0: as torch likes.
void UseThreads(std::int64_t count);

}  // namespace hone::llm
