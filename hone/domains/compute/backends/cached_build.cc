// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/cached_build.h"

#include <fmt/format.h>

#include <utility>

namespace hone::compute {

Result<std::shared_ptr<const KeptBuild>> CachedBuild(BuildCache& cache, const std::string& key,
                                                     const BuildOrder& order,
                                                     const CompileSource& compile, Build& build) {
  auto kept = cache.Find(key);
  build.is_cached = kept != nullptr;
  if (!kept) {
    auto compiled = compile();
    if (!compiled) return compiled.error();
    if (!*compiled) {
      build.outcome = order.stop.stop_requested() ? Outcome::kTimedOut : Outcome::kBuildFailed;
      build.reason = fmt::format("the compiler was still running after {} ms", order.limit.count());
      return std::shared_ptr<const KeptBuild>();
    }
    kept = cache.Keep(key, std::move(**compiled));
  }
  build.output = kept->output;
  return kept;
}

}  // namespace hone::compute
