// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hone {

// SHA-256 of these bytes (FIPS 180-4) as 64 hexadecimal digits, for what nobody may be able to
// forge. DigestOf of rng.h is for what only has to differ.
std::string Sha256Of(std::string_view bytes);

}  // namespace hone
