// SPDX-License-Identifier: Apache-2.0
#include "hone/base/redis/redis_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/json/parse_values.h"
#include "hone/core/letter_case.h"

namespace hone {
namespace {

constexpr std::string_view kForm =
    "write redis://[user:password@]host[:port][/database], rediss://… for TLS, or unix:///path";

// The url is not repeated: it may hold a password, and messages end up in logs.
Error BadUrl(std::string_view fault) {
  return Error{Errc::kInvalidArgument, fmt::format("Redis URL: {}; {}", fault, kForm)};
}

std::optional<int> HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char lower = LowerCase(digit);
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10;
  return std::nullopt;
}

Result<std::string> Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? HexDigit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? HexDigit(text[i + 2]) : std::nullopt;
    if (!high || !low) return BadUrl("a % in user or password must be followed by two hex digits");
    plain += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return plain;
}

Result<void> ReadUser(std::string_view text, RedisAddress& address) {
  const auto colon = text.find(':');
  Result<std::string> user = Unescape(text.substr(0, colon));
  if (!user) return user.error();
  address.user = std::move(*user);
  if (colon == std::string_view::npos) return {};
  Result<std::string> password = Unescape(text.substr(colon + 1));
  if (!password) return password.error();
  address.password = std::move(*password);
  return {};
}

Result<void> ReadHost(std::string_view text, RedisAddress& address) {
  std::string_view rest;
  if (text.starts_with('[')) {  // IPv6
    const auto end = text.find(']');
    if (end == std::string_view::npos) return BadUrl("the host's [ has no ]");
    address.host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    address.host = text.substr(0, colon);
    rest = text.substr(colon);
  }
  if (address.host.empty()) return BadUrl("it names no host");
  if (rest.empty()) return {};
  if (!rest.starts_with(':')) return BadUrl("after the host only :port may follow");
  const auto port = ParseCount("port", rest.substr(1), 1, 65'535);
  if (!port) return BadUrl("its port must be a whole number, 1 to 65535");
  address.port = static_cast<int>(*port);
  return {};
}

Result<RedisAddress> ReadAfterScheme(std::string_view text) {
  RedisAddress address;
  if (text.find_first_of("?#") != std::string_view::npos) {
    return BadUrl("it holds ? or #, which mean nothing here (in a password write %3F, %23)");
  }
  if (const auto at = text.rfind('@'); at != std::string_view::npos) {
    if (auto read = ReadUser(text.substr(0, at), address); !read) return read.error();
    text.remove_prefix(at + 1);
  }
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view database = text.substr(slash + 1);
    if (!database.empty()) {
      const auto number = ParseCount("database", database, 0, 1'000'000);
      if (!number) return BadUrl("its database must be a whole number");
      address.database = static_cast<int>(*number);
    }
    text = text.substr(0, slash);
  }
  if (auto read = ReadHost(text, address); !read) return read.error();
  return address;
}

bool Consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::string RedisAddress::Name() const {
  if (!socket.empty()) return "unix://" + socket.string();
  const bool is_bare_ipv6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}/{}", is_tls ? "rediss" : "redis", is_bare_ipv6 ? "[" : "",
                     host, is_bare_ipv6 ? "]" : "", port, database);
}

Result<RedisAddress> ParseRedisUrl(std::string_view url) {
  if (Consume(url, "unix://")) {
    if (!url.starts_with('/')) return BadUrl("unix:// wants an absolute path");
    RedisAddress address;
    address.socket = url;
    return address;
  }
  const bool is_tls = Consume(url, "rediss://");
  if (!is_tls && !Consume(url, "redis://")) return BadUrl("it does not begin with redis://");
  Result<RedisAddress> address = ReadAfterScheme(url);
  if (address) address->is_tls = is_tls;
  return address;
}

Result<RedisAddress> WithRedisPassword(RedisAddress address,
                                       const std::filesystem::path& password_file) {
  if (!address.password.empty()) return address;
  if (password_file.empty()) {
    if (const char* word = std::getenv("HONE_REDIS_PASSWORD")) address.password = word;
    return address;
  }
  Result<std::string> text = ReadFile(password_file, 4096);
  if (!text) return text.error();
  address.password = text->substr(0, text->find_first_of("\r\n"));
  if (address.password.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: its first line is empty; it should be the password of Redis",
                             password_file.string())};
  }
  return address;
}

}  // namespace hone
