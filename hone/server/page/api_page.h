// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/server/http/router.h"

namespace hone::server {

// An OpenAPI document as a page for people: the routes with their parameters and bodies, then the
// schemas. Without a script, and nothing of it is fetched from elsewhere.
std::string ApiPage(const Json& document);

// GET /docs, which shows it, and GET /redoc, which leads there.
std::vector<Route> ApiPageRoutes(const Json& document);

}  // namespace hone::server
