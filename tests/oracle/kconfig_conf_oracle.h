// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/oracle/kconfig_oracle.h"

namespace hone::kconfig {

using Texts = std::map<std::string, std::string>;  // By file name.

// One call of conf: what lies in the folder, what it is asked and told.
struct ConfCall {
  std::string mode = {};         // "olddefconfig", "defconfig"
  std::string file = {};         // Of a mode that takes one.
  Texts files = {};              // Beforehand. A "Kconfig" is the tree, unless it is the kernel's.
  Environment environment = {};  // More than what the tree needs.
  std::string input = {};        // What the user types.
  bool is_silent = false;
  std::string dialect = "linux-6.1";  // Of a tree that the call brings along.
};

struct ConfOutcome {
  int status = 0;
  std::string output;
  std::string errors;
  Texts files;  // All that lies in the folder afterwards.
};

// The C tool and RunConf, each in a folder of its own. `arch` is null for a tree that the call
// brings along. RunOurs changes the folder of this process while it runs.
Result<ConfOutcome> RunTheirs(const KernelOracle& oracle, const ArchOracle* arch,
                              const ConfCall& call);
Result<ConfOutcome> RunOurs(const ArchOracle* arch, const ConfCall& call);

// Compares status, output, errors and every file.
void CompareCall(const KernelOracle& oracle, const ArchOracle* arch, const std::string& what,
                 const ConfCall& call, Tally& tally);

}  // namespace hone::kconfig
