// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace hone::sysctl {

// A file of data/presets/, as it was when this was built.
struct PresetText {
  std::string_view name;  // The file's, without ".json".
  std::string_view text;
};

std::vector<PresetText> PresetTexts();  // In the order of their names.

}  // namespace hone::sysctl
