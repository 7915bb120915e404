// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/network/keeper_link.h"

namespace hone::sysctl {

// The parameters of both namespaces of a keeper as one. Only what lies below /proc/sys/net is
// there: everything else is the host's, and not found. A write reaches both sides or neither. A
// writable parameter on which the sides differ is an Error, kStale: somebody else wrote to it.
// The keeper outlives them. Not safe for concurrent use.
std::unique_ptr<KernelFiles> MakeNamespaceFiles(KeeperLink& keeper);

}  // namespace hone::sysctl
