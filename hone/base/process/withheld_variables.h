// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace hone {

// From now on no program that this process starts inherits the variable: it holds a secret, and
// what programs print may be stored, shown or sent away. A command that names it in its own
// environment still gets it. Safe for concurrent use.
void WithholdVariable(const std::string& name);

// Our environment without what is withheld: "NAME=value" each.
std::vector<std::string> VariablesForPrograms();

}  // namespace hone
