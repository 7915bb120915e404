// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/namespace_holder_image.h"

#include "hone/base/process/embedded_program.h"

namespace hone::sysctl {

HONE_EMBED_PROGRAM(NamespaceHolderFile, "hone-network", HONE_NAMESPACE_HOLDER_FILE)

}  // namespace hone::sysctl
