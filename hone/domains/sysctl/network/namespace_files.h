// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/network/namespace_holder_link.h"

namespace hone::sysctl {

// The parameters of both namespaces of a holder as one. Only what lies below /proc/sys/net is
// there: everything else is the host's, and not found. A write reaches both sides or neither. A
// writable parameter on which the sides differ is an Error, kStale: somebody else wrote to it.
// The holder outlives them. Not safe for concurrent use.
std::unique_ptr<KernelFiles> MakeNamespaceFiles(NamespaceHolderLink& holder);

}  // namespace hone::sysctl
