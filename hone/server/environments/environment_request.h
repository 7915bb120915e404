// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/metric.h"
#include "hone/core/result.h"
#include "hone/core/reward.h"
#include "hone/core/space.h"
#include "hone/env/domain_environment.h"
#include "hone/server/http/http_message.h"
#include "hone/server/service/service.h"

// What /v1/environments is asked. Reading is strict: what is not known is an error that names its
// path.
namespace hone::server {

inline constexpr std::size_t kMaxEnvironmentBody = 1 << 20;  // Bytes of what is asked.

// An environment to make.
struct EnvironmentRequest {
  std::string domain;
  bool needs_admin = false;           // OfferedDomain::needs_admin.
  std::string owner;                  // Of its tasks.
  Capabilities needs;                 // Likewise; the reader does not ask the domain for them.
  std::uint64_t seed = 0;             // From which episodes without one of their own take theirs.
  std::vector<Objective> objectives;  // By name and weight; empty: the domain's first metric.
  env::DomainEnvironmentSettings settings;  // Without objectives.
};

// Reads {"domain": …, "max_steps": …, …}; see docs/api.md. kUnsupported stands for "not with this
// token".
Result<EnvironmentRequest> ReadEnvironment(JsonReader reader, Service& service, TokenRole role);

// Objectives and limits as the metrics have them. An Error names one that is not measured.
Result<RewardRule> RuleOf(const EnvironmentRequest& request,
                          const std::vector<MetricFacts>& metrics);

// A step to make.
struct AskedStep {
  std::vector<double> action;          // In the unit cube.
  std::optional<std::int64_t> number;  // Which one of its episode it is to be, from 1.

  bool operator==(const AskedStep&) const = default;
};

// Reads {"action": {…}} with values by parameter, or {"action": […]} with coordinates of the unit
// cube. An Error names the parameter, what was found and what is allowed.
Result<AskedStep> ReadStep(JsonReader reader, const Space& space);

// Reads {"seed": …}, or nothing.
Result<std::optional<std::uint64_t>> ReadReset(const HttpRequest& request);

// Of each coordinate of an action, its parameter: "batch", "memory/2".
std::vector<std::string> CoordinateNames(const Space& space);

}  // namespace hone::server
