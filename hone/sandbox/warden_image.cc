// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/warden_image.h"

#include "hone/base/process/embedded_program.h"

namespace hone {

HONE_EMBED_PROGRAM(WardenFile, "hone-warden", HONE_WARDEN_FILE)

}  // namespace hone
