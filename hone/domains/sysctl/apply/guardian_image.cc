// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/guardian_image.h"

#include <string_view>

#include "hone/base/carried_program.h"

asm(".pushsection .rodata\n"
    ".global kHoneGuardianBegin\n"
    ".global kHoneGuardianEnd\n"
    "kHoneGuardianBegin:\n"
    ".incbin \"" HONE_GUARDIAN_FILE
    "\"\n"
    "kHoneGuardianEnd:\n"
    ".popsection\n");

extern "C" const char kHoneGuardianBegin[];
extern "C" const char kHoneGuardianEnd[];

namespace hone::sysctl {

Result<std::string> GuardianPath() {
  static const auto* const file = new Result<Descriptor>(
      UnpackProgram("hone-guardian", std::string_view(kHoneGuardianBegin, kHoneGuardianEnd)));
  if (!*file) return file->error();
  return PathOfProgram(**file);
}

}  // namespace hone::sysctl
