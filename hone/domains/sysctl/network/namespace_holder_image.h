// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"

namespace hone::sysctl {

// The namespace holder, as HONE_EMBED_PROGRAM gives it.
Result<int> NamespaceHolderFile();

}  // namespace hone::sysctl
