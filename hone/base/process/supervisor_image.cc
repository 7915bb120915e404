// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/supervisor_image.h"

#include "hone/base/process/embedded_program.h"

namespace hone {

HONE_EMBED_PROGRAM(SupervisorFile, "hone-supervisor", HONE_SUPERVISOR_FILE)

}  // namespace hone
