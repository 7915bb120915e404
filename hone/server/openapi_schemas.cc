// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "hone/core/check.h"
#include "hone/server/openapi.h"

// The file schemas.json of this folder, carried inside the program.
// NOLINTBEGIN(readability-identifier-naming): the assembler's names.
asm(".section .rodata\n"
    "kHoneSchemasBegin:\n"
    ".incbin \"" HONE_SCHEMAS_FILE
    "\"\n"
    "kHoneSchemasEnd:\n"
    ".previous\n");
extern "C" const char kHoneSchemasBegin[];
extern "C" const char kHoneSchemasEnd[];
// NOLINTEND(readability-identifier-naming)

namespace hone {

const Json& OpenApiSchemas() {
  static const Json schemas = [] {
    const std::string_view text(kHoneSchemasBegin,
                                static_cast<std::size_t>(kHoneSchemasEnd - kHoneSchemasBegin));
    auto json = ParseJson(text, "schemas.json");
    HONE_CHECK(json);
    return std::move(*json);
  }();
  return schemas;
}

}  // namespace hone
