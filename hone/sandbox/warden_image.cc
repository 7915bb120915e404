// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/warden_image.h"

#include "hone/base/carried_program.h"
#include "hone/core/carried_file.h"

HONE_CARRY(kHoneWarden, HONE_WARDEN_FILE)

namespace hone {

Result<int> WardenFile() {
  static const auto* const file =
      new Result<Descriptor>(UnpackProgram("hone-warden", kHoneWarden()));
  if (!*file) return file->error();
  return (*file)->get();
}

}  // namespace hone
