// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/kconfig/options/option_knowledge.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kernels {

// By what to pick, and what is there already.
struct PickRequest {
  std::string menus;    // Titles, separated by ";"; all that is in and below them.
  std::string about;    // A sentence: "faster system calls, keep security".
  std::string options;  // Named line by line, as OptionSpace::Make has it.
  std::vector<std::string> allowed = {};  // Protected ones that may change all the same.
};

struct PickedOptions {
  std::string lines;                 // One a line, as OptionSpace::Make has it; none of `options`.
  std::vector<std::string> allowed;  // Those of the request, and what the sentence gives up.
  std::vector<std::string> notes;    // What was picked, what was left out and why.
};

// Why the option has to stay as it is; empty if it may change.
using KeptReason = std::function<std::string(const std::string& name)>;

// Options of a menu, or that are known to matter for what a sentence asks for: those that a person
// could change now in `base`, that are not kept, and whose values are known. A choice is picked as
// one. An Error says what was not understood, or that nothing is left.
Result<PickedOptions> PickOptions(const kconfig::Configuration& base, const PickRequest& request,
                                  const KeptReason& why_kept,
                                  const OptionKnowledge& knowledge = OptionKnowledge::BuiltIn());

}  // namespace hone::kernels
