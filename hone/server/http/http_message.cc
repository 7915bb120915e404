// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace hone::server {
namespace {

constexpr std::size_t kMaxQueries = 64;

Error BadTarget(std::string_view what) {
  return {Errc::kInvalidArgument, fmt::format("request target: {}", what)};
}

}  // namespace

std::string_view NameOf(TokenRole role) {
  switch (role) {
    case TokenRole::kNobody:
      return "nobody";
    case TokenRole::kSubmit:
      return "submit";
    case TokenRole::kWork:
      return "work";
    case TokenRole::kAdmin:
      return "admin";
  }
  return "";
}

std::string_view HttpRequest::Header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const auto& header) { return header.first == name; });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::string> HttpRequest::Query(std::string_view name) const {
  const auto found = std::find_if(queries.rbegin(), queries.rend(),
                                  [&](const auto& query) { return query.first == name; });
  if (found == queries.rend()) return std::nullopt;
  return found->second;
}

std::string_view ReasonOf(int status) {
  static constexpr std::array<std::pair<int, std::string_view>, 25> kReasons{
      {{100, "Continue"},
       {200, "OK"},
       {202, "Accepted"},
       {204, "No Content"},
       {304, "Not Modified"},
       {307, "Temporary Redirect"},
       {400, "Bad Request"},
       {401, "Unauthorized"},
       {403, "Forbidden"},
       {404, "Not Found"},
       {405, "Method Not Allowed"},
       {408, "Request Timeout"},
       {409, "Conflict"},
       {411, "Length Required"},
       {413, "Payload Too Large"},
       {414, "URI Too Long"},
       {415, "Unsupported Media Type"},
       {417, "Expectation Failed"},
       {421, "Misdirected Request"},
       {429, "Too Many Requests"},
       {431, "Request Header Fields Too Large"},
       {500, "Internal Server Error"},
       {501, "Not Implemented"},
       {503, "Service Unavailable"},
       {505, "HTTP Version Not Supported"}}};
  for (const auto& [known, reason] : kReasons) {
    if (known == status) return reason;
  }
  return "Unknown";
}

std::string HeadText(const HttpResponse& response, bool is_http_1_0, bool keeps) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, ReasonOf(response.status));
  for (const auto& [name, value] : response.headers) {
    head += fmt::format("{}: {}\r\n", name, value);
  }
  if (!response.next_piece) {
    head += fmt::format("content-length: {}\r\n", response.body.size());
  } else if (!is_http_1_0) {
    head += "transfer-encoding: chunked\r\n";
  }
  if (!keeps) head += "connection: close\r\n";
  if (keeps && is_http_1_0) head += "connection: keep-alive\r\n";
  return head + "\r\n";
}

std::pair<std::string_view, std::string_view> SplitTarget(std::string_view target) {
  target = target.substr(0, target.find('#'));
  const auto mark = target.find('?');
  if (mark == target.npos) return {target, {}};
  return {target.substr(0, mark), target.substr(mark + 1)};
}

Result<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t k = 0; k < text.size(); ++k) {
    char c = text[k];
    if (c == '%') {
      const int high = k + 2 < text.size() ? HexValue(text[k + 1]) : -1;
      const int low = k + 2 < text.size() ? HexValue(text[k + 2]) : -1;
      if (high < 0 || low < 0) return BadTarget("% is not followed by two hexadecimal digits");
      c = static_cast<char>(high * 16 + low);
      k += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') return BadTarget("it has a zero byte");
    decoded.push_back(c);
  }
  if (!IsUtf8(decoded)) return BadTarget("it is not UTF-8");
  return decoded;
}

Result<std::vector<std::string>> SplitPath(std::string_view path) {
  if (path.empty() || path.front() != '/') return BadTarget("it does not begin with /");
  path.remove_prefix(1);
  std::vector<std::string> segments;
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    auto segment = PercentDecode(path.substr(0, slash), false);
    if (!segment) return segment.error();
    segments.push_back(std::move(*segment));
    const bool is_folder = slash + 1 == path.size();  // A slash at the end names an empty segment.
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (is_folder) segments.emplace_back();
  }
  return segments;
}

Result<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> queries;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const std::string_view one = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (one.empty()) continue;
    if (queries.size() == kMaxQueries) return BadTarget("it has over 64 query parameters");
    const auto equals = std::min(one.find('='), one.size());
    auto name = PercentDecode(one.substr(0, equals), true);
    auto value = PercentDecode(one.substr(std::min(equals + 1, one.size())), true);
    if (!name) return name.error();
    if (!value) return value.error();
    queries.emplace_back(std::move(*name), std::move(*value));
  }
  return queries;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::vector<std::string_view> SplitWords(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == line.npos) return words;
    line.remove_prefix(begin);
    const auto end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

bool IsUtf8(std::string_view text) {
  static constexpr std::array<std::uint32_t, 4> kMin{0, 0x80, 0x800, 0x10000};
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto lead = static_cast<unsigned char>(text[k]);
    if (lead < 0x80) continue;
    const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || k + more >= text.size()) return false;
    std::uint32_t point = lead & (0x3fU >> more);
    for (std::size_t n = 0; n < more; ++n) {
      const auto next = static_cast<unsigned char>(text[++k]);
      if ((next & 0xc0U) != 0x80) return false;
      point = (point << 6U) | (next & 0x3fU);
    }
    const bool is_surrogate = point >= 0xd800 && point < 0xe000;
    if (point < kMin[more] || point > 0x10ffff || is_surrogate) return false;
  }
  return true;
}

}  // namespace hone::server
