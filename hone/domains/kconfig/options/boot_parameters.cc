// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/boot_parameters.h"

#include <algorithm>
#include <cctype>

#include "hone/base/file.h"

namespace hone::kernels {
namespace {

constexpr char kList[] = "Documentation/admin-guide/kernel-parameters.txt";
constexpr std::size_t kMaxList = 8 << 20;

bool IsOfName(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-' ||
         letter == '.';
}

std::string Alike(std::string_view name) {
  std::string alike(name);
  std::replace(alike.begin(), alike.end(), '-', '_');
  return alike;
}

}  // namespace

// An entry begins with one tab and the name; texts below it may show a value too.
BootParameters::BootParameters(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && IsOfName(text[end])) ++end;
    const bool begins_entry = at >= 1 && text[at - 1] == '\t' && (at == 1 || text[at - 2] == '\n');
    const std::string name = Alike(text.substr(at, end - at));
    if (end < text.size() && text[end] == '=') {
      with_value_.insert(name);
    } else if (begins_entry && !name.empty()) {
      alone_.insert(name);
    }
    at = end + 1;
  }
}

BootParameters BootParameters::In(const std::filesystem::path& tree) {
  const auto text = ReadRegularFile(tree / kList, kMaxList);
  return BootParameters(text ? *text : "");
}

bool BootParameters::IsFlag(std::string_view name) const {
  const std::string alike = Alike(name);
  return alone_.contains(alike) && !with_value_.contains(alike);
}

}  // namespace hone::kernels
