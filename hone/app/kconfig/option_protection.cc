// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kconfig/option_protection.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "hone/domains/kconfig/options/protected_options.h"

namespace hone::app {
namespace {

struct GuardedText {
  const char* pattern;
  const char* reason;
};

constexpr GuardedText kGuardedTexts[] = {
    {"CMDLINE", "the command line can switch off what is protected"},
    {"CMDLINE_*", "the command line can switch off what is protected"},
    {"BOOT_CONFIG*", "the command line can switch off what is protected"},
    {"DEFAULT_INIT", "names a program that runs as root"},
    {"MODPROBE_PATH", "names a program that runs as root"},
    {"UEVENT_HELPER*", "names a program that runs as root"},
    {"INITRAMFS_SOURCE", "files of the machine that builds go into the kernel"},
    {"EXTRA_FIRMWARE*", "files of the machine that builds go into the kernel"},
    {"SYSTEM_*_KEYS", "files of the machine that builds go into the kernel"},
    {"SYSTEM_*_KEYRING", "who is trusted to sign"},
    {"SYSTEM_BLACKLIST_*", "who is trusted to sign"},
    {"ACPI_CUSTOM_DSDT*", "files of the machine that builds go into the kernel"},
};

}  // namespace

agent::ProtectionRule OptionProtection(std::vector<std::string> allowed) {
  return [allowed = std::move(allowed)](const std::string& option) -> agent::Protection {
    if (std::find(allowed.begin(), allowed.end(), option) != allowed.end()) return {};
    const kernels::ProtectedOptions& known = kernels::ProtectedOptions::BuiltIn();
    std::string reason = known.ReasonFor(option);
    if (!reason.empty()) return {std::move(reason), known.MayFollow(option)};
    for (const GuardedText& text : kGuardedTexts) {
      if (::fnmatch(text.pattern, option.c_str(), 0) == 0) return {text.reason, true};
    }
    return {};
  };
}

}  // namespace hone::app
