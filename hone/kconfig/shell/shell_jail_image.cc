// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/shell/shell_jail_image.h"

#include "hone/base/process/embedded_program.h"

namespace hone::kconfig {

HONE_EMBED_PROGRAM(ShellJailFile, "hone-kconfig-jail", HONE_KCONFIG_JAIL_FILE)

}  // namespace hone::kconfig
