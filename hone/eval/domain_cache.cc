// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/domain_cache.h"

namespace hone {

Result<std::shared_ptr<Domain>> DomainCache::Get(const std::string& name, const Options& options) {
  const std::lock_guard lock(mutex_);
  const std::pair key(name, options);
  if (const auto place = made_.find(key); place != made_.end()) return place->second;
  Result<std::unique_ptr<Domain>> made = MakeDomain(table_, name, options);
  if (!made) return made.error();
  return made_.emplace(key, std::move(*made)).first->second;
}

}  // namespace hone
