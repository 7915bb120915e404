// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/space.h"
#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kernels {

// Where a parameter acts.
enum class Layer { kBuild, kBoot, kRun };

// How one parameter is brought about.
struct OptionLink {
  Layer layer = Layer::kBuild;
  std::string name;  // Of the option, the boot parameter or the sysctl.
  kconfig::SymbolId symbol = kconfig::kNone;
  std::map<std::string, kconfig::SymbolId> members = {};  // Of a choice: the value names one.
  bool is_hex = false;
};

// Whether a parameter of the command line is there or not and takes no value, as "quiet" does.
using IsFlag = std::function<bool(const std::string& name)>;

// The parameters of a campaign, and how to bring their values about.
class OptionSpace {
 public:
  // One parameter a line (or separated by commas):
  //   NAME                 an option, all its values; a member of a choice stands for the choice
  //   NAME=a|b|c           only these values
  //   NAME=1..1000         only this range
  //   boot:NAME=a|b        a parameter of the kernel's command line; the first is the baseline's
  //   boot:NAME            one without a value: not there, as in the baseline, or there
  //   sysctl:NAME=a|b      a parameter of the running kernel; the first is the baseline's
  // What is protected must be in `allowed`. A flag with values is an Error: the kernel would take
  // each of them for "there".
  static Result<OptionSpace> Make(const kconfig::Configuration& base, std::string_view text,
                                  const std::vector<std::string>& allowed,
                                  const IsFlag& is_flag = {});

  const Space& space() const { return space_; }

  // What is to be wished for, where the assignment differs from the baseline.
  std::vector<kconfig::Wish> WishesFor(const Assignment& assignment) const;
  std::string CommandLineFor(const Assignment& assignment) const;
  std::map<std::string, std::string> SysctlsFor(const Assignment& assignment) const;

 private:
  Space space_;
  std::map<std::string, OptionLink> links_;  // By the parameter's name.
  Assignment baseline_;
};

}  // namespace hone::kernels
