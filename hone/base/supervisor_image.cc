// SPDX-License-Identifier: Apache-2.0
#include "hone/base/supervisor_image.h"

#include "hone/base/carried_program.h"
#include "hone/core/carried_file.h"

HONE_CARRY(kHoneSupervisor, HONE_SUPERVISOR_FILE)

namespace hone {

Result<std::string> SupervisorPath() {
  static const auto* const file =
      new Result<Descriptor>(UnpackProgram("hone-supervisor", kHoneSupervisor()));
  if (!*file) return file->error();
  return PathOfProgram(**file);
}

}  // namespace hone
