// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/server/http/router.h"

namespace hone::server {

// The description of these routes: OpenAPI 3.0.
Json OpenApiDocument(const std::vector<Route>& routes, const std::string& version);

// GET /openapi.json, which describes `routes` and itself.
Route OpenApiRoute(const std::vector<Route>& routes, const std::string& version);

// The schemas by name, each with an example of a request where it is one.
const Json& OpenApiSchemas();

}  // namespace hone::server
