// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/knowledge/parameter_facts.h"
#include "hone/domains/sysctl/knowledge/tunable_range.h"

// Kernel parameters as people read them.
namespace hone::app {

// A parameter of the knowledge base on this machine.
struct ParameterHere {
  struct At {
    std::string path;
    std::string text;  // In force; "not readable" where the kernel does not tell it.
  };
  const sysctl::ParameterFacts* facts = nullptr;
  std::vector<At> at;              // None: this machine does not have it.
  std::vector<std::string> unmet;  // Why it does nothing here, if it does not.
};
ParameterHere LookAt(sysctl::KernelFiles& files, const sysctl::ParameterFacts& facts,
                     const std::string& name);

// "64 MiB" of 67108864 bytes, "60" of a plain number: exact, never rounded.
std::string AmountText(std::int64_t amount, const std::string& unit);

// A value in force, short: "64 MiB", "off", "madvise".
std::string ValueText(const sysctl::ParameterFacts& facts, const std::string& text);

// The range searched, short: "16 MiB to 2.4 GiB or off", "always, madvise, never".
std::string SearchText(const sysctl::ParameterFacts& facts, const sysctl::MachineSizes& sizes);

// "0 to 200 %", "8 KiB and more"; empty if nothing is known.
std::string HardText(const sysctl::ParameterFacts& facts, const sysctl::MachineSizes& sizes);

// Everything, for programs.
Json JsonOf(const ParameterHere& parameter, const sysctl::MachineSizes& sizes);

}  // namespace hone::app
