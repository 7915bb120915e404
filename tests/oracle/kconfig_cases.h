// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/core/result.h"

namespace hone::kconfig {

struct CasesOutcome {
  std::vector<std::string> passed;  // "tests/choice/__init__.py::test_oldask0"
  std::vector<std::string> failed;
  std::string output;  // Of the whole suite.
};

// Runs the test cases that a kernel tree has for its own conf (scripts/kconfig/tests) with
// scripts/hone-conf in its place. kUnavailable if python3-pytest is missing.
Result<CasesOutcome> RunKernelCases(const std::filesystem::path& tree, const std::string& program,
                                    const std::string& dialect);

}  // namespace hone::kconfig
