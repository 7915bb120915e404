// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/cli/verb.h"

namespace hone::cli {

// hone(1), in the macros of man(7), made from the table of verbs.
std::string ManPage(const std::vector<Verb>& verbs);

}  // namespace hone::cli
