// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hone {

// As RFC 4648 has it, with + and / and the padding.
std::string Base64Encode(std::string_view bytes);

// The bytes of such a text; what is no base64 ends it.
std::string Base64Decode(std::string_view text);

}  // namespace hone
