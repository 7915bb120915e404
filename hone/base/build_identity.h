// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hone {

// What the linker made of the contents of the program that runs (its build id), in hexadecimal:
// programs with another one may lay out their types otherwise. Empty if it has none.
std::string BuildIdentity();

}  // namespace hone
