// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/domains/sysctl/network/network_pair.h"

namespace hone::sysctl {

// Why this machine has no pair of namespaces for a test; empty if it has.
inline std::string WhyNoPair() {
  const auto pair = NetworkPair::Make();
  return pair ? "" : pair.error().message;
}

}  // namespace hone::sysctl
