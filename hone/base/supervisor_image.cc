// SPDX-License-Identifier: Apache-2.0
#include "hone/base/supervisor_image.h"

#include <string_view>

#include "hone/base/carried_program.h"

asm(".pushsection .rodata\n"
    ".global kHoneSupervisorBegin\n"
    ".global kHoneSupervisorEnd\n"
    "kHoneSupervisorBegin:\n"
    ".incbin \"" HONE_SUPERVISOR_FILE
    "\"\n"
    "kHoneSupervisorEnd:\n"
    ".popsection\n");

extern "C" const char kHoneSupervisorBegin[];
extern "C" const char kHoneSupervisorEnd[];

namespace hone {

Result<std::string> SupervisorPath() {
  static const auto* const file = new Result<Descriptor>(
      UnpackProgram("hone-supervisor", std::string_view(kHoneSupervisorBegin, kHoneSupervisorEnd)));
  if (!*file) return file->error();
  return PathOfProgram(**file);
}

}  // namespace hone
