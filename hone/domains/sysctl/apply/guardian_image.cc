// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/guardian_image.h"

#include "hone/base/process/embedded_program.h"
#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneGuardian, HONE_GUARDIAN_FILE)

namespace hone::sysctl {

Result<std::string> GuardianPath() {
  static const auto* const file =
      new Result<Descriptor>(UnpackProgram("hone-guardian", kHoneGuardian()));
  if (!*file) return file->error();
  return PathOfProgram(**file);
}

}  // namespace hone::sysctl
