// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"

namespace hone {

// The domains that workers use, each made once for its name and options. Safe for concurrent use.
class DomainCache {
 public:
  explicit DomainCache(DomainTable table) : table_(std::move(table)) {}

  // Making one may take a while; others wait. One that could not be made is tried again.
  Result<std::shared_ptr<Domain>> Get(const std::string& name, const Options& options);

 private:
  const DomainTable table_;
  std::mutex mutex_;
  std::map<std::pair<std::string, Options>, std::shared_ptr<Domain>> made_;  // By mutex_.
};

}  // namespace hone
