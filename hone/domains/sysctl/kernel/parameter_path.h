// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"

namespace hone::sysctl {

// Where a kernel parameter is, in its one spelling: below /proc/sys, /proc/irq, /sys or /ethtool,
// no part of it empty, "." or "..". What is judged by its path is judged by such a one, so that no
// other spelling of a denied parameter is an unknown one. sysfs shows one file at many such paths
// all the same, by links: KernelFiles::Resolved.
class ParameterPath {
 public:
  // From a path, or from a name with dots or slashes: "vm.swappiness", "net/ipv4/tcp_rmem". A * may
  // stand for parts of it. Refused is what has another spelling, what is elsewhere, and control
  // characters; nothing is mended, since who writes so means to pass by something.
  static Result<ParameterPath> Of(const std::string& name);

  const std::string& text() const { return text_; }

 private:
  explicit ParameterPath(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace hone::sysctl
