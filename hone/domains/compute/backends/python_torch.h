// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"

namespace hone::compute {

// A Python that has PyTorch.
struct PythonTorch {
  std::string python;   // "/usr/bin/python3"
  std::string version;  // "Python 3.11.2, torch 1.13.0"; part of what sources are known by.
};

// $HONE_PYTHON, else /usr/bin/python3: the one that runs candidates, so it lies where their sandbox
// shows it. Looks where torch would come from and does not import it, which takes seconds.
// kUnsupported says what to install.
Result<PythonTorch> FindPythonTorch();

}  // namespace hone::compute
