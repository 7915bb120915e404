// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/domains/domain.h"

namespace hone::cli {

// For `hone tune TARGET --help`: what the target is, or which targets there are.
std::string TargetHelp(const std::string& target, const DomainTable& domains);

}  // namespace hone::cli
