// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace hone::server {

// Keeps web pages of others from using a browser on this machine as their arm. A page under a name
// that its owner points at 127.0.0.1 (DNS rebinding) sends that name as Host; a page of another
// site that posts here sends its own Origin.
class SiteCheck {
 public:
  // `names`: by which this server may be called, besides localhost and any IP address. In lower
  // case.
  explicit SiteCheck(std::set<std::string> names) : names_(std::move(names)) {}

  // Why the request is refused; nullopt if it is not. An empty header was not sent.
  std::optional<std::string> Refusal(std::string_view host, std::string_view origin) const;

 private:
  const std::set<std::string> names_;
};

// "example.org" of "example.org:80", "::1" of "[::1]:80".
std::string HostName(std::string_view authority);

}  // namespace hone::server
