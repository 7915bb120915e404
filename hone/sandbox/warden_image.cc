// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/warden_image.h"

#include "hone/base/process/embedded_program.h"
#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneWarden, HONE_WARDEN_FILE)

namespace hone {

Result<int> WardenFile() {
  static const auto* const file =
      new Result<Descriptor>(UnpackProgram("hone-warden", kHoneWarden()));
  if (!*file) return file->error();
  return (*file)->get();
}

}  // namespace hone
