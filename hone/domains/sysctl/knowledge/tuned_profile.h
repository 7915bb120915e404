// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"

namespace hone::sysctl {

// "governor=performance" on a line of a profile.
struct TunedOption {
  std::string key;
  std::string value;  // Without quotes; variables are filled in, as far as they are plain.
  std::string file;
  int line = 0;
};

// A section of a profile of tuned: what one of its plugins is told.
struct TunedUnit {
  std::string name;         // "disk-nvme"
  std::string type;         // "disk": the plugin; the name, unless the section says another.
  std::string devices;      // Names with *; empty: all.
  std::string uname_regex;  // Of machines that it is for; empty: of any.
  std::string cpuinfo_regex;
  bool is_enabled = true;
  std::vector<TunedOption> options;
};

// The units of a profile, merged as tuned merges them with the profiles that it includes. Those are
// looked for in /etc/tuned and /usr/lib/tuned, and, unless the file is in one of these, beside it
// first. `what` is the path of the file that the text is from.
Result<std::vector<TunedUnit>> ReadTunedProfile(const std::string& text, const std::string& what);

}  // namespace hone::sysctl
