// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/domains/compute/problem/problem.h"

namespace hone {

// A source that says its launches in comments, as one whose host code makes the same launches.
std::string WithHostCode(const std::string& source, const compute::Problem& problem);

}  // namespace hone
