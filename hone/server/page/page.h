// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/report/report.h"
#include "hone/server/http/router.h"

namespace hone::server {

// One file of the dashboard's page, embedded in the program.
struct PageFile {
  std::string path;  // "assets/index-5f3a.js"
  std::string type;
  std::string etag;  // Without quotes: its SHA-256 in hexadecimal digits.
  std::string_view gzip;
  std::string_view plain;
};

struct Page {
  std::vector<PageFile> files;  // By path.
  std::string missing;          // Why there are none; empty if there are.

  const PageFile* Find(std::string_view path) const;
};

// What web/scripts/pack.mjs wrote; the views point into `pack`.
Result<Page> ReadPage(std::string_view pack);

std::string_view PagePack();    // That of this build.
const Page& PageOfThisBuild();  // The same, read.

// What the report carries of it; empty if there is none. The views are the page's.
report::ReportScript ReportScriptOf(const Page& page);

// The page and its files under `prefix` ("" or "/ui"), to anyone: they hold no data.
std::vector<Route> PageRoutes(const std::string& prefix);

// A redirect to the page for browsers; others get what `otherwise` answers.
Handler PageOr(Handler otherwise, std::string target);

}  // namespace hone::server
