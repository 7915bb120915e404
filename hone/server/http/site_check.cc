// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/site_check.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>

#include "hone/core/letter_case.h"
#include "hone/server/http/http_framing.h"

namespace hone::server {
namespace {

bool IsAddress(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> scratch{};
  return ::inet_pton(AF_INET, name.c_str(), scratch.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), scratch.data()) == 1;
}

std::string Shown(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 60)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown;
}

}  // namespace

std::string HostName(std::string_view authority) {
  if (authority.starts_with('[')) {
    return std::string(authority.substr(1, authority.find(']') - 1));
  }
  return LowerCase(authority.substr(0, authority.rfind(':')));
}

std::optional<std::string> SiteCheck::Refusal(std::string_view host,
                                              std::string_view origin) const {
  if (!host.empty()) {
    const std::string name = HostName(host);
    if (name != "localhost" && !names_.contains(name) && !IsAddress(name)) {
      return fmt::format(
          "host: this server is not known as \"{}\"; call it by its address or localhost, or start "
          "it with --name",
          Shown(name));
    }
  }
  if (origin.empty()) return std::nullopt;
  const auto mark = origin.find("://");
  const bool is_own = mark != origin.npos && origin.substr(mark + 3) == host;
  if (is_own) return std::nullopt;
  return fmt::format("origin: pages of \"{}\" may not use this server", Shown(origin));
}

}  // namespace hone::server
