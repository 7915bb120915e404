// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/env/domain_environment.h"

namespace hone::server {

struct EnvironmentSettings {
  // Makes the domain on this machine, for its parameters and its baseline: the server knows none by
  // itself. Nothing is run or changed. May take as long as it takes to read what the options name.
  std::function<Result<std::unique_ptr<Domain>>(const std::string& name, const Options& options)>
      make;

  // Owners whose tasks the workers of this process take. For these, asked by an admin, there are
  // also environments of domains that change this machine or name files of it.
  std::set<std::string> serves = {};

  std::size_t max = 1024;                           // At once; 0: none is made.
  std::size_t max_per_token = 64;                   // Of one token.
  std::chrono::milliseconds idle_timeout{900'000};  // Without a request; then it is closed.
};

}  // namespace hone::server
