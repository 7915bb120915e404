// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/keeper_image.h"

#include "hone/base/carried_program.h"
#include "hone/core/carried_file.h"

HONE_CARRY(kHoneKeeper, HONE_KEEPER_FILE)

namespace hone::sysctl {

Result<std::string> KeeperPath() {
  static const auto* const file =
      new Result<Descriptor>(UnpackProgram("hone-network", kHoneKeeper()));
  if (!*file) return file->error();
  return PathOfProgram(**file);
}

}  // namespace hone::sysctl
