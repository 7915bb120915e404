// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/domains/sysctl/probes/probe.h"

// One file each; probe.cc lists them.
namespace hone::sysctl {

Probe MakeMemoryProbe();
Probe MakeWriteBurstProbe();
Probe MakeTcpProbe();
Probe MakeTcpServerProbe();

}  // namespace hone::sysctl
