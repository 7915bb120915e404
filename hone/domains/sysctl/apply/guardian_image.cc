// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/guardian_image.h"

#include "hone/base/process/embedded_program.h"

namespace hone::sysctl {

HONE_EMBED_PROGRAM(GuardianFile, "hone-guardian", HONE_GUARDIAN_FILE)

}  // namespace hone::sysctl
