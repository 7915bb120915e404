// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/domain.h"

namespace hone {

struct ComputeSettings {
  std::filesystem::path cache;     // Empty: CacheFolder().
  compute::BackendTable backends;  // Empty: those of this build.
  // A program that calls compute::ServeJudgeIfAsked, as which judges are started, with a limit on
  // their memory; those of this build are its backends. Empty: this process judges by itself, and a
  // hostile problem or kernel can exhaust its memory.
  std::filesystem::path judge_program = {};
};

// Compute kernels, judged against a problem. All domains that one entry makes share one build
// cache, its spares, its reference runners and expected values.
DomainEntry ComputeDomainEntry(ComputeSettings settings = {});

}  // namespace hone
