// SPDX-License-Identifier: Apache-2.0
#include "hone/server/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "hone/core/base64.h"
#include "hone/core/check.h"

namespace hone::server {
namespace {

constexpr std::string_view kFirstLine = "hone-page 1\n";
constexpr std::string_view kMissing = "missing ";
constexpr std::string_view kIndex = "index.html";

// Scripts, styles, data and fonts come from here alone; nothing else is fetched, framed or posted.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

std::size_t CountIn(std::string_view word) {
  std::size_t count = 0;
  std::from_chars(word.data(), word.data() + word.size(), count);
  return count;
}

// Takes one line off the front.
std::string_view TakeLine(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Whether gzip is among what an Accept-Encoding header takes, and not with a weight of 0.
bool TakesGzip(std::string_view accepted) {
  const auto place = accepted.find("gzip");
  if (place == accepted.npos) return false;
  const std::string_view rest = accepted.substr(place + 4, accepted.find(',', place) - place - 4);
  return rest.find("q=0") == rest.npos || rest.find("q=0.") != rest.npos;
}

std::string BytesOfHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2) {
    bytes += static_cast<char>(HexValue(hex[k]) << 4 | HexValue(hex[k + 1]));
  }
  return bytes;
}

HttpHeaders HeadersFor(const PageFile& file) {
  return {{"content-type", file.type},
          {"etag", fmt::format("\"{}\"", file.etag)},
          {"cache-control", "no-cache"},
          {"vary", "accept-encoding"},
          {"x-content-type-options", "nosniff"},
          {"referrer-policy", "no-referrer"},
          {"cross-origin-opener-policy", "same-origin"},
          {"content-security-policy", std::string(kPolicy)}};
}

HttpResponse PageFileResponse(const PageFile& file, const HttpRequest& request) {
  HttpResponse response;
  response.headers = HeadersFor(file);
  if (request.Header("if-none-match").find(file.etag) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  const bool is_small = TakesGzip(request.Header("accept-encoding"));
  if (is_small) response.headers.emplace_back("content-encoding", "gzip");
  response.body = std::string(is_small ? file.gzip : file.plain);
  return response;
}

HttpResponse NoPage(const Page& page) {
  HttpResponse response;
  response.status = 503;
  response.headers = {{"content-type", "text/html;charset=utf-8"},
                      {"x-content-type-options", "nosniff"},
                      {"content-security-policy", "default-src 'none'"}};
  response.body = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><title>Hone</title>"
      "<p>This build has no dashboard page: {}. Install nodejs and npm (scripts/setup does), build "
      "again, and reload. The data are there: <a href=\"/v1/campaigns\">/v1/campaigns</a>.</p>\n",
      page.missing);
  return response;
}

HttpResponse Serve(const std::string& path, const HttpRequest& request) {
  const Page& page = PageOfThisBuild();
  const bool is_index = path.empty() || path == kIndex;
  if (!page.missing.empty() && is_index) return NoPage(page);
  const PageFile* const file = page.Find(is_index ? kIndex : std::string_view(path));
  if (file == nullptr) return NativeError(404, "not_found", "Not Found");
  return PageFileResponse(*file, request);
}

Route PageRoute(std::string path, std::string summary, std::string folder) {
  Route route;
  route.method = "GET";
  route.path = std::move(path);
  route.access = Access::kAnyone;
  route.summary = std::move(summary);
  route.other_statuses = {304, 404};
  route.handler = [folder = std::move(folder)](const HttpRequest& request) -> Async<HttpResponse> {
    co_return Serve(request.parts.empty() ? "" : folder + request.parts.back(), request);
  };
  return route;
}

HttpResponse Redirect(const std::string& target) {
  HttpResponse response;
  response.status = 307;
  response.headers = {{"location", target}, {"cache-control", "no-store"}};
  return response;
}

}  // namespace

const PageFile* Page::Find(std::string_view path) const {
  const auto found = std::lower_bound(
      files.begin(), files.end(), path,
      [](const PageFile& file, std::string_view name) { return file.path < name; });
  return found != files.end() && found->path == path ? &*found : nullptr;
}

Result<Page> ReadPage(std::string_view pack) {
  const Error corrupt{Errc::kCorrupt, "page.pack: it is not what web/scripts/pack.mjs writes"};
  if (!pack.starts_with(kFirstLine)) return corrupt;
  pack.remove_prefix(kFirstLine.size());
  Page page;
  if (pack.starts_with(kMissing)) {
    pack.remove_prefix(kMissing.size());
    page.missing = std::string(TakeLine(pack));
    return page;
  }
  std::vector<std::array<std::size_t, 2>> sizes;
  for (std::string_view line = TakeLine(pack); !line.empty(); line = TakeLine(pack)) {
    const auto words = SplitWords(line);
    if (words.size() != 5) return corrupt;
    page.files.push_back(
        {std::string(words[0]), std::string(words[1]), std::string(words[4]), {}, {}});
    sizes.push_back({CountIn(words[2]), CountIn(words[3])});
  }
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k][0] + sizes[k][1] > pack.size()) return corrupt;
    page.files[k].gzip = pack.substr(0, sizes[k][0]);
    page.files[k].plain = pack.substr(sizes[k][0], sizes[k][1]);
    pack.remove_prefix(sizes[k][0] + sizes[k][1]);
  }
  std::sort(page.files.begin(), page.files.end(),
            [](const PageFile& a, const PageFile& b) { return a.path < b.path; });
  return page;
}

const Page& PageOfThisBuild() {
  static const Page page = [] {
    auto read = ReadPage(PagePack());
    HONE_CHECK(read);
    return std::move(*read);
  }();
  return page;
}

report::ReportScript ReportScriptOf(const Page& page) {
  const PageFile* const script = page.Find("report/report.js");
  if (script == nullptr) return {};
  const PageFile* const style = page.Find("report/report.css");
  return {script->plain, style == nullptr ? std::string_view() : style->plain,
          "sha256-" + Base64Encode(BytesOfHex(script->etag))};
}

std::vector<Route> PageRoutes(const std::string& prefix) {
  std::vector<Route> routes;
  if (prefix.empty()) {
    routes.push_back(PageRoute("/", "The dashboard.", ""));
  } else {
    Route bare = PageRoute(prefix, "The dashboard.", "");
    bare.handler = [target = prefix + "/"](const HttpRequest&) -> Async<HttpResponse> {
      co_return Redirect(target);
    };
    routes.push_back(std::move(bare));
  }
  routes.push_back(PageRoute(prefix + "/{file}", "The dashboard's page and icon.", ""));
  routes.push_back(
      PageRoute(prefix + "/assets/{file}", "The dashboard's scripts and styles.", "assets/"));
  return routes;
}

Handler PageOr(Handler otherwise, std::string target) {
  return [otherwise = std::move(otherwise),
          target = std::move(target)](const HttpRequest& request) -> Async<HttpResponse> {
    if (request.Header("accept").find("text/html") != std::string_view::npos) {
      co_return Redirect(target);
    }
    co_return co_await otherwise(request);
  };
}

}  // namespace hone::server
