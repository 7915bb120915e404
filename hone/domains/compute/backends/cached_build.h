// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/backends/build_cache.h"

namespace hone::compute {

// A compiler's work; nullopt if it ran out of time, or was stopped.
using CompileSource = std::function<Result<std::optional<KeptBuild>>()>;

// What was compiled before under this key, or is now. Null if the compiler ran out of time:
// `build`, which also gets what the compiler said, then has the outcome.
Result<std::shared_ptr<const KeptBuild>> CachedBuild(BuildCache& cache, const std::string& key,
                                                     const BuildOrder& order,
                                                     const CompileSource& compile, Build& build);

}  // namespace hone::compute
