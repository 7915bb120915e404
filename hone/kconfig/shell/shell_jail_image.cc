// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include "hone/base/process/embedded_program.h"
#include "hone/core/embedded_file.h"
#include "hone/kconfig/shell/shell_jail.h"

HONE_EMBED(kHoneKconfigJail, HONE_KCONFIG_JAIL_FILE)

namespace hone::kconfig {

// By our number, not as /proc/self: what starts it is another process of ours.
Result<std::string> ShellJailPath() {
  static const auto* const file =
      new Result<Descriptor>(UnpackProgram("hone-kconfig-jail", kHoneKconfigJail()));
  if (!*file) return file->error();
  return fmt::format("/proc/{}/fd/{}", getpid(), (*file)->get());
}

}  // namespace hone::kconfig
