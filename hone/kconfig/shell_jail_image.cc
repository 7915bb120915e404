// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

#include "hone/base/carried_program.h"
#include "hone/kconfig/shell_jail.h"

asm(".pushsection .rodata\n"
    ".global kHoneKconfigJailBegin\n"
    ".global kHoneKconfigJailEnd\n"
    "kHoneKconfigJailBegin:\n"
    ".incbin \"" HONE_KCONFIG_JAIL_FILE
    "\"\n"
    "kHoneKconfigJailEnd:\n"
    ".popsection\n");

extern "C" const char kHoneKconfigJailBegin[];
extern "C" const char kHoneKconfigJailEnd[];

namespace hone::kconfig {

// By our number, not as /proc/self: what starts it is another process of ours.
Result<std::string> ShellJailPath() {
  static const auto* const file = new Result<Descriptor>(UnpackProgram(
      "hone-kconfig-jail", std::string_view(kHoneKconfigJailBegin, kHoneKconfigJailEnd)));
  if (!*file) return file->error();
  return fmt::format("/proc/{}/fd/{}", getpid(), (*file)->get());
}

}  // namespace hone::kconfig
