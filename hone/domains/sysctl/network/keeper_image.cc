// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/keeper_image.h"

#include <string_view>

#include "hone/base/carried_program.h"

asm(".pushsection .rodata\n"
    ".global kHoneKeeperBegin\n"
    ".global kHoneKeeperEnd\n"
    "kHoneKeeperBegin:\n"
    ".incbin \"" HONE_KEEPER_FILE
    "\"\n"
    "kHoneKeeperEnd:\n"
    ".popsection\n");

extern "C" const char kHoneKeeperBegin[];
extern "C" const char kHoneKeeperEnd[];

namespace hone::sysctl {

Result<std::string> KeeperPath() {
  static const auto* const file = new Result<Descriptor>(
      UnpackProgram("hone-network", std::string_view(kHoneKeeperBegin, kHoneKeeperEnd)));
  if (!*file) return file->error();
  return PathOfProgram(**file);
}

}  // namespace hone::sysctl
