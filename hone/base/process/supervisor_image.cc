// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/supervisor_image.h"

#include "hone/base/process/embedded_program.h"
#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneSupervisor, HONE_SUPERVISOR_FILE)

namespace hone {

Result<std::string> SupervisorPath() {
  static const auto* const file =
      new Result<Descriptor>(UnpackProgram("hone-supervisor", kHoneSupervisor()));
  if (!*file) return file->error();
  return PathOfProgram(**file);
}

}  // namespace hone
