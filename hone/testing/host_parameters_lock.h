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
// Aborts if it does not come within ten minutes.
class HostParametersLock {
 public:
  HostParametersLock();

  static std::string path();

 private:
  Descriptor file_;
};

}  // namespace hone::sysctl
