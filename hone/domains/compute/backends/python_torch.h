// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/core/result.h"

namespace hone::compute {

// A Python that has PyTorch.
struct PythonTorch {
  std::string python;   // "/usr/bin/python3"
  std::string version;  // "Python 3.11.2, torch 1.13.0a0"; part of what builds are known by.
};

// $HONE_PYTHON, else /usr/bin/python3. Importing torch takes seconds, so the answer is kept in
// `cache` for as long as the interpreter and its torch stay the same files. kUnsupported says what
// to install.
Result<PythonTorch> FindPythonTorch(const std::filesystem::path& cache);

}  // namespace hone::compute
