// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hone/core/result.h"

namespace hone {

// "invalid_argument", "not_found", …: the words of JSON.
std::string_view NameOf(Errc code);

}  // namespace hone
