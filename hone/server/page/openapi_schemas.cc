// SPDX-License-Identifier: Apache-2.0
#include "hone/core/check.h"
#include "hone/core/embedded_file.h"
#include "hone/server/page/openapi.h"

HONE_EMBED(kHoneSchemas, HONE_SCHEMAS_FILE)

namespace hone::server {

const Json& OpenApiSchemas() {
  static const Json schemas = [] {
    auto json = ParseJson(kHoneSchemas(), "schemas.json");
    HONE_CHECK(json);
    return std::move(*json);
  }();
  return schemas;
}

}  // namespace hone::server
