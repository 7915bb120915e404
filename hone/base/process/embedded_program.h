// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone {

// A program that a library carries inside itself (.incbin), as a file in memory that can be
// executed. Its number is above those that programs are handed at their start (10 or more), so that
// installing one descriptor does not overwrite another.
Result<Descriptor> UnpackProgram(const char* name, std::string_view image);

// For execution by this process and its children, as long as the file is open.
std::string PathOfProgram(const Descriptor& file);

}  // namespace hone
