// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/make_value.h"

#include <algorithm>

namespace hone::kconfig {

std::string MakeValue(std::string_view makefile, std::string_view name) {
  for (std::size_t at = 0; at < makefile.size();) {
    const std::size_t end = std::min(makefile.find('\n', at), makefile.size());
    std::string_view line = makefile.substr(at, end - at);
    at = end + 1;
    if (constexpr std::string_view kExport = "export "; line.starts_with(kExport)) {
      line.remove_prefix(kExport.size());
    }
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    std::size_t sign = line.find_first_not_of(" \t");
    if (sign == std::string_view::npos) continue;
    if (line[sign] == ':' || line[sign] == '?') ++sign;
    if (sign == line.size() || line[sign] != '=') continue;
    const std::size_t value = line.find_first_not_of(" \t", sign + 1);
    return value == std::string_view::npos ? "" : std::string(line.substr(value));
  }
  return {};
}

}  // namespace hone::kconfig
