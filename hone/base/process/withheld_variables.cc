// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/withheld_variables.h"

#include <unistd.h>

#include <mutex>
#include <set>

namespace hone {
namespace {

struct Withheld {
  std::mutex mutex;
  std::set<std::string> names;
};

Withheld& AllWithheld() {
  static Withheld withheld;
  return withheld;
}

}  // namespace

void WithholdVariable(const std::string& name) {
  Withheld& withheld = AllWithheld();
  const std::lock_guard lock(withheld.mutex);
  withheld.names.insert(name);
}

std::vector<std::string> VariablesForPrograms() {
  Withheld& withheld = AllWithheld();
  const std::lock_guard lock(withheld.mutex);
  std::vector<std::string> variables;
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    std::string text = *variable;
    if (!withheld.names.contains(text.substr(0, text.find('=')))) {
      variables.push_back(std::move(text));
    }
  }
  return variables;
}

}  // namespace hone
