// SPDX-License-Identifier: Apache-2.0
#include "hone/core/carried_file.h"
#include "hone/core/check.h"
#include "hone/server/openapi.h"

HONE_CARRY(kHoneSchemas, HONE_SCHEMAS_FILE)

namespace hone {

const Json& OpenApiSchemas() {
  static const Json schemas = [] {
    auto json = ParseJson(kHoneSchemas(), "schemas.json");
    HONE_CHECK(json);
    return std::move(*json);
  }();
  return schemas;
}

}  // namespace hone
