// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "hone/base/descriptor.h"

namespace hone::sysctl {

// Held by every test that changes the host's kernel parameters, or that needs nobody else to:
// such tests then take turns, across programs and build folders. It lasts as long as the process
// at most, however it ends. Put it before everything else into the fixture:
//
//   HostParametersLock lock_;
//
// With a file of its own it is a lock on something else. Aborts if it does not come within ten
// minutes.
class HostParametersLock {
 public:
  explicit HostParametersLock(const std::string& file = path());

  static std::string path();

 private:
  Descriptor file_;
};

}  // namespace hone::sysctl
