// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/warden_image.h"

#include <string_view>

#include "hone/base/carried_program.h"

asm(".pushsection .rodata\n"
    ".global kHoneWardenBegin\n"
    ".global kHoneWardenEnd\n"
    "kHoneWardenBegin:\n"
    ".incbin \"" HONE_WARDEN_FILE
    "\"\n"
    "kHoneWardenEnd:\n"
    ".popsection\n");

extern "C" const char kHoneWardenBegin[];
extern "C" const char kHoneWardenEnd[];

namespace hone {

Result<int> WardenFile() {
  static const auto* const file = new Result<Descriptor>(
      UnpackProgram("hone-warden", std::string_view(kHoneWardenBegin, kHoneWardenEnd)));
  if (!*file) return file->error();
  return (*file)->get();
}

}  // namespace hone
