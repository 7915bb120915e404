// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"

namespace hone::sysctl {

// A path under which this process, and its children until they execute something, can execute the
// holder. Like the supervisor (base/supervisor_image.h) it is a part of our own program.
Result<std::string> NamespaceHolderPath();

}  // namespace hone::sysctl
